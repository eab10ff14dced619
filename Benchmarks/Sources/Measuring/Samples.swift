// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Numbers that should be one number, were the machine alone.
public struct Samples: Sendable {
    private var values: [Double] = []

    /// None yet.
    public init() {}

    /// How many there are.
    public var count: Int { values.count }

    /// Takes one more.
    public mutating func add(_ value: Double) {
        values.append(value)
    }

    /// Half of them are less, half are more; nan if there are none.
    public var median: Double { quantile(0.5) }

    /// The value below which this share of them lies, between two neighbours by their distance.
    ///
    /// - Parameter share: 0 … 1.
    /// - Returns: The value; nan if there are none.
    public func quantile(_ share: Double) -> Double {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return .nan }
        let position = share * Double(last)
        let lower = Int(position)
        let upper = min(lower + 1, last)
        return sorted[lower] + (sorted[upper] - sorted[lower]) * (position - Double(lower))
    }
}
