// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct ConflictTests {
    @Test(.rule("R-LNK-5", "R-CON-1", "R-CON-2"), arguments: StoreUnderTest.all)
    func `linking a login of another account is a conflict that changes neither account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        let before = try await fixture.everything()
        let error = await expectError(.credentialAlreadyInUse) {
            try await fixture.link("bob", with: .apple, in: ada.session)
        }
        #expect(error?.ownerID == bob.account.id)
        #expect(error?.pendingCredential?.providerID == .apple)
        #expect(error?.pendingCredential?.email == nil)
        #expect(error?.publicMessage.contains(bob.account.id.rawValue) == false)
        #expect(error?.description.contains(bob.account.id.rawValue) == false)
        let after = try await fixture.everything()
        for table in [IdentityRecord.table, IdentityKeyRecord.table, SessionRecord.table, EmailRecord.table] {
            #expect(after[table.name] == before[table.name])
        }
        #expect(try await fixture.audit("identity.conflict") == 1)
    }

    @Test(.rule("R-CON-3"), arguments: StoreUnderTest.all)
    func `a conflict does not reveal that the other account is disabled`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        try await fixture.auth.disable(bob.account.id)
        let error = await expectError(.credentialAlreadyInUse) {
            try await fixture.link("bob", with: .apple, in: ada.session)
        }
        #expect(error?.pendingCredential != nil)
    }

    @Test(.rule("R-LNK-6", "R-CON-1"), arguments: StoreUnderTest.all)
    func `a login with another account's e-mail address is refused, and linked with a different address`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let bob = try await fixture.signIn(as: "bob", email: "bob@example.com")
        let ada = try await fixture.signIn(as: "ada", with: .facebook)
        let error = await expectError(.emailAlreadyInUse) {
            try await fixture.link("ada-a", with: .apple, email: "bob@example.com", in: ada.session)
        }
        #expect(error?.pendingCredential?.email == "bob@example.com")
        #expect(error?.ownerID == bob.account.id)
        let linked = try await fixture.link("ada-a", with: .apple, email: "ada@example.com", in: ada.session)
        #expect(linked.outcome == .linked)
    }

    @Test(.rule("R-LNK-6"), arguments: StoreUnderTest.all)
    func `a login with another account's e-mail address is linked if accounts may share addresses`(
        _ store: StoreUnderTest
    ) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(oneAccountPerEmail: false))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        try await fixture.signIn(as: "bob", email: "bob@example.com")
        let ada = try await fixture.signIn(as: "ada", with: .facebook)
        let linked = try await fixture.link("ada-a", with: .apple, email: "bob@example.com", in: ada.session)
        #expect(linked.outcome == .linked)
    }

    @Test(.rule("R-CON-4", "R-CON-5"), arguments: StoreUnderTest.all)
    func `a pending credential signs in once, without the provider`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob", with: .apple)
        let error = await expectError(.credentialAlreadyInUse) {
            try await fixture.link("bob", with: .apple, in: ada.session)
        }
        let pending = try #require(error?.pendingCredential)
        #expect(try await fixture.auth.signIn(with: .pending(pending)).get().account.id == bob.account.id)
        await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
        #expect(try await fixture.isOpen(ada.session))
    }

    @Test(.rule("R-CON-4"), arguments: StoreUnderTest.all)
    func `a pending credential expires after ten minutes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.signIn(as: "bob", with: .apple)
        for (seconds, isGood) in [(599, true), (600, false)] {
            let recent = try await fixture.reauthenticate("ada", in: ada.session)
            let error = await expectError(.credentialAlreadyInUse) {
                try await fixture.link("bob", with: .apple, in: recent.session)
            }
            let pending = try #require(error?.pendingCredential)
            fixture.clock.advance(by: .seconds(seconds))
            if isGood {
                _ = try await fixture.auth.signIn(with: .pending(pending)).get()
            } else {
                await expectError(.invalidCredential) { try await fixture.auth.signIn(with: .pending(pending)).get() }
            }
        }
    }

    @Test(.rule("R-CON-6"), arguments: StoreUnderTest.all)
    func `a pending credential is linked by a session opened after the conflict, and by no older one`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        fixture.clock.advance(by: .seconds(1))
        // The recommended reaction to this code: sign in as before, then link the pending credential.
        let conflict = try await expectConflict {
            try await fixture.outcome(as: "ada-a", with: .apple, email: "ada@example.com")
        }
        let pending = conflict.pendingCredential
        await expectError(.invalidCredential) { try await ada.session.link(with: .pending(pending)) }
        let again = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let linked = try await again.session.link(with: .pending(pending))
        #expect(linked.outcome == .linked)
        #expect(linked.account.id == ada.account.id)
        await expectError(.invalidCredential) { try await again.session.link(with: .pending(pending)) }
    }
}
