// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// A piece of work that is repeated to measure its cost.
public struct Work {
    private let body: (_ times: Int) async throws -> Void

    /// Creates synchronous work.
    public init(_ body: @escaping () throws -> Void) {
        self.body = { times in
            for _ in 0..<times { try body() }
        }
    }

    /// Creates asynchronous work.
    public static func awaiting(_ body: @escaping () async throws -> Void) -> Self {
        Self { times in
            for _ in 0..<times { try await body() }
        }
    }

    /// Creates work that repeats itself, as a loop in C does.
    public static func repeating(_ body: @escaping (_ times: Int) throws -> Void) -> Self {
        Self { times in try body(times) }
    }

    private init(body: @escaping (_ times: Int) async throws -> Void) {
        self.body = body
    }

    /// Returns the cost of the given number of repetitions.
    func cost(times: Int) async throws -> Cost {
        let clock = ContinuousClock()
        let start = (wall: clock.now, processor: processorSeconds(CLOCK_PROCESS_CPUTIME_ID))
        try await body(times)
        return Cost(
            microseconds: (processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - start.processor) * 1e6 / Double(times),
            wallMicroseconds: start.wall.duration(to: clock.now) / .microseconds(1) / Double(times),
            times: times
        )
    }

    /// The cost of one repetition.
    struct Cost {
        /// The processor time of all threads of this process, without other processes.
        let microseconds: Double
        /// The wall-clock time.
        let wallMicroseconds: Double
        /// The number of repetitions.
        let times: Int
    }

    /// Returns the number of repetitions that take about this time.
    ///
    /// Measures twice: the first time warms up.
    func times(in turn: Duration) async throws -> Int {
        var times = 10
        for _ in 0..<2 {
            let one = try await cost(times: times).microseconds
            times = max(1, Int((turn / .microseconds(1) / max(one, 0.001)).rounded()))
        }
        return times
    }
}

/// Consumes a value, so that the compiler cannot remove the work that produced it.
@inline(never)
public func use<Value: ~Copyable>(_ value: borrowing Value) {}

/// Returns the processor time that this process or this thread has used.
func processorSeconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
