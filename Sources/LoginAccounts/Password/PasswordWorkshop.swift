// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Dispatch
internal import LoginCrypto
internal import Synchronization

/// Where passwords are hashed: on threads of its own, some at once, with a line of those who wait that has an end.
///
/// A hash takes some tenths of a second and 128 MiB. On the threads of Swift's tasks everything else would stand still, and with as
/// many at once as anybody sends, memory would run out.
final class PasswordWorkshop: Sendable {
    private struct State {
        var running = 0
        var waiting: [@Sendable () -> Void] = []
        var runs = 0
    }

    let places: Int
    private let waitingPlaces: Int
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "limited-login passwords", attributes: .concurrent)

    /// - Parameters:
    ///   - places: How many are hashed at once.
    ///   - waitingPlaces: How many may wait.
    init(places: Int, waitingPlaces: Int) {
        self.places = max(places, 1)
        self.waitingPlaces = waitingPlaces
    }

    /// As a policy says, and with so many who wait that the last is served after some seconds.
    convenience init(_ policy: PasswordPolicy) {
        let places = max(policy.concurrentHashes, 1)
        self.init(places: places, waitingPlaces: 16 * places)
    }

    /// How many pieces of work were done, or begun.
    var runs: Int { state.withLock { $0.runs } }

    /// Does one piece of work.
    ///
    /// - Throws: ``AuthError``: `too-many-requests` where too many wait already.
    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws(AuthError) -> Value {
        let value: Value? = await withCheckedContinuation { continuation in
            let isTaken = take { continuation.resume(returning: work()) }
            if !isTaken { continuation.resume(returning: nil) }
        }
        guard let value else {
            throw AuthError(.tooManyRequests, "too many passwords wait to be hashed", retryAfter: .seconds(5))
        }
        return value
    }

    private func take(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isFirst: Bool? = state.withLock { state in
            if state.running < places {
                state.running += 1
                state.runs += 1
                return true
            }
            guard state.waiting.count < waitingPlaces else { return nil }
            state.waiting.append(job)
            return false
        }
        guard let isFirst else { return false }
        if isFirst { queue.async { self.work(job) } }
        return true
    }

    /// Does one piece of work, and then what waits, until nothing does.
    private func work(_ first: @Sendable () -> Void) {
        first()
        while let next = next() { next() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            state.runs += 1
            return state.waiting.removeFirst()
        }
    }
}
