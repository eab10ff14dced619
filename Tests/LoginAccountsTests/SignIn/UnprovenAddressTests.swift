// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Unverified addresses with a password, in accounts that have other logins.
@Suite struct UnprovenAddressTests {
    private static let email = "victim@example.com"
    private static let password = "correct horse battery"

    private static let matching = AuthPolicy(linking: LinkPolicy(emailMatching: .verifiedBoth))

    /// Resets the password, as a reader of the address's mail can.
    private func reset(_ fixture: AuthFixture, to password: String) async throws {
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(token: #require(fixture.mail.token(.resetPassword)), to: password)
    }

    @Test(.rule("S-PRE-3", "S-PRE-8"), arguments: StoreUnderTest.all)
    func `a reset with a mistyped address does not give access to an account with other logins`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let signedIn = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let ada = try await signedIn.session.setPassword(Self.password, email: Self.email)
        let byPassword = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password))
            .get()
        try await fixture.addFactor(to: ada.account.id)
        try await reset(fixture, to: "another horse")

        let reader = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(reader.account.id != ada.account.id)
        #expect(reader.account.providerData.map(\.providerID) == [.password])
        #expect(reader.account.isEmailVerified && reader.account.enrolledFactors.isEmpty)
        let left = try await fixture.auth.account(ada.account.id)
        #expect(left.providerData.map(\.uid) == ["ada"] && left.email == "ada@example.com")
        #expect(left.enrolledFactors.count == 1)
        #expect(try await fixture.isOpen(ada.session))
        #expect(try await !fixture.isOpen(byPassword.session))
        #expect(try await fixture.audit("identity.unlinked") == 1)
        #expect(try await fixture.audit("policy.evicted") == 0)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-8"), arguments: StoreUnderTest.all)
    func `an account no longer has its unverified address after another user verified it`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let named = try await ada.session.setPassword(Self.password, email: Self.email)
        #expect(named.account.email == Self.email)
        try await reset(fixture, to: "another horse")
        #expect(try await fixture.auth.account(ada.account.id).email == nil)
    }

    @Test(.rule("S-PRE-3", "S-PRE-7"), arguments: StoreUnderTest.all)
    func `a reset takes over an account with only an unverified address, without its second factors`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.addFactor(to: made.account.id)
        try await reset(fixture, to: "another horse")
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.id == made.account.id && result.account.enrolledFactors.isEmpty)
        #expect(try await fixture.audit("policy.evicted") == 1)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-9"), arguments: StoreUnderTest.all)
    func `an account that verified an address takes the password for it from an account that has not`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await fixture.signIn(as: "eve", email: "eve@example.com")
        let squatting = try await eve.session.setPassword(Self.password, email: Self.email)
        let bob = try await fixture.signIn(as: "bob", email: "bob@example.com")
        await expectError(.emailAlreadyInUse) { try await bob.session.setPassword("another horse", email: Self.email) }
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        fixture.clock.advance(by: .milliseconds(1))
        let set = try await victim.session.setPassword("another horse")
        #expect(set.account.providerData.map(\.providerID) == [.google, .password])
        #expect(set.account.providerData.last?.isEmailVerified == true)
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.id == victim.account.id)
        #expect(try await fixture.auth.account(squatting.account.id).providerData.map(\.uid) == ["eve"])
        #expect(try await fixture.isOpen(squatting.session))
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-9"), arguments: StoreUnderTest.all)
    func `a password that is an account's only login is not taken by an account that verified its address`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        _ = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.signIn(as: "ada", email: "ada@example.com")
        // The provider reports another address of the same user.
        let ada = try await fixture.signIn(as: "ada", email: Self.email)
        #expect(ada.account.email == Self.email && ada.account.isEmailVerified)
        await expectError(.emailAlreadyInUse) { try await ada.session.setPassword("another horse") }
        let byPassword = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password))
            .get()
        // The reader of the mail gets this account, and no second account is created.
        try await reset(fixture, to: "another horse")
        #expect(try await !fixture.isOpen(byPassword.session))
        let reader = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(reader.account.id == byPassword.account.id && !reader.account.isEmailVerified)
        #expect(try await fixture.auth.account(ada.account.id).providerData.map(\.providerID) == [.google])
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-9"), arguments: StoreUnderTest.all)
    func `with e-mail matching, a reset sets the password on the account that verified the address`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.matching)
        let eve = try await fixture.signIn(as: "eve", email: "eve@example.com")
        _ = try await eve.session.setPassword(Self.password, email: Self.email)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        fixture.clock.advance(by: .milliseconds(1))
        try await reset(fixture, to: "another horse")
        let result = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(result.account.id == victim.account.id)
        #expect(result.account.providerData.map(\.providerID) == [.google, .password])
        #expect(try await !fixture.isOpen(victim.session))
        #expect(try await fixture.auth.account(eve.account.id).providerData.map(\.uid) == ["eve"])
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-EML-1", "S-PRE-9"), arguments: StoreUnderTest.all)
    func `without e-mail matching, a reset moves no password to the account that verified the address`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await fixture.signIn(as: "eve", email: "eve@example.com")
        let named = try await eve.session.setPassword(Self.password, email: Self.email)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        await expectError(.emailAlreadyInUse) { try await reset(fixture, to: "another horse") }
        #expect(try await fixture.auth.account(victim.account.id).providerData.map(\.providerID) == [.google])
        #expect(try await fixture.auth.account(eve.account.id).providerData.count == 2)
        #expect(try await fixture.isOpen(named.session))
        #expect(try await fixture.isOpen(victim.session))
        // The reader of the mail, whose account has verified the address, takes it over.
        fixture.clock.advance(by: .milliseconds(1))
        let set = try await victim.session.setPassword("another horse")
        #expect(set.account.providerData.map(\.providerID) == [.google, .password])
        #expect(try await fixture.auth.account(eve.account.id).providerData.map(\.uid) == ["eve"])
    }

    @Test(.rule("S-PRE-9"), arguments: StoreUnderTest.all)
    func `a reset moves no password to an account that has a password with another address`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: Self.matching)
        let eve = try await fixture.signIn(as: "eve", email: "eve@example.com")
        _ = try await eve.session.setPassword(Self.password, email: Self.email)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        _ = try await victim.session.setPassword(Self.password, email: "other@example.com")
        await expectError(.emailAlreadyInUse) { try await reset(fixture, to: "another horse") }
        #expect(try await fixture.auth.account(eve.account.id).providerData.count == 2)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a password keeps its address until it is unlinked`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let set = try await ada.session.setPassword(Self.password)
        let error = await expectError(.providerAlreadyLinked) {
            try await set.session.setPassword("another horse", email: "other@example.com")
        }
        #expect(error?.detail.contains("unlink") == true)
        _ = try await fixture.auth.signIn(with: .password(email: "ada@example.com", password: Self.password)).get()
        let again = try await set.session.setPassword("another horse", email: " ADA@example.com")
        let unlinked = try await again.session.unlink(fromProvider: .password)
        fixture.clock.advance(by: .milliseconds(1))
        let moved = try await unlinked.session.setPassword("a third horse", email: "other@example.com")
        #expect(moved.account.providerData.last?.uid == "other@example.com")
    }
}
