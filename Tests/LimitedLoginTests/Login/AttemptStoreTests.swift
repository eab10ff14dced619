// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The in-memory store.
///
/// NonceLedgerTests tests the underlying ledger, LoginAttackTests the separation of attempts.
@Suite struct AttemptStoreTests {
    private let facebook = FacebookStandIn()

    private func bench(_ store: InMemoryAttemptStore) throws -> LoginBench { try LoginBench(facebook, attempts: store) }

    @Test func `a full store refuses new attempts, evicts none, and has room when one expires`() async throws {
        let bench = try bench(InMemoryAttemptStore(capacity: 2, clock: facebook.clock))
        let request = try LoginRequest.facebook(tracking: .limited)
        let first = try await bench.begin(request)
        facebook.clock.advance(by: .seconds(1))
        let second = try await bench.begin(request)
        await #expect(throws: AttemptStoreError.full) { try await bench.begin(request) }
        facebook.clock.advance(by: .seconds(598))
        _ = try success(try await bench.finish(try bench.answer(to: first)))
        await #expect(throws: AttemptStoreError.full) { try await bench.begin(request) }
        facebook.clock.advance(by: .seconds(1))
        _ = try await bench.begin(request)
        _ = try success(try await bench.finish(try bench.answer(to: second)))
    }

    @Test func `the lifetime of an attempt is 1 second to 10 minutes`() async throws {
        let bench = try bench(InMemoryAttemptStore(clock: facebook.clock))
        let request = try LoginRequest.facebook(tracking: .limited)
        for lifetime: Duration in [.zero, .milliseconds(999), .milliseconds(600_001), .seconds(-1)] {
            await #expect(throws: AttemptStoreError.lifetime) {
                try await bench.begin(request, lifetime: lifetime)
            }
        }
        for lifetime: Duration in [.seconds(1), .seconds(600)] {
            let url = try await bench.begin(request, lifetime: lifetime)
            facebook.clock.advance(by: lifetime)
            expectFailure(.expired, try await bench.finish(try bench.answer(to: url)))
        }
        #expect("\(AttemptStoreError.lifetime)".contains("1.0 seconds to 600.0 seconds"))
        #expect("\(AttemptStoreError.full)".contains("full"))
    }

    @Test func `an attempt is stored once, and another one with its ID does not replace it`() async throws {
        let store = InMemoryAttemptStore(clock: facebook.clock)
        let id = try #require(SignInAttempt.ID(bytes: Array(0..<32)))
        let (ada, eve) = (NonceBinding(secret: "the secret of Ada"), NonceBinding(secret: "the secret of Eve"))
        func attempt(_ sealed: [UInt8], of binding: NonceBinding) -> SignInAttempt {
            SignInAttempt(
                id: id,
                provider: .facebook,
                purpose: .signIn,
                binding: binding,
                sealed: sealed,
                lifetime: .seconds(60)
            )
        }
        try await store.insert(attempt([1, 2], of: ada))
        await #expect(throws: AttemptStoreError.known) { try await store.insert(attempt([1, 2], of: ada)) }
        await #expect(throws: AttemptStoreError.known) { try await store.insert(attempt([3], of: eve)) }
        #expect(await store.claim(id, purpose: .signIn, binding: eve) == .startedElsewhere)
        #expect(await store.claim(id, purpose: .signIn, binding: ada) == .claimed(sealed: [1, 2]))
        // It cannot be reused by inserting it again.
        await #expect(throws: AttemptStoreError.known) { try await store.insert(attempt([1, 2], of: ada)) }
        #expect(await store.claim(id, purpose: .signIn, binding: ada) == .replayed)
        #expect("\(AttemptStoreError.known)".contains("already"))
    }

    @Test func `a custom store can recreate an attempt from stored values`() async throws {
        let store = CopyingAttemptStore(clock: facebook.clock)
        let bench = try LoginBench(facebook, attempts: store)
        let url = try await bench.begin(try .facebook(tracking: .limited))
        _ = try success(try await bench.finish(try bench.answer(to: url)))
        for count in [0, 31, 33] {
            #expect(SignInAttempt.ID(bytes: [UInt8](repeating: 7, count: count)) == nil)
        }
        let bytes = [UInt8](repeating: 7, count: 32)
        #expect(SignInAttempt.ID(bytes: bytes)?.bytes == bytes)
    }

    @Test func `no text of a store shows its content`() async throws {
        let store = InMemoryAttemptStore(clock: facebook.clock)
        let url = try await bench(store).begin(try .facebook(tracking: .limited))
        var dumped = ""
        dump(store, to: &dumped)
        #expect(dumped.contains("attempts in memory"))
        #expect(try !dumped.contains(#require(parameters(of: url)["state"])))
    }
}

/// A store that keeps what a database would, and rebuilds attempts from it.
private struct CopyingAttemptStore: AttemptStore {
    private let store: InMemoryAttemptStore

    init(clock: any WallClock) { store = InMemoryAttemptStore(clock: clock) }

    func insert(_ attempt: SignInAttempt) async throws {
        guard let id = SignInAttempt.ID(bytes: attempt.id.bytes) else { throw Unsuccessful() }
        let copy = SignInAttempt(
            id: id,
            provider: attempt.provider,
            purpose: attempt.purpose,
            binding: attempt.binding,
            sealed: attempt.sealed,
            lifetime: attempt.lifetime
        )
        try await store.insert(copy)
    }

    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptClaim {
        guard let same = SignInAttempt.ID(bytes: id.bytes) else { throw Unsuccessful() }
        return await store.claim(same, purpose: purpose, binding: binding)
    }
}
