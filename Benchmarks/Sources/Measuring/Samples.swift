// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Repeated measurements of one number.
public struct Samples: Sendable {
    private var values: [Double] = []

    /// Creates an empty set of samples.
    public init() {}

    /// The number of samples.
    public var count: Int { values.count }

    /// Adds a sample.
    public mutating func add(_ value: Double) {
        values.append(value)
    }

    /// The median; NaN if there are no samples.
    public var median: Double { quantile(0.5) }

    /// Returns a quantile, linearly interpolated between two neighbouring samples.
    ///
    /// - Parameter share: The share of samples below the quantile, from 0 to 1.
    /// - Returns: The quantile; NaN if there are no samples.
    public func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        let position = share * Double(last)
        let lower = Int(position)
        let upper = min(lower + 1, last)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
    }
}
