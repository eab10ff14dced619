// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct LinkTests {
    @Test(.rule("R-LNK-1", "R-LNK-2"), arguments: StoreUnderTest.all)
    func `a linked login and the first login sign in to the same account`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        #expect(linked.outcome == .linked)
        #expect(linked.account.id == ada.account.id)
        #expect(linked.account.providerData.map(\.providerID) == [.google, .apple])
        #expect(try await fixture.signIn(as: "ada").account.id == ada.account.id)
        #expect(try await fixture.signIn(as: "ada-a", with: .apple).account.id == ada.account.id)
        #expect(try await fixture.audit("identity.linked") == 1)
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a link runs as many statements for an account with many closed sessions as for one without`(
        _ kind: StoreUnderTest
    ) async throws {
        let store = RecordingStore(try await kind.make())
        let fixture = try await AuthFixture(store)
        var counts: [Int] = []
        for (name, closed) in [("ada", 0), ("bob", 10)] {
            let result = try await fixture.signIn(as: name)
            for _ in 0..<closed { try await fixture.signIn(as: name).session.signOut() }
            let credential = try await fixture.credential(as: name, with: .apple, for: .link(result.session))
            store.forget()
            _ = try await result.session.link(with: credential)
            counts.append(store.statements.count)
        }
        #expect(counts[0] == counts[1])
    }

    @Test(.rule("R-LNK-1"), arguments: StoreUnderTest.all)
    func `a closed session cannot link a login`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        try await fixture.auth.disable(ada.account.id)
        try await fixture.auth.enable(ada.account.id)
        await expectError(.invalidUserToken) { try await ada.session.link(with: credential) }
        #expect(try await fixture.count(IdentityRecord.self) == 1)
    }

    @Test(.rule("R-LNK-3"), arguments: StoreUnderTest.all)
    func `a second login of one provider is refused under the policy one, and linked under the policy many`(
        _ store: StoreUnderTest
    )
        async throws
    {
        var fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let before = try await fixture.count(IdentityKeyRecord.self)
        await expectError(.providerAlreadyLinked) { try await fixture.link("other", with: .google, in: ada.session) }
        #expect(try await fixture.count(IdentityKeyRecord.self) == before)
        fixture.auth.policy.linking.identitiesPerProvider = .many
        let session = Session(try await fixture.record(ada.session), auth: fixture.auth)
        let linked = try await fixture.link("other", with: .google, in: session)
        #expect(linked.account.providerData.map(\.uid) == ["ada", "other"])
    }

    @Test(.rule("R-LNK-4"), arguments: StoreUnderTest.all)
    func `linking a linked login again succeeds, and only updates its profile`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let other = try await fixture.signIn(as: "ada")
        let again = try await fixture.link("ada", with: .google, email: "ada@example.com", in: ada.session)
        #expect(again.outcome == .alreadyLinked)
        #expect(again.account.providerData.map(\.email) == ["ada@example.com"])
        #expect(try await fixture.audit("identity.linked") == 0)
        #expect(try await fixture.isOpen(other.session))
        #expect(try await fixture.isOpen(again.session))
    }

    @Test(.rule("R-LNK-7"), arguments: StoreUnderTest.all)
    func `an account without an e-mail address gets the verified address of a linked login`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        #expect(ada.account.email == nil)
        let facebook = try await fixture.link("ada-f", with: .facebook, in: ada.session)
        #expect(facebook.account.email == nil)
        let apple = try await fixture.link("ada-a", with: .apple, email: "ada@example.com", in: ada.session)
        #expect(apple.account.email == "ada@example.com")
        #expect(apple.account.isEmailVerified)
    }

    @Test(.rule("R-LNK-8"), arguments: StoreUnderTest.all)
    func `a link that is refused without a conflict writes nothing and does not consume its attempt`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        fixture.clock.advance(by: .seconds(301))
        let before = try await fixture.everything()
        await expectError(.requiresRecentLogin) { try await ada.session.link(with: credential) }
        #expect(try await fixture.everything() == before)
        // The attempt is not consumed either: after a recent login the same token links.
        let recent = try await fixture.reauthenticate("ada", in: ada.session)
        #expect(try await recent.session.link(with: credential).outcome == .linked)
    }

    @Test(.rule("R-LNK-9"), arguments: StoreUnderTest.all)
    func `linking requires a login within the last five minutes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .milliseconds(299_999))
        #expect(ada.session.isRecent)
        try await ada.session.requireRecentLogin()
        #expect(try await fixture.link("ada-a", with: .apple, in: ada.session).outcome == .linked)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(!ada.session.isRecent)
        await expectError(.requiresRecentLogin) { try await ada.session.requireRecentLogin() }
        await expectError(.requiresRecentLogin) {
            try await fixture.link("ada-f", with: .facebook, in: ada.session)
        }
        try await ada.session.requireRecentLogin(within: .seconds(301))
    }

    @Test(.rule("R-LNK-9"), arguments: StoreUnderTest.all)
    func `linking requires a session with the second factor if the account has one`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.giveFactor(to: ada.account.id)
        await expectError(.secondFactorRequired) { try await fixture.link("ada-a", with: .apple, in: ada.session) }
        try await fixture.raise(ada.session)
        #expect(try await fixture.link("ada-a", with: .apple, in: ada.session).outcome == .linked)
    }

    @Test(.rule("S-CSR-3", "S-CSR-4"), arguments: StoreUnderTest.all)
    func `an attempt to link is completed only in its session, and only as a link`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let eve = try await fixture.signIn(as: "eve")
        let credential = try await fixture.credential(as: "ada-a", with: .apple, for: .link(ada.session))
        await expectError(.missingOrInvalidNonce) { try await eve.session.link(with: credential) }
        await expectError(.missingOrInvalidNonce) { try await fixture.auth.signIn(with: credential).get() }
        await expectError(.missingOrInvalidNonce) { try await ada.session.reauthenticate(with: credential) }
        let other = try await fixture.signIn(as: "ada")
        await expectError(.missingOrInvalidNonce) { try await other.session.link(with: credential) }
        let signIn = try await fixture.credential(as: "ada-a", with: .apple)
        await expectError(.missingOrInvalidNonce) { try await ada.session.link(with: signIn) }
        #expect(try await ada.session.link(with: credential).outcome == .linked)
    }

    @Test(.rule("R-LNK-1", "S-FIX-1"), arguments: StoreUnderTest.all)
    func `linking replaces the session's tokens, and using the new ones revokes the old ones`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        #expect(linked.session.id == ada.session.id)
        #expect(try await fixture.auth.session(linked.tokens.sessionToken).id == ada.session.id)
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
    }
}

extension AuthFixture {
    /// Returns the row of a session.
    func record(_ session: Session) async throws -> SessionRecord {
        try await read { transaction in try transaction.sessions.current(session) }
    }
}
