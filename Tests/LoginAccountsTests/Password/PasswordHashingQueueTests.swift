// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Dispatch
import Foundation
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite(.timeLimit(.minutes(10))) struct PasswordHashingQueueTests {
    /// A job that blocks its thread until it is released.
    private final class Blocked: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let starts = AsyncStream.makeStream(of: Void.self)

        var job: @Sendable () -> Int {
            {
                self.starts.continuation.yield()
                self.gate.wait()
                return 1
            }
        }

        func release() { gate.signal() }

        func waitUntilStarted() async { for await _ in starts.stream { return } }
    }

    private let home = RequestOrigin(address: "192.0.2.1")

    @Test(.rule("LIMIT-9")) func `a request without a place in the queue is refused, and one with a place is served`()
        async throws
    {
        let queue = PasswordHashingQueue(slots: 1, waitingPlaces: 1)
        let blocked = Blocked()
        let first = Task { try await queue.withPlace(for: home) { await $0.run(blocked.job) } }
        await blocked.waitUntilStarted()
        // From here on the place of the second network is reserved, although its job has not been added.
        let other = RequestOrigin(address: "198.51.100.1")
        let second = try await queue.withPlace(for: other) { place throws(AuthError) in
            let error = await expectError(.tooManyRequests) {
                try await queue.withPlace(for: RequestOrigin(address: "203.0.113.1")) { await $0.run { 0 } }
            }
            #expect(error?.retryAfter == .seconds(5))
            blocked.release()
            return await place.run { 2 }
        }
        #expect(second == 2)
        #expect(try await first.value == 1)
        #expect(try await queue.withPlace(for: nil) { await $0.run { 7 } } == 7)
        #expect(queue.startedJobs == 3)
    }

    @Test func `a place is released if its request fails before its turn`() async throws {
        let queue = PasswordHashingQueue(slots: 1, waitingPlaces: 0)
        for _ in 1...3 {
            await expectError(.wrongPassword) {
                try await queue.withPlace(for: home) { _ throws(AuthError) in throw AuthError(.wrongPassword, "") }
            }
        }
        #expect(try await queue.withPlace(for: home) { await $0.run { 7 } } == 7)
    }

    @Test func `the policy sets the number of concurrent hashes, by default at most four`() throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        #expect(PasswordPolicy().concurrentHashes == min(max(cores / 2, 1), 4))
        var policy = AuthPolicy()
        for (said, slots) in [(7, 7), (1, 1), (0, 1), (-1, 1)] {
            policy.passwords.concurrentHashes = said
            let auth = Auth(
                store: InMemoryAccountStore(),
                providers: .none,
                secrets: AccountSecrets(repeating: 1),
                policy: policy
            )
            #expect(auth.passwordHashing.slots == slots)
        }
    }

    @Test func `a cancelled request does not keep others from being served`() async throws {
        let queue = PasswordHashingQueue(slots: 1, waitingPlaces: 2)
        let blocked = Blocked()
        let first = Task { try await queue.withPlace(for: home) { await $0.run(blocked.job) } }
        await blocked.waitUntilStarted()
        let second = Task { try await queue.withPlace(for: nil) { await $0.run { 2 } } }
        first.cancel()
        second.cancel()
        blocked.release()
        #expect(try await first.value == 1)
        #expect(try await second.value == 2)
        #expect(try await queue.withPlace(for: home) { await $0.run { 3 } } == 3)
    }
}
