// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// Threads that begin together.
public enum Threads {
    /// What it takes until every one of so many threads has done its work.
    ///
    /// They are threads of their own, not tasks: nothing else may decide who runs where. They wait for each other before they
    /// begin, so neither making them nor what they prepare is measured.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - prepare: Makes what one thread needs for itself.
    ///   - body: The work of one thread.
    /// - Returns: The time from the first beginning to the last end, and that of the processors.
    /// - Throws: What one of them threw.
    public static func cost<State>(
        _ count: Int,
        prepare: @escaping @Sendable () throws -> State,
        _ body: @escaping @Sendable (State) throws -> Void
    ) throws -> Cost {
        let gate = Gate()
        let ends = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            let thread = Thread {
                let prepared = Result { try prepare() }
                gate.wait(for: count)
                let start = (wall: ContinuousClock.now, processor: processorSeconds(CLOCK_THREAD_CPUTIME_ID))
                let outcome = Result { try body(prepared.get()) }
                let processor = processorSeconds(CLOCK_THREAD_CPUTIME_ID) - start.processor
                gate.report(Gate.Report(start: start.wall, end: .now, processorSeconds: processor, outcome: outcome))
                ends.signal()
            }
            thread.start()
        }
        for _ in 0..<count { ends.wait() }
        return try gate.cost()
    }

    /// What the work took.
    public struct Cost: Sendable {
        /// By the clock, from the first beginning to the last end.
        public let wallSeconds: Double
        /// Of the processors, by all threads together.
        public let processorSeconds: Double
    }

    /// Where they wait for each other, and leave their times.
    private final class Gate: Sendable {
        struct Report {
            let start: ContinuousClock.Instant
            let end: ContinuousClock.Instant
            let processorSeconds: Double
            let outcome: Result<Void, any Error>
        }

        private let arrived = Atomic<Int>(0)
        private let reports = Mutex<[Report]>([])

        func wait(for count: Int) {
            arrived.add(1, ordering: .sequentiallyConsistent)
            while arrived.load(ordering: .sequentiallyConsistent) < count {}
        }

        func report(_ report: Report) {
            reports.withLock { $0.append(report) }
        }

        func cost() throws -> Cost {
            try reports.withLock { reports in
                for report in reports { try report.outcome.get() }
                guard let start = reports.map(\.start).min(), let end = reports.map(\.end).max() else {
                    return Cost(wallSeconds: .nan, processorSeconds: .nan)
                }
                return Cost(
                    wallSeconds: start.duration(to: end) / .seconds(1),
                    processorSeconds: reports.reduce(0) { $0 + $1.processorSeconds }
                )
            }
        }
    }
}
