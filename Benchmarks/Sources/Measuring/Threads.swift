// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// Threads that begin together.
public enum Threads {
    /// How long it takes until every one of so many threads has done its work.
    ///
    /// They are threads of their own, not tasks: nothing else may decide who runs where. They wait for each other before they
    /// begin, so neither making them nor what they prepare is measured.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - prepare: Makes what one thread needs for itself.
    ///   - body: The work of one thread.
    /// - Returns: Seconds from the first beginning to the last end.
    /// - Throws: What one of them threw.
    public static func seconds<State>(
        _ count: Int,
        prepare: @escaping @Sendable () throws -> State,
        _ body: @escaping @Sendable (State) throws -> Void
    ) throws -> Double {
        let gate = Gate()
        let ends = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            let thread = Thread {
                let prepared = Result { try prepare() }
                gate.wait(for: count)
                let clock = ContinuousClock()
                let start = clock.now
                let outcome = Result { try body(prepared.get()) }
                gate.report(start, clock.now, outcome)
                ends.signal()
            }
            thread.start()
        }
        for _ in 0..<count { ends.wait() }
        return try gate.seconds()
    }

    /// Where they wait for each other, and leave their times.
    private final class Gate: Sendable {
        private struct Report {
            var start: ContinuousClock.Instant
            var end: ContinuousClock.Instant
            var outcome: Result<Void, any Error>
        }

        private let arrived = Atomic<Int>(0)
        private let reports = Mutex<[Report]>([])

        func wait(for count: Int) {
            arrived.add(1, ordering: .sequentiallyConsistent)
            while arrived.load(ordering: .sequentiallyConsistent) < count {}
        }

        func report(
            _ start: ContinuousClock.Instant,
            _ end: ContinuousClock.Instant,
            _ outcome: Result<Void, any Error>
        ) {
            reports.withLock { $0.append(Report(start: start, end: end, outcome: outcome)) }
        }

        func seconds() throws -> Double {
            try reports.withLock { reports in
                for report in reports { try report.outcome.get() }
                guard let start = reports.map(\.start).min(), let end = reports.map(\.end).max() else { return .nan }
                return start.duration(to: end) / .seconds(1)
            }
        }
    }
}
