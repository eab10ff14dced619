// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// How long each operation took.
final class Times: Sendable {
    private let samples = Mutex<[String: [Double]]>([:])

    /// One operation, in the milliseconds that it took.
    func add(_ operation: String, _ duration: Duration) {
        samples.withLock { $0[operation, default: []].append(duration / .milliseconds(1)) }
    }

    /// The value below which this part of an operation's times lie; nil where there are none.
    func percentile(_ part: Double, of operation: String) -> Double? {
        let sorted = samples.withLock { $0[operation] ?? [] }.sorted()
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
    }

    /// The operations and how often each was done.
    var counts: [(operation: String, count: Int)] {
        samples.withLock { $0.map { ($0.key, $0.value.count) } }.sorted { $0.0 < $1.0 }
    }
}
