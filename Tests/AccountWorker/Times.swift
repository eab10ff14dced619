// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// The durations of each operation, in constant memory.
///
/// They are counted in a histogram, each class one per cent longer than the previous one, from a microsecond to a
/// quarter of an hour.
final class Times: Sendable {
    private static let growth = 1.01
    private static let shortest = 0.001
    private static let classes = 2100

    private let counters = Mutex<[String: [Int]]>([:])

    /// Adds the duration of one operation.
    func add(_ operation: String, _ duration: Duration) {
        let ratio = max(1, duration / .milliseconds(1) / Self.shortest)
        let number = min(Self.classes - 1, Int(log(ratio) / log(Self.growth)))
        counters.withLock { $0[operation, default: Array(repeating: 0, count: Self.classes)][number] += 1 }
    }

    /// Runs an operation, and adds its duration unless it throws.
    func measure<Value>(_ operation: String, _ body: () async throws -> Value) async rethrows -> Value {
        let began = ContinuousClock.now
        let value = try await body()
        add(operation, ContinuousClock.now - began)
        return value
    }

    /// Returns a percentile of an operation's durations, in milliseconds; nil if there are none.
    func percentile(_ part: Double, of operation: String) -> Double? {
        guard let counts = counters.withLock({ $0[operation] }) else { return nil }
        var left = Int(Double(counts.reduce(0, +)) * part)
        for (number, count) in counts.enumerated() {
            left -= count
            if left < 0 { return Self.shortest * pow(Self.growth, Double(number) + 0.5) }
        }
        return nil
    }

    /// The operations, and how often each was run.
    var counts: [(operation: String, count: Int)] {
        counters.withLock { $0.map { ($0.key, $0.value.reduce(0, +)) } }.sorted { $0.0 < $1.0 }
    }
}

extension Double {
    /// The number with three decimals, in a column of nine characters.
    var text: String { String(format: "%9.3f", self) }
}
