// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// An operator takes logins from an account, without a session.
@Suite struct OperatorUnlinkTests {
    private static let password = "correct horse battery"

    @Test(.rule("R-UNL-1", "R-UNL-6", "R-UNL-10", "AUDIT-1"), arguments: StoreUnderTest.all)
    func `an operator unlinks a login of a disabled account, and the sessions that it opened are closed`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("eve", with: .apple, in: ada.session)
        let eve = try await fixture.signIn(as: "eve", with: .apple)
        #expect(eve.account.id == ada.account.id)
        #expect(try await fixture.auth.unlink(.apple, uid: "eve", from: ada.account.id) == 1)
        #expect(try await !fixture.isOpen(eve.session))
        #expect(try await fixture.isOpen(ada.session))
        let events = try await fixture.auth.audit(of: ada.account.id)
        let event = try #require(events.first { $0.action == .identityUnlinked })
        #expect(event.actor == .service && event.sessionID == nil && event.subject["provider"] == "apple")
        #expect(try await fixture.signIn(as: "eve", with: .apple).account.id != ada.account.id)
        try await fixture.auth.disable(ada.account.id)
        await expectError(.noSuchProvider) { try await fixture.auth.unlink(.apple, from: ada.account.id) }
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("R-UNL-10"), arguments: StoreUnderTest.all)
    func `an operator's unlink closes the sessions that a login had opened which was unlinked earlier`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("eve", with: .apple, in: ada.session)
        try await fixture.link("eve-f", with: .facebook, in: ada.session)
        let eve = try await fixture.signIn(as: "eve", with: .apple)
        let kept = try await eve.session.unlink(fromProvider: .apple)
        #expect(try await fixture.isOpen(kept.session))
        #expect(try await fixture.auth.unlink(.facebook, from: ada.account.id) == 1)
        #expect(try await !fixture.isOpen(kept.session))
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(kept.tokens.refreshToken) }
        #expect(try await fixture.isOpen(ada.session))
    }

    @Test(.rule("R-UNL-1", "R-UNL-10"), arguments: StoreUnderTest.all)
    func `an unlinked password neither signs in nor is reset, and its sessions are closed`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        _ = try await ada.session.setPassword(Self.password, email: "ada@example.com")
        let byPassword = AuthCredential.password(email: "ada@example.com", password: Self.password)
        let opened = try await fixture.auth.signIn(with: byPassword).get()
        #expect(try await fixture.auth.unlink(.password, from: ada.account.id) == 1)
        #expect(try await !fixture.isOpen(opened.session))
        await expectError(.wrongPassword) { try await fixture.auth.signIn(with: byPassword) }
        #expect(try await fixture.count(PasswordRecord.self) == 0)
        #expect(try await fixture.auth.account(ada.account.id).email == "ada@example.com")
    }

    @Test(.rule("R-UNL-3", "R-UNL-4", "R-UNL-10"), arguments: StoreUnderTest.all)
    func `the last login that was not revoked is unlinked only by force, which disables the account`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        try await fixture.auth.revokeIdentity(providerID: .apple, uid: "ada-a")
        let before = try await fixture.everything()
        await expectError(.lastProvider) { try await fixture.auth.unlink(.google, from: ada.account.id) }
        #expect(try await fixture.everything() == before)
        #expect(try await fixture.auth.unlink(.apple, from: ada.account.id) == 0)
        #expect(try await fixture.auth.account(ada.account.id).isDisabled == false)
        #expect(try await fixture.auth.unlink(.google, from: ada.account.id, evenIfLast: true) == 1)
        let account = try await fixture.auth.account(ada.account.id)
        #expect(account.isDisabled && account.providerData.isEmpty)
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("R-UNL-10"), arguments: StoreUnderTest.all)
    func `an operator's unlink reports whether the account is disabled, before and after`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        func unlink(_ provider: ProviderID) async throws -> (closedSessions: Int, isDisabled: Bool) {
            try await fixture.auth.unlinkAndReport(provider, uid: nil, from: ada.account.id, evenIfLast: true)
        }
        for uid in ["ada-a", "ada-b"] {
            try await fixture.link(uid, with: .apple, in: ada.session)
            if uid == "ada-b" { try await fixture.auth.disable(ada.account.id) }
            let report = try await unlink(.apple)
            #expect(report.closedSessions == 0 && report.isDisabled == (uid == "ada-b"))
        }
        try await fixture.auth.enable(ada.account.id)
        #expect(try await unlink(.google).isDisabled)
    }

    @Test(.rule("R-UNL-5", "R-UNL-10"), arguments: StoreUnderTest.all)
    func `of several logins of a provider one is named, and a login of a provider that is switched off counts`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(identitiesPerProvider: .many))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-2", with: .google, in: ada.session)
        let operators = Auth(store: fixture.store, providers: .none, secrets: AuthFixture.secrets, clock: fixture.clock)
        await expectError(.ambiguousProvider) { try await operators.unlink(.google, from: ada.account.id) }
        await expectError(.noSuchProvider) { try await operators.unlink(.google, uid: "a\0b", from: ada.account.id) }
        try await operators.unlink(.google, uid: "ada", from: ada.account.id)
        await expectError(.lastProvider) { try await operators.unlink(.google, from: ada.account.id) }
        await expectError(.userNotFound) { try await operators.unlink(.google, from: AccountID(rawValue: "nobody")) }
    }
}
