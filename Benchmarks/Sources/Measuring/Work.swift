// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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

    /// How long one time takes, of so many in a row.
    func microseconds(times: Int) async throws -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try await body(times)
        return start.duration(to: clock.now) / .microseconds(1) / Double(times)
    }

    /// How often it can be done in about this time.
    ///
    /// Asked twice: the first time warms up.
    func times(in turn: Duration) async throws -> Int {
        var times = 10
        for _ in 0..<2 {
            let one = try await microseconds(times: times)
            times = max(1, Int((turn / .microseconds(1) / max(one, 0.001)).rounded()))
        }
        return times
    }
}

/// Takes a value, so that the compiler cannot leave out the work that made it.
@inline(never)
public func use<Value: ~Copyable>(_ value: borrowing Value) {}
