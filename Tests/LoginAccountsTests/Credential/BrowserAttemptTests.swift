// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Browser logins whose attempts are stored in the account store.
@Suite struct BrowserAttemptTests {
    /// Returns the binding to the browser that began an attempt; each attempt has its own secret.
    private static func owner(_ number: Int) -> NonceBinding { NonceBinding(secret: "the secret of attempt \(number)") }

    private static let ada = owner(1)
    private static let eve = NonceBinding(secret: "the cookie of Eve's browser")

    private static func id(_ number: Int) throws -> SignInAttempt.ID {
        try #require(
            SignInAttempt.ID(bytes: [UInt8](repeating: UInt8(number % 256), count: 31) + [UInt8(number / 256)])
        )
    }

    private static func attempt(
        _ number: Int,
        _ sealed: [UInt8] = [1, 2],
        purpose: NoncePurpose = .signIn,
        binding: NonceBinding? = nil,
        lifetime: Duration = .seconds(600)
    ) throws -> SignInAttempt {
        SignInAttempt(
            id: try id(number),
            provider: .google,
            purpose: purpose,
            binding: binding ?? owner(number),
            sealed: sealed,
            lifetime: lifetime
        )
    }

    @Test(.rule("S-CSR-1"), arguments: StoreUnderTest.all)
    func `an attempt is claimed once, on any server, and only with its binding and purpose`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (here, there) = (fixture.auth.attempts, fixture.otherServer.attempts)
        let id = try Self.id(1)
        try await here.insert(Self.attempt(1, [1, 2, 3]))
        #expect(try await there.claim(id, purpose: .signIn, binding: Self.eve) == .startedElsewhere)
        #expect(try await there.claim(id, purpose: .link(session: "s"), binding: Self.ada) == .startedElsewhere)
        #expect(try await there.claim(id, purpose: .signIn, binding: NonceBinding(secret: "")) == .startedElsewhere)
        #expect(try await there.claim(Self.id(2), purpose: .signIn, binding: Self.ada) == .unknown)
        #expect(try await there.claim(id, purpose: .signIn, binding: Self.ada) == .claimed(sealed: [1, 2, 3]))
        #expect(try await here.claim(id, purpose: .signIn, binding: Self.ada) == .replayed)
        #expect(try await here.claim(id, purpose: .signIn, binding: Self.eve) == .startedElsewhere)
    }

    @Test(.rule("S-CSR-3"), arguments: StoreUnderTest.all)
    func `an attempt to link is claimed only in the session in which it began`(_ store: StoreUnderTest) async throws {
        let attempts = try await AuthFixture(store.make()).auth.attempts
        try await attempts.insert(Self.attempt(1, purpose: .link(session: "one")))
        for purpose in [NoncePurpose.link(session: "other"), .reauthenticate(session: "one"), .signIn] {
            #expect(try await attempts.claim(Self.id(1), purpose: purpose, binding: Self.ada) == .startedElsewhere)
        }
        let taken = try await attempts.claim(Self.id(1), purpose: .link(session: "one"), binding: Self.ada)
        #expect(taken == .claimed(sealed: [1, 2]))
    }

    @Test(arguments: StoreUnderTest.all)
    func `an attempt is stored once, and claiming it deletes its sealed content`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempts = fixture.auth.attempts
        try await attempts.insert(Self.attempt(1, [7, 7]))
        await #expect(throws: AttemptStoreError.known) { try await attempts.insert(Self.attempt(1, [8])) }
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada) == .claimed(sealed: [7, 7]))
        await #expect(throws: AttemptStoreError.known) { try await attempts.insert(Self.attempt(1, [8])) }
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada) == .replayed)
        let kept = try await fixture.read { try $0.tables.rows.all(AttemptRecord.self) }
        #expect(kept.map(\.sealed) == [nil])
    }

    @Test(arguments: StoreUnderTest.all)
    func `an attempt expires after its lifetime, which is from one second to ten minutes`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let attempts = fixture.auth.attempts
        for lifetime: Duration in [.zero, .milliseconds(999), .milliseconds(600_001)] {
            await #expect(throws: AttemptStoreError.lifetime) {
                try await attempts.insert(Self.attempt(1, lifetime: lifetime))
            }
        }
        try await attempts.insert(Self.attempt(1, lifetime: .seconds(1)))
        try await attempts.insert(Self.attempt(2, lifetime: .seconds(600)))
        fixture.clock.advance(by: .milliseconds(999))
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.eve) == .startedElsewhere)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada) == .expired)
        fixture.clock.advance(by: .milliseconds(598_999))
        #expect(
            try await attempts.claim(Self.id(2), purpose: .signIn, binding: Self.owner(2)) == .claimed(sealed: [1, 2])
        )
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await attempts.claim(Self.id(2), purpose: .signIn, binding: Self.owner(2)) == .expired)
    }

    @Test(.rule("SWEEP-1"), arguments: StoreUnderTest.all)
    func `an attempt becomes unknown ten minutes after its expiry, and is swept`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let attempts = fixture.auth.attempts
        try await attempts.insert(Self.attempt(1, lifetime: .seconds(60)))
        fixture.clock.advance(by: .milliseconds(659_999))
        #expect(try await fixture.auth.sweep().removed["login_attempt"] == nil)
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada) == .expired)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada) == .unknown)
        #expect(try await fixture.auth.sweep().removed["login_attempt"] == 1)
        #expect(try await fixture.count(AttemptRecord.self) == 0)
    }

    @Test(.rule("E14"), arguments: StoreUnderTest.all, [2, 4])
    func `E14: of concurrent claims of one attempt on several servers, exactly one succeeds`(
        _ store: StoreUnderTest,
        _ count: Int
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let servers = [fixture.servers.one, fixture.servers.other]
        try await fixture.rounds { round in
            try await servers[0].attempts.insert(Self.attempt(round))
            let id = try Self.id(round)
            let results = await Race.run(
                (0..<count).map { index -> Race.Contender<AttemptClaim> in
                    let attempts = servers[index % 2].attempts
                    return { try await attempts.claim(id, purpose: .signIn, binding: Self.owner(round)) }
                }
            )
            #expect(Race.refusals(results) == [])
            let uses = Race.winners(results)
            #expect(uses.count { $0 == .claimed(sealed: [1, 2]) } == 1)
            #expect(uses.count { $0 == .replayed } == count - 1)
        }
    }

    @Test func `an unavailable store is reported as such, and not as an unknown attempt`() async throws {
        let attempts = Auth(store: SilentStore(), providers: .none, secrets: AuthFixture.secrets).attempts
        await expectError(.storeUnavailable) { try await attempts.insert(Self.attempt(1)) }
        await expectError(.storeUnavailable) {
            try await attempts.claim(Self.id(1), purpose: .signIn, binding: Self.ada)
        }
    }
}

/// A store that never responds.
private struct SilentStore: AccountStore {
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StoreError(.unavailable, "it does not answer")
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        throw StoreError(.unavailable, "it does not answer")
    }

    func migrate() async throws(StoreError) -> [String] { [] }
}
