// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Password guesses: those that are counted, and the networks that are locked out.
@Suite struct PasswordGuessTests {
    private static let email = "ada@example.com"
    private static let right = AuthCredential.password(email: email, password: "correct horse battery")
    private static let wrong = AuthCredential.password(email: email, password: "wrong one")
    private static let home = RequestOrigin(address: "192.0.2.1")

    /// Returns a network that is not the user's.
    private static func stranger(_ number: Int) -> RequestOrigin { RequestOrigin(address: "198.51.\(number).1") }

    /// Creates accounts, in which Ada has signed up at home.
    private func fixture(_ store: StoreUnderTest, _ change: (inout AuthPolicy) -> Void = { _ in }) async throws
        -> AuthFixture
    {
        var policy = AuthPolicy()
        change(&policy)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        _ = try await fixture.auth.createAccount(email: Self.email, password: "correct horse battery", from: Self.home)
        return fixture
    }

    /// Guesses from other networks, ten times each, until one is refused; returns the number of guesses.
    private func lockForStrangers(_ fixture: AuthFixture) async throws -> Int {
        var count = 0
        for number in 1...20 {
            for _ in 1...10 {
                do {
                    _ = try await fixture.auth.signIn(with: Self.wrong, from: Self.stranger(number)).get()
                } catch  where error.code == .tooManyRequests {
                    return count
                } catch {
                    #expect(error.code == .wrongPassword)
                    count += 1
                }
            }
        }
        return count
    }

    @Test(.rule("LIMIT-10"), arguments: StoreUnderTest.all)
    func `a request that is refused for a full queue counts neither as an attempt nor as a message`(
        _ store: StoreUnderTest
    ) async throws {
        var fixture = try await fixture(store)
        fixture.auth.passwordHashing = PasswordHashingQueue(slots: 1, waitingPlaces: 0)
        let auth = fixture.auth
        let before: [BudgetRecord] = try await fixture.read { try $0.tables.rows.all() }
        try await auth.passwordHashing.withPlace(for: nil) { _ throws(AuthError) in
            for _ in 1...20 {
                let refused = await expectError(.tooManyRequests) {
                    try await auth.signIn(with: Self.right, from: Self.home).get()
                }
                #expect(refused?.retryAfter == .seconds(5))
                await expectError(.tooManyRequests) {
                    try await auth.createAccount(email: "bob@example.com", password: "a new horse", from: Self.home)
                }
            }
        }
        let after: [BudgetRecord] = try await fixture.read { try $0.tables.rows.all() }
        #expect(Set(after.map(\.key)) == Set(before.map(\.key)))
        #expect(after.map(\.count).reduce(0, +) == before.map(\.count).reduce(0, +))
        _ = try await auth.signIn(with: Self.right, from: Self.home).get()
        _ = try await auth.createAccount(email: "bob@example.com", password: "a new horse", from: Self.home)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a new password without a place in the queue is not set, and its reset token remains valid`(
        _ store: StoreUnderTest
    )
        async throws
    {
        var fixture = try await fixture(store)
        fixture.auth.passwordHashing = PasswordHashingQueue(slots: 1, waitingPlaces: 0)
        let auth = fixture.auth
        let session = try await auth.signIn(with: Self.right, from: Self.home).get().session
        try await auth.sendPasswordReset(to: Self.email, from: Self.home)
        let token = try #require(fixture.mail.token(.resetPassword))
        try await auth.passwordHashing.withPlace(for: nil) { _ throws(AuthError) in
            await expectError(.tooManyRequests) { try await session.setPassword("another horse", from: Self.home) }
            await expectError(.tooManyRequests) {
                try await auth.resetPassword(token: token, to: "another horse", from: Self.home)
            }
        }
        _ = try await auth.signIn(with: Self.right, from: Self.home).get()
        try await auth.resetPassword(token: token, to: "another horse", from: Self.home)
    }

    @Test(.rule("LIMIT-11"), arguments: StoreUnderTest.all)
    func `attempts from many other networks do not lock the owner out of a known network`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        #expect(try await lockForStrangers(fixture) == 80)
        await expectError(.tooManyRequests) {
            try await fixture.auth.signIn(with: Self.right, from: RequestOrigin(address: "203.0.113.1")).get()
        }
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: Self.right).get() }
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.home).get()
        // A neighbour in the user's network guesses ten times, the limit for any network.
        for _ in 1...10 {
            await expectError(.wrongPassword) { try await fixture.auth.signIn(with: Self.wrong, from: Self.home).get() }
        }
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: Self.right, from: Self.home).get() }
        fixture.clock.advance(by: .seconds(900))
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.home).get()
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.stranger(1)).get()
    }

    @Test(.rule("LIMIT-11"), arguments: StoreUnderTest.all)
    func `an address allows a hundred password attempts from all networks together`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store)
        let known = (1...3).map { RequestOrigin(address: "192.0.\($0).1") }
        for origin in known { _ = try await fixture.auth.signIn(with: Self.right, from: origin).get() }
        var count = 0
        for origin in known {
            for _ in 1...10 {
                do {
                    _ = try await fixture.auth.signIn(with: Self.wrong, from: origin).get()
                } catch {
                    count += error.code == .wrongPassword ? 1 : 0
                }
            }
        }
        #expect(count == 20)
        #expect(try await lockForStrangers(fixture) == 80)
    }

    @Test(.rule("LIMIT-11"), arguments: StoreUnderTest.all)
    func `a network is known for 30 days after its last session was used, even if the session was closed`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store) { $0.passwords.attemptsPerAddressFromUnknownNetworks = 10 }
        let session = try await fixture.auth.signIn(with: Self.right, from: Self.home).get().session
        try await session.signOut()
        fixture.clock.advance(by: .seconds(30 * 86400 - 1))
        #expect(try await lockForStrangers(fixture) == 10)
        await expectError(.wrongPassword) { try await fixture.auth.signIn(with: Self.wrong, from: Self.home).get() }
        fixture.clock.advance(by: .seconds(1))
        await expectError(.tooManyRequests) { try await fixture.auth.signIn(with: Self.right, from: Self.home).get() }
        fixture.clock.advance(by: .seconds(900))
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.home).get()
    }

    @Test(.rule("LIMIT-11"), arguments: StoreUnderTest.all)
    func `the networks of an evicted account holder are not known to the account`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.passwords.attemptsPerAddressFromUnknownNetworks = 10
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let others = "the password of a stranger"
        _ = try await fixture.auth.createAccount(email: Self.email, password: others, from: Self.stranger(1))
        try await fixture.auth.sendPasswordReset(to: Self.email, from: Self.home)
        let token = try #require(fixture.mail.token(.resetPassword))
        try await fixture.auth.resetPassword(token: token, to: "correct horse battery")
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.home).get()
        #expect(try await lockForStrangers(fixture) == 10)
        _ = try await fixture.auth.signIn(with: Self.right, from: Self.home).get()
    }

    @Test(.rule("LIMIT-11", "S-ENU-1"), arguments: StoreUnderTest.all)
    func `an unknown address allows as many attempts from a network as a known one`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store)
        let unknown = AuthCredential.password(email: "nobody@example.com", password: "wrong one")
        for credential in [unknown, Self.wrong] {
            for _ in 1...10 {
                await expectError(.wrongPassword) {
                    try await fixture.auth.signIn(with: credential, from: Self.home).get()
                }
            }
            await expectError(.tooManyRequests) {
                try await fixture.auth.signIn(with: credential, from: Self.home).get()
            }
        }
    }
}
