// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// The claims and permissions of the latest sign-in, stored with the login.
@Suite(.rule("R-PDA-6")) struct StoredIdentityTests {
    private func signIn(_ fixture: AuthFixture, gender: TestJSON?) async throws -> AuthDataResult {
        let credential = try await fixture.credential(as: "1", with: .facebook, email: "ada@example.com") {
            $0.claims["user_gender"] = gender
        }
        return try await fixture.auth.signIn(with: credential).get()
    }

    private func row(of result: AuthDataResult, _ fixture: AuthFixture) async throws -> IdentityRecord {
        let rows = try await fixture.read { try $0.tables.identities.of(result.account.id) }
        return try #require(rows.first)
    }

    private func damage(_ login: IdentityRecord, _ fixture: AuthFixture) async throws {
        let content = AuthFixture.secrets.seal(Array("no JSON".utf8), login: login.id)
        _ = try await fixture.read { transaction in
            var changed = login
            changed.profile = content
            return try transaction.tables.identities.save(changed, from: login)
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `the profile of the latest sign-in is stored encrypted, and read with the session`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let first = try await signIn(fixture, gender: "of my own")
        let stored = try #require(try await first.session.storedIdentity())
        #expect(stored.profile == first.identity?.profile && stored.profile?.gender == "of my own")
        #expect(stored.permissions?.granted == [.email, .userGender] && stored.permissionSource == .token)
        #expect(stored.token == nil && stored.providerTokens == nil)
        let sealed = try #require(try await row(of: first, fixture).profile)
        #expect(Data(sealed).range(of: Data("of my own".utf8)) == nil)
        // The next sign-in replaces it, for the sessions before it too.
        let second = try await signIn(fixture, gender: "another")
        #expect(try await first.session.storedIdentity()?.profile == second.identity?.profile)
        #expect(try await second.session.storedIdentity()?.profile?.gender == "another")
        // A session without a provider has none.
        #expect(try await fixture.auth.signInAnonymously().session.storedIdentity() == nil)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a token with fewer claims leaves the stored profile, unless its login requested them`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let ada = try await signIn(fixture, gender: "of my own")
        func token() async throws -> AuthCredential {
            try await fixture.credential(as: "1", with: .facebook, for: .reauthenticate(ada.session))
        }
        let again = try await ada.session.reauthenticate(with: token())
        #expect(again.account.email == "ada@example.com" && again.identity?.profile?.email == nil)
        let stored = try #require(try await ada.session.storedIdentity()?.profile)
        #expect(stored.gender == "of my own" && stored.email == "ada@example.com")
        _ = try await ada.session.reauthenticate(with: token(), requesting: [.userGender])
        let asked = try #require(try await ada.session.storedIdentity()?.profile)
        #expect(asked.gender == nil && asked.email == "ada@example.com")
    }

    @Test(arguments: StoreUnderTest.all)
    func `a revoked permission takes its claims out of the stored profile`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let ada = try await signIn(fixture, gender: "of my own")
        try await fixture.auth.revoke(.userGender, providerID: .facebook, uid: "1")
        let stored = try #require(try await ada.session.storedIdentity())
        #expect(stored.profile?.gender == nil && stored.profile?.email == "ada@example.com")
        #expect(stored.permissions == PermissionStatuses(granted: [.email], declined: [.userGender]))
    }

    @Test(arguments: StoreUnderTest.all)
    func `a revoked permission takes the e-mail address, the name and the picture from the login and its account`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(
            with: fixture.credential(as: "1", with: .facebook, email: "ada@example.com") {
                $0.claims["name"] = "Ada"
                $0.claims["picture"] = "https://example.com/ada.png"
            }
        ).get()
        #expect(ada.account.email == "ada@example.com")
        #expect(ada.account.displayName == "Ada" && ada.account.photoURL == "https://example.com/ada.png")
        try await fixture.auth.revoke(.email, providerID: .facebook, uid: "1")
        let nameless = try await ada.session.account()
        #expect(nameless.email == nil && nameless.providerData.first?.email == nil)
        #expect(nameless.displayName == "Ada" && nameless.photoURL == "https://example.com/ada.png")
        try await fixture.auth.revoke(.publicProfile, providerID: .facebook, uid: "1")
        let bare = try await ada.session.account()
        #expect(bare.displayName == nil && bare.photoURL == nil)
        let login = try #require(bare.providerData.first)
        #expect(login.displayName == nil && login.photoURL == nil)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(arguments: StoreUnderTest.all)
    func `a revoked permission leaves what the user has set and what another login gave`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(
            with: fixture.credential(as: "1", with: .facebook, email: "ada@example.com") { $0.claims["name"] = "Ada" }
        ).get()
        try await ada.session.updateProfile(displayName: "Countess")
        _ = try await ada.session.link(
            with: fixture.credential(as: "g", with: .google, email: "ada@work.example", for: .link(ada.session))
        )
        for permission in [Permission.email, .publicProfile] {
            try await fixture.auth.revoke(permission, providerID: .facebook, uid: "1")
        }
        let account = try await fixture.auth.account(ada.account.id)
        #expect(account.displayName == "Countess" && account.email == "ada@work.example")
    }

    @Test(arguments: StoreUnderTest.all)
    func `a revoked permission takes the whole stored profile if the provider is no longer configured`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(storesProfiles: true)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await signIn(fixture, gender: "of my own")
        let later = try await AuthFixture(fixture.store, policy: policy, clock: fixture.clock) { providers in
            providers.removeAll { $0.id == .facebook }
        }
        try await later.auth.revoke(.userGender, providerID: .facebook, uid: "1")
        #expect(try await row(of: ada, fixture).profile == nil)
        #expect(try await ada.session.account().email == nil)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a sign-in replaces a stored profile that is damaged`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let first = try await signIn(fixture, gender: "of my own")
        try await damage(row(of: first, fixture), fixture)
        let again = try await signIn(fixture, gender: "another")
        #expect(try await again.session.storedIdentity()?.profile?.gender == "another")
    }

    @Test(arguments: StoreUnderTest.all)
    func `an account with a damaged stored profile is read without it, and its export says so`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let ada = try await signIn(fixture, gender: "of my own")
        #expect(try await ada.session.accountWithIdentities().stored.map { $0.uid } == ["1"])
        try await damage(row(of: ada, fixture), fixture)
        let (account, stored) = try await ada.session.accountWithIdentities()
        #expect(account.id == ada.account.id && stored.isEmpty)
        #expect(try await ada.session.storedIdentity() == nil)
        let bytes = try await fixture.auth.exportPersonalData(of: account.id)
        let login = try #require(try JSONDocument.read(bytes).root["logins"]?.elements?.first)
        #expect(login["claims"] == nil && login["hasUnreadableClaims"]?.boolean == true)
    }

    @Test(arguments: StoreUnderTest.all)
    func `the stored profile is deleted when the login is revoked, and with the account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let first = try await signIn(fixture, gender: "of my own")
        fixture.clock.advance(by: .seconds(1))
        try await fixture.auth.revokeIdentity(providerID: .facebook, uid: "1")
        #expect(try await row(of: first, fixture).profile == nil)
        #expect(try await first.session.storedIdentity() == nil)
        fixture.clock.advance(by: .seconds(1))
        let again = try await signIn(fixture, gender: "of my own")
        #expect(try await again.session.storedIdentity() != nil)
        try await fixture.auth.delete(again.account.id)
        #expect(try await again.session.storedIdentity() == nil)
        #expect(try await fixture.count(IdentityRecord.self) == 0)
    }

    @Test(arguments: StoreUnderTest.all)
    func `a profile is stored only if the policy says so, and otherwise deleted at the next sign-in`(
        _ store: StoreUnderTest
    ) async throws {
        var fixture = try await AuthFixture(store.make())
        let result = try await signIn(fixture, gender: "of my own")
        #expect(try await row(of: result, fixture).profile == nil)
        fixture.auth.policy.storesProfiles = true
        #expect(try await row(of: signIn(fixture, gender: "of my own"), fixture).profile != nil)
        fixture.auth.policy.storesProfiles = false
        #expect(try await row(of: signIn(fixture, gender: "of my own"), fixture).profile == nil)
    }

    @Test func `a stored profile is decrypted with its key after a rotation, and only for its login`() throws {
        let keys = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        let old = try AccountSecrets([keys[0]])
        let sealed = old.seal(Array("claims".utf8), login: "a")
        #expect(try AccountSecrets([keys[1], keys[0]]).open(sealed, login: "a") == Array("claims".utf8))
        #expect(try AccountSecrets([keys[1]]).open(sealed, login: "a") == nil)
        #expect(old.open(sealed, login: "b") == nil && old.open(sealed, context: "a") == nil)
    }

    @Test(arguments: StoreUnderTest.all)
    func `after a key rotation, stored profiles are encrypted again, and the old key can be removed`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(storesProfiles: true)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await signIn(fixture, gender: "of my own")
        let new = [UInt8](repeating: 8, count: 32)
        let alone = fixture.with(policy, secrets: try AccountSecrets([new]))
        #expect(try await AccountInvariants.violations(in: fixture.store, secrets: AuthFixture.secrets) == [])
        let unread = "a row of login_identity cannot be read: no key decrypts its stored profile"
        #expect(try await AccountInvariants.violations(in: fixture.store, secrets: alone.auth.secrets) == [unread])
        let error = await expectError(.internalError) { try await alone.auth.reseal() }
        #expect(error?.detail.contains("0 factors and 1 stored profiles") == true)
        let both = fixture.with(policy, secrets: try AccountSecrets([new, [UInt8](repeating: 7, count: 32)]))
        #expect(try await both.auth.reseal() == (0, 1))
        #expect(try await both.auth.reseal() == (0, 0))
        #expect(try await AccountInvariants.violations(in: fixture.store, secrets: alone.auth.secrets) == [])
        let bytes = try await alone.auth.exportPersonalData(of: ada.account.id)
        let login = try #require(try JSONDocument.read(bytes).root["logins"]?.elements?.first)
        #expect(login["claims"]?["user_gender"]?.string == "of my own")
    }

    @Test(.rule("PERSONAL-1"), arguments: StoreUnderTest.all)
    func `a personal data export contains the stored claims`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(storesProfiles: true))
        let result = try await signIn(fixture, gender: "of my own")
        let bytes = try await fixture.auth.exportPersonalData(of: result.account.id)
        let login = try #require(try JSONDocument.read(bytes).root["logins"]?.elements?.first)
        #expect(login["claims"]?["user_gender"]?.string == "of my own")
        #expect(login["hasUnreadableClaims"]?.boolean == false)
    }
}
