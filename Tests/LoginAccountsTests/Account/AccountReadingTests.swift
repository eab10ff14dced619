// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AccountReadingTests {
    @Test(.rule("S-SES-1"), arguments: StoreUnderTest.all)
    func `a session returns its account's current state while it is open`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        let account = try await fixture.auth.session(linked.tokens.sessionToken).account()
        #expect(account.id == ada.account.id)
        #expect(account.providerData.map(\.uid) == ["ada", "ada-a"])
        try await ada.session.closeKeepingTokens()
        await expectError(.invalidUserToken) { try await linked.session.account() }
    }

    @Test(.rule("R-MRG-8"), arguments: StoreUnderTest.all)
    func `the ID of a merged account resolves to the account it was merged into`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let target = try await fixture.signIn(as: "ada").account.id
        let source = AccountID(rawValue: "old")
        try await fixture.read { transaction in
            var old = AccountRecord(
                id: source,
                isAnonymous: false,
                createdAt: transaction.now,
                updatedAt: transaction.now
            )
            old.state = AccountState.merged.rawValue
            old.mergedInto = target
            try transaction.tables.rows.add(old)
        }
        let account = try await fixture.auth.account(source)
        #expect(account.id == target)
        #expect(account.resolvedFrom == source)
        #expect(try await fixture.auth.account(target).resolvedFrom == nil)
        await expectError(.userNotFound) { try await fixture.auth.account(AccountID(rawValue: "nobody")) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `an account is found by provider and subject, compared byte for byte`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "Ada")
        #expect(try await fixture.auth.account(providerID: .google, uid: "Ada").id == ada.account.id)
        for (provider, uid) in [(ProviderID.google, "ada"), (.apple, "Ada"), (.google, "")] {
            await expectError(.userNotFound) { try await fixture.auth.account(providerID: provider, uid: uid) }
        }
    }

    @Test(.rule("R-PDA-1", "R-PDA-3"), arguments: StoreUnderTest.all)
    func `logins are listed in the order in which they were linked`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(
            store.make(),
            policy: AuthPolicy(linking: LinkPolicy(emailMatching: .verifiedBoth))
        )
        try await fixture.signIn(as: "z", with: .google, email: "ada@example.com")
        fixture.clock.advance(by: .seconds(1))
        let result = try await fixture.signIn(as: "a", with: .apple, email: "ada@example.com")
        #expect(result.account.providerData.map(\.uid) == ["z", "a"])
        #expect(result.account.providerData.map(\.email) == ["ada@example.com", "ada@example.com"])
        #expect("\(result.account.providerData)".contains("ada") == false)
    }

    @Test(.rule("R-UNL-4", "R-PRM-2"), arguments: StoreUnderTest.all)
    func `each sign-in method of an account names the obstacle to its use`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada").account
        #expect(ada.usableSignInMethods.map(\.uid) == ["ada"])
        let later = try await AuthFixture(fixture.store, clock: fixture.clock) { $0.removeAll { $0.id == .google } }
        let without = try await later.auth.account(ada.id)
        #expect(without.usableSignInMethods.isEmpty)
        #expect(without.signInMethods.map(\.obstacle) == [.notConfigured])
        #expect("\(without.signInMethods)" == "[google: not-configured]")
        try await fixture.auth.revokeIdentity(providerID: .google, uid: "ada")
        #expect(try await fixture.auth.account(ada.id).signInMethods.map(\.obstacle) == [.revoked])
    }

    @Test(.rule("R-PDA-4", "R-UNL-4"), arguments: StoreUnderTest.all)
    func `an e-mail address without a password is neither a login nor a usable sign-in method`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.auth.createAccount(email: "ada@example.com", password: "correct horse")
        #expect(made.account.usableSignInMethods.map(\.providerID) == [.password])
        _ = try await fixture.read { try $0.tables.rows.delete(PasswordRecord.self) }
        let account = try await fixture.auth.account(made.account.id)
        #expect(account.providerData.isEmpty)
        #expect(account.signInMethods.map(\.obstacle) == [.withoutPassword])
    }

    @Test(.rule("R-PRM-1"), arguments: StoreUnderTest.all)
    func `a login's permissions are those that the provider reported last`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let credential = try await fixture.credential(as: "1", with: .facebook, email: "ada@example.com")
        let account = try await fixture.auth.signIn(with: credential).get().account
        let info = try #require(account.providerData.first)
        #expect(info.hasGranted("email"))
        #expect(!info.hasGranted("user_birthday"))
        #expect(info.permissions?.declined.isEmpty == true)
        try await fixture.auth.revoke("email", providerID: .facebook, uid: "1")
        let after = try #require(try await fixture.auth.account(account.id).providerData.first)
        #expect(!after.hasGranted("email"))
        #expect(after.permissions?.declined == ["email"])
        #expect(try await fixture.auth.account(account.id).usableSignInMethods.count == 1)
        #expect(try await fixture.signIn(as: "g").account.providerData.first?.permissions == nil)
    }

    @Test(.rule("R-PRM-2"), arguments: StoreUnderTest.all)
    func `a revoked login keeps its account, and is restored by a sign-in attempt that begins later`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let made = try await fixture.signIn(as: "1", with: .facebook)
        let before = try await fixture.credential(as: "1", with: .facebook)
        fixture.clock.advance(by: .seconds(1))
        try await fixture.auth.revokeIdentity(providerID: .facebook, uid: "1")
        await expectError(.invalidUserToken) { try await made.session.setPassword("correct horse") }
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: before).get() }
        #expect(try await fixture.auth.account(made.account.id).usableSignInMethods.isEmpty)
        fixture.clock.advance(by: .seconds(1))
        let again = try await fixture.signIn(as: "1", with: .facebook)
        #expect(again.account.id == made.account.id)
        #expect(again.account.usableSignInMethods.count == 1)
        // The provider's notice is late: it refers to a time before the new sign-in.
        try await fixture.auth.revokeIdentity(
            providerID: .facebook,
            uid: "1",
            at: fixture.clock.now.addingTimeInterval(-1)
        )
        #expect(try await fixture.auth.account(made.account.id).usableSignInMethods.count == 1)
        await expectError(.userNotFound) {
            try await fixture.auth.revokeIdentity(providerID: .facebook, uid: "2")
        }
    }
}
