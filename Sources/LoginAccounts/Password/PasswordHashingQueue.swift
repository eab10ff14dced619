// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Dispatch
internal import LoginCrypto
internal import Synchronization

/// A queue that hashes passwords on its own threads, a limited number at once, while a bounded number of requests
/// waits.
///
/// A hash takes some tenths of a second and 128 MiB. On the threads of Swift's tasks it would block all other requests,
/// and without a limit of concurrent hashes the memory would run out. ``FairQueue`` decides which request is next, and
/// which is refused.
final class PasswordHashingQueue: Sendable {
    private typealias Job = @Sendable () -> Void

    private let state: Mutex<FairQueue<Job>>
    private let threads = DispatchQueue(label: "limited-login passwords", attributes: .concurrent)

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - slots: The number of passwords hashed at once, at least 1.
    ///   - waitingPlaces: The number of further requests that may wait.
    init(slots: Int, waitingPlaces: Int) {
        let slots = max(slots, 1)
        state = Mutex(FairQueue(slots: slots, capacity: slots + waitingPlaces))
    }

    /// Creates the queue of a policy, in which the last waiting request is served within seconds.
    convenience init(_ policy: PasswordPolicy) {
        let slots = max(policy.concurrentHashes, 1)
        self.init(slots: slots, waitingPlaces: 32 * slots)
    }

    /// The number of passwords hashed at once.
    var slots: Int { state.withLock { $0.slots } }

    /// The number of jobs that were started.
    var startedJobs: Int { state.withLock { $0.startedJobs } }

    /// A place in the queue.
    struct Place: Sendable {
        fileprivate let queue: PasswordHashingQueue
        fileprivate let network: String?

        /// Runs a job when it is this request's turn.
        func run<Value: Sendable>(_ job: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                queue.add({ continuation.resume(returning: job()) }, for: network)
            }
        }
    }

    /// Reserves a place for a request, and releases it after `body`.
    ///
    /// The place is reserved before anything is counted: a request that is refused because the queue is full costs no
    /// guess.
    ///
    /// - Parameters:
    ///   - origin: The origin of the request. All requests of unknown origin are one network.
    ///   - body: The operation that hashes a password.
    /// - Returns: The result of `body`.
    /// - Throws: ``AuthError``: `too-many-requests` if the queue has no place for this network; rethrows errors of
    ///   `body`.
    func withPlace<Value: Sendable>(
        for origin: RequestOrigin?,
        _ body: (Place) async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        let network = origin?.addressPrefix
        guard state.withLock({ $0.admit(network) }) else {
            throw AuthError(.tooManyRequests(retryAfter: .seconds(5)), "the queue for password hashing is full")
        }
        defer { state.withLock { $0.leave(network) } }
        return try await body(Place(queue: self, network: network))
    }

    private func add(_ job: @escaping Job, for network: String?) {
        let first: Job? = state.withLock { state in
            state.add(job, for: network)
            return state.start()
        }
        guard let first else { return }
        threads.async { [self] in
            first()
            while let next = state.withLock({ $0.finishAndStart() }) { next() }
        }
    }
}
