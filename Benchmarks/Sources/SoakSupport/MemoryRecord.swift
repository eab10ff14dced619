// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// What a long run does to memory: whether the last quarter needs more than the second.
///
/// The first quarter is that of everything that is made once.
public struct MemoryRecord: Sendable {
    /// How much more the last quarter may need: 5 %.
    public static let largestRatio = 1.05

    private var samples: [Int] = []

    /// A record without samples.
    public init() {}

    /// Notes how many pages of memory are in use now, by the kernel.
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
