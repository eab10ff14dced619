// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Synchronization

/// Threads that start their work at the same time.
public enum Threads {
    /// Measures the time until every thread has done its work.
    ///
    /// Threads are used instead of tasks, so that the scheduling of tasks has no influence. They wait for each other
    /// before they start the work, so neither their creation nor their preparation is measured.
    ///
    /// - Parameters:
    ///   - count: The number of threads.
    ///   - prepare: Creates the state of one thread.
    ///   - body: The work of one thread.
    /// - Returns: The time from the first start to the last end, and the processor time.
    /// - Throws: Rethrows the error of a thread.
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

    /// The cost of the work.
    public struct Cost: Sendable {
        /// The wall-clock time from the first start to the last end.
        public let wallSeconds: Double
        /// The processor time of all threads together.
        public let processorSeconds: Double
    }

    /// The barrier at which the threads wait for each other, and the place where they record their times.
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
