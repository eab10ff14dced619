// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// An address that one account has without verification, and another account verifies.
@Suite struct NamedAddressTests {
    private static let email = "victim@example.com"
    private static let password = "correct horse battery"

    /// Signs in with Facebook, which is not trusted to verify addresses.
    private func name(_ fixture: AuthFixture, as subject: String = "eve") async throws -> AuthDataResult {
        try await fixture.signIn(as: subject, with: .facebook, email: Self.email)
    }

    private func shown(_ fixture: AuthFixture, _ account: AccountID) async throws -> String? {
        try await fixture.auth.account(account).email
    }

    @Test(.rule("S-PRE-1", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `verifying an address creates an account with it, even if another account names it unverified`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let eve = try await name(fixture)
        #expect(eve.account.email == Self.email && !eve.account.isEmailVerified)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        #expect(victim.outcome == .created && victim.account.id != eve.account.id)
        #expect(victim.account.email == Self.email && victim.account.isEmailVerified)
        #expect(victim.account.providerData.map(\.uid) == ["victim"])

        #expect(try await shown(fixture, eve.account.id) == nil)
        #expect(try await fixture.isOpen(eve.session))
        #expect(try await fixture.audit("email.changed") == 1)
        let data = Data(try await fixture.auth.exportPersonalData(of: eve.account.id))
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let account = try #require(object["account"] as? [String: Any])
        #expect(account["id"] as? String == eve.account.id.rawValue && account["email"] as? String == nil)
        // The login still signs in, and does not get the address back.
        let again = try await name(fixture)
        #expect(again.account.id == eve.account.id && again.account.email == nil)
        #expect(try await fixture.row(eve.account.id)?.email == nil)
        #expect(try await fixture.audit("email.changed") == 1)
        #expect(try await shown(fixture, victim.account.id) == Self.email)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-1", "S-PRE-3"), arguments: StoreUnderTest.all)
    func `a password set for an unverified address does not open the account that verifies the address`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let proof = try #require(fixture.mail.token(.verifyEmail))
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        #expect(victim.outcome == .created && victim.account.providerData.map(\.providerID) == [.google])
        let byPassword = try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password))
            .get()
        #expect(byPassword.account.id == eve.account.id && byPassword.account.email == nil)
        #expect(victim.account.id != eve.account.id)
        await expectError(.emailAlreadyInUse) { try await byPassword.session.verifyEmail(token: proof) }
        await expectError(.emailAlreadyInUse) {
            try await fixture.auth.createAccount(email: Self.email, password: "another horse")
        }
        #expect(try await shown(fixture, victim.account.id) == Self.email)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-9", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `a reset gives a password-only account to the owner of its address, who can merge it`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(token: #require(fixture.mail.token(.resetPassword)), to: "another horse")
        #expect(try await !fixture.isOpen(eve.session))
        #expect(try await fixture.isOpen(victim.session))
        #expect(try await fixture.audit("policy.evicted") == 1)
        await expectError(.wrongPassword) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
        let taken = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(taken.account.id == eve.account.id && !taken.account.isEmailVerified && taken.account.email == nil)
        let merged = try await fixture.auth.merge(from: taken.session, into: victim.session)
        #expect(merged.account.providerData.map(\.providerID).contains(.password))
        #expect(merged.account.email == Self.email && merged.account.isEmailVerified)
        let after = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(after.account.id == victim.account.id)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("S-PRE-10", "R-LNK-6"), arguments: StoreUnderTest.all)
    func `an address that is unverified in another account can be linked, also to an anonymous account`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let eve = try await name(fixture)
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("victim", with: .apple, email: Self.email, in: ada.session)
        #expect(linked.outcome == .linked && linked.account.email == Self.email)
        #expect(try await shown(fixture, eve.account.id) == nil)

        try await fixture.signIn(as: "1", with: .facebook, email: "guest@example.com")
        let guest = try await fixture.auth.signInAnonymously()
        let upgraded = try await fixture.link("guest", with: .google, email: "guest@example.com", in: guest.session)
        #expect(upgraded.outcome == .upgraded && upgraded.account.isEmailVerified)
    }

    @Test(.rule("S-PRE-6", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `an address that is unverified in a provider's login can be signed up with and verified`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await name(fixture)
        let victim = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        // Neither is verified yet, and both accounts show the address.
        #expect(victim.account.email == Self.email && !victim.account.isEmailVerified)
        #expect(try await shown(fixture, eve.account.id) == Self.email)
        let proven = try await victim.session.verifyEmail(token: #require(fixture.mail.token(.verifyEmail)))
        #expect(proven.account.email == Self.email && proven.account.isEmailVerified)
        #expect(try await shown(fixture, eve.account.id) == nil)
        #expect(try await fixture.auth.accounts(email: Self.email).map(\.id).contains(victim.account.id))
    }

    @Test(.rule("S-PRE-10"), arguments: StoreUnderTest.all)
    func `only one account can have a password for an unverified address, and a reset verifies it there`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let first = try await name(fixture, as: "1")
        let second = try await name(fixture, as: "2")
        #expect(first.account.id != second.account.id)
        let eve = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        for account in [first, second, eve] {
            #expect(try await shown(fixture, account.account.id) == Self.email)
        }
        await expectError(.emailAlreadyInUse) {
            try await fixture.auth.createAccount(email: Self.email, password: "another horse")
        }
        await expectError(.emailAlreadyInUse) {
            try await first.session.setPassword("another horse")
        }
        try await fixture.auth.sendPasswordReset(to: Self.email)
        try await fixture.auth.resetPassword(token: #require(fixture.mail.token(.resetPassword)), to: "another horse")
        let owner = try await fixture.auth.signIn(with: .password(email: Self.email, password: "another horse")).get()
        #expect(owner.account.isEmailVerified && owner.account.email == Self.email)
        for account in [first, second] { #expect(try await shown(fixture, account.account.id) == nil) }
        #expect(try await !fixture.isOpen(eve.session))
    }

    @Test(.rule("S-PRE-10", "R-SIG-5"), arguments: StoreUnderTest.all)
    func `a known login also verifies its new address, and the other account shows its next one`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let eve = try await name(fixture)
        let both = try await fixture.link(
            "eve",
            with: .google,
            email: "eve@example.com",
            isVerified: false,
            in: eve.session
        )
        #expect(both.account.email == Self.email)
        try await fixture.signIn(as: "victim", with: .apple, email: "old@example.com")
        let victim = try await fixture.signIn(as: "victim", with: .apple, email: Self.email)
        #expect(victim.account.email == Self.email && victim.account.isEmailVerified)
        #expect(try await shown(fixture, eve.account.id) == nil)
        #expect(try await name(fixture).account.email == "eve@example.com")
    }

    @Test(.rule("S-PRE-10"), arguments: StoreUnderTest.all)
    func `an unverified address is shown again after the account that verified it was deleted`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let eve = try await name(fixture)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        #expect(try await name(fixture).account.email == nil)
        try await fixture.auth.delete(victim.account.id)
        #expect(try await name(fixture).account.email == Self.email)
        #expect(try await fixture.signIn(as: "next", email: Self.email).outcome == .created)
        #expect(try await shown(fixture, eve.account.id) == nil)
    }

    @Test(.rule("R-LNK-6", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `a login that only names a verified address is a conflict, and is linked after a sign-in`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        try await fixture.signIn(as: "victim", email: Self.email)
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "eve", with: .facebook, email: Self.email)
        }
        let pending = conflict.pendingCredential
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        let linked = try await victim.session.link(with: .pending(pending))
        #expect(Set(linked.account.providerData.map(\.providerID)) == [.google, .facebook])
        #expect(linked.account.email == Self.email && linked.account.isEmailVerified)
    }

    @Test(.rule("S-PRE-1", "S-PRE-10"), arguments: StoreUnderTest.all)
    func `a disabled account with an unverified address is not taken over, and does not block its owner`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(emailMatching: .evictUnverified))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let eve = try await fixture.auth.createAccount(email: Self.email, password: Self.password)
        try await fixture.auth.disable(eve.account.id)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        #expect(victim.outcome == .created && victim.account.id != eve.account.id)
        #expect(try await fixture.audit("policy.evicted") == 0)
        await expectError(.userDisabled) {
            try await fixture.auth.signIn(with: .password(email: Self.email, password: Self.password)).get()
        }
    }

    @Test(.rule("S-PRE-10"), arguments: StoreUnderTest.all)
    func `if an address may belong to several accounts, none of them loses it`(_ store: StoreUnderTest) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(emailMatching: .verifiedBoth, oneAccountPerEmail: false))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let eve = try await name(fixture)
        let victim = try await fixture.signIn(as: "victim", email: Self.email)
        #expect(victim.outcome == .created)
        #expect(try await shown(fixture, eve.account.id) == Self.email)
        #expect(try await fixture.audit("email.changed") == 0)
        // The older account has the address unverified; the login is linked to the account that verified it.
        let joined = try await fixture.signIn(as: "x", with: .apple, email: Self.email)
        #expect(joined.outcome == .linked && joined.account.id == victim.account.id)
    }
}
