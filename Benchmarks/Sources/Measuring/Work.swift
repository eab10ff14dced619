// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation

/// Something that is done over and over, to learn what it costs.
public struct Work {
    private let body: (_ times: Int) async throws -> Void

    /// Work that does not wait.
    public init(_ body: @escaping () throws -> Void) {
        self.body = { times in
            for _ in 0..<times { try body() }
        }
    }

    /// Work that may wait.
    public static func awaiting(_ body: @escaping () async throws -> Void) -> Self {
        Self { times in
            for _ in 0..<times { try await body() }
        }
    }

    /// Work that repeats itself, as a loop in C does.
    public static func repeating(_ body: @escaping (_ times: Int) throws -> Void) -> Self {
        Self { times in try body(times) }
    }

    private init(body: @escaping (_ times: Int) async throws -> Void) {
        self.body = body
    }

    /// What so many times in a row cost.
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

    /// What one time cost.
    struct Cost {
        /// Of the processors' time, by all threads of this process: others that run in between do not count.
        let microseconds: Double
        /// By the clock on the wall.
        let wallMicroseconds: Double
        /// How often it was done.
        let times: Int
    }

    /// How often it can be done in about this time.
    ///
    /// Asked twice: the first time warms up.
    func times(in turn: Duration) async throws -> Int {
        var times = 10
        for _ in 0..<2 {
            let one = try await cost(times: times).microseconds
            times = max(1, Int((turn / .microseconds(1) / max(one, 0.001)).rounded()))
        }
        return times
    }
}

/// Takes a value, so that the compiler cannot leave out the work that made it.
@inline(never)
public func use<Value: ~Copyable>(_ value: borrowing Value) {}

/// The time that processors have spent on this process or this thread.
func processorSeconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
