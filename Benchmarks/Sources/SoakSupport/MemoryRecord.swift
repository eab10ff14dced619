// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// A record of memory use in a long run, which compares the last quarter with the second.
///
/// The first quarter is left out, since it contains what is allocated only once.
public struct MemoryRecord: Sendable {
    /// The highest permitted ratio: 5 % more in the last quarter.
    public static let largestRatio = 1.05

    private var samples: [Int] = []

    /// Creates a record without samples.
    public init() {}

    /// Records the number of resident memory pages that the kernel reports.
    public mutating func sample() throws {
        let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        samples.append(Int(numbers[1]) ?? 0)
    }

    /// Prints the comparison.
    ///
    /// - Returns: Whether the goal is met.
    public func report() -> Bool {
        let quarter = samples.count / 4
        let second = samples[quarter..<(2 * quarter)].max() ?? 0
        let last = samples[(3 * quarter)...].max() ?? 0
        let ratio = Double(last) / Double(max(second, 1))
        print("resident memory, most in the last quarter / most in the second: \(last) / \(second) pages")
        print("ratio: \((ratio * 1000).rounded() / 1000) (goal: at most \(Self.largestRatio))")
        return ratio <= Self.largestRatio
    }
}
