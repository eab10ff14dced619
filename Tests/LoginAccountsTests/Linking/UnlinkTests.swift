// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct UnlinkTests {
    @Test(.rule("R-UNL-1", "R-PDA-3"), arguments: StoreUnderTest.all)
    func `an unlinked login is free, and signs in to a new account`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        let provider = try #require(linked.account.providerData.last?.providerID)
        let result = try await ada.session.unlink(fromProvider: provider)
        #expect(result.outcome == .unlinked)
        #expect(result.account.providerData.map(\.providerID) == [.google])
        let other = try await fixture.signIn(as: "ada-a", with: .apple)
        #expect(other.outcome == .created)
        #expect(other.account.id != ada.account.id)
        #expect(try await fixture.audit("identity.unlinked") == 1)
    }

    @Test(.rule("R-UNL-1", "R-UNL-10"), arguments: StoreUnderTest.all)
    func `the account keeps no name or picture of an unlinked login, but those that the user has set`(
        _ store: StoreUnderTest
    ) async throws {
        for isByOperator in [false, true] {
            let fixture = try await AuthFixture(store.make())
            let ada = try await fixture.signIn(as: "ada", with: .apple)
            let credential = try await fixture.credential(as: "eve", with: .google, for: .link(ada.session)) {
                $0.claims["name"] = "Eve"
                $0.claims["picture"] = "https://example.com/eve.png"
            }
            let linked = try await ada.session.link(with: credential)
            #expect(linked.account.displayName == "Eve" && linked.account.photoURL == "https://example.com/eve.png")
            try await linked.session.updateProfile(photoURL: "https://example.com/mine.png")
            if isByOperator {
                try await fixture.auth.unlink(.google, from: ada.account.id)
            } else {
                try await linked.session.unlink(fromProvider: .google)
            }
            let account = try await fixture.auth.account(ada.account.id)
            #expect(account.displayName == nil && account.photoURL == "https://example.com/mine.png")
        }
    }

    @Test(.rule("R-UNL-2"), arguments: StoreUnderTest.all)
    func `a login that is not linked cannot be unlinked`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.signIn(as: "bob", with: .apple)
        let before = try await fixture.everything()
        await expectError(.noSuchProvider) { try await ada.session.unlink(fromProvider: .apple) }
        await expectError(.noSuchProvider) { try await ada.session.unlink(fromProvider: .apple, uid: "bob") }
        await expectError(.noSuchProvider) { try await ada.session.unlink(fromProvider: .google, uid: "bob") }
        #expect(try await fixture.everything() == before)
    }

    @Test(.rule("R-UNL-3", "R-ANO-5", "S-LCK-1"), arguments: StoreUnderTest.all)
    func `the last sign-in method cannot be unlinked`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .google) }
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        try await ada.session.unlink(fromProvider: .google)
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .apple) }
        #expect(try await fixture.row(ada.account.id)?.isAnonymous == false)
    }

    @Test(.rule("R-UNL-4", "S-LCK-2"), arguments: StoreUnderTest.all)
    func `a revoked login does not count as a remaining sign-in method`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        // Revoked by its provider.
        try await fixture.auth.revokeIdentity(providerID: .apple, uid: "ada-a")
        await expectError(.lastProvider) { try await ada.session.unlink(fromProvider: .google) }
        #expect(try await ada.session.unlink(fromProvider: .apple).account.providerData.map(\.providerID) == [.google])
    }

    @Test(.rule("R-UNL-4", "S-LCK-3"), arguments: StoreUnderTest.all)
    func `neither a login of a removed provider nor a second factor counts as a sign-in method`(_ store: StoreUnderTest)
        async throws
    {
        let base = try await store.make()
        let fixture = try await AuthFixture(base)
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        try await fixture.giveFactor(to: ada.account.id)
        try await fixture.raise(linked.session)
        let without = try await AuthFixture(base, clock: fixture.clock) { providers in
            providers.removeAll { $0.id == .apple }
        }
        let session = Session(try await fixture.record(linked.session), auth: without.auth)
        await expectError(.lastProvider) { try await session.unlink(fromProvider: .google) }
        #expect(try await linked.session.unlink(fromProvider: .google).outcome == .unlinked)
    }

    @Test(.rule("R-UNL-5"), arguments: StoreUnderTest.all)
    func `unlinking one of several logins of a provider requires its subject`(_ store: StoreUnderTest) async throws {
        let policy = AuthPolicy(linking: LinkPolicy(identitiesPerProvider: .many))
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-2", with: .google, in: ada.session)
        await expectError(.ambiguousProvider) { try await ada.session.unlink(fromProvider: .google) }
        let result = try await ada.session.unlink(fromProvider: .google, uid: "ada-2")
        #expect(result.account.providerData.map(\.uid) == ["ada"])
    }

    @Test(.rule("R-UNL-6"), arguments: StoreUnderTest.all)
    func `unlinking closes the sessions that the login opened, and the other sessions on request`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        let viaApple = try await fixture.signIn(as: "ada-a", with: .apple)
        let viaGoogle = try await fixture.signIn(as: "ada")
        try await ada.session.unlink(fromProvider: .apple)
        #expect(try await !fixture.isOpen(viaApple.session))
        #expect(try await fixture.isOpen(viaGoogle.session))
        #expect(try await fixture.isOpen(ada.session))
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        // The session of the request stays open, even if the unlinked login opened it.
        let result = try await ada.session.unlink(fromProvider: .google, closingOtherSessions: true)
        #expect(try await !fixture.isOpen(viaGoogle.session))
        #expect(try await fixture.isOpen(result.session))
        #expect(try await fixture.auth.session(result.tokens.sessionToken).id == ada.session.id)
    }

    @Test(.rule("R-UNL-7", "S-PRE-4"), arguments: StoreUnderTest.all)
    func `unlinking a login removes its e-mail address and voids pending e-mail verifications`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        try await fixture.link("ada-f", with: .facebook, email: "other@example.com", in: ada.session)
        try await fixture.read { transaction in
            try transaction.tables.rows.add(
                ProofRecord(
                    hash: [1],
                    kind: "verify-email",
                    accountID: ada.account.id,
                    address: "new@example.com",
                    attemptsLeft: 1,
                    createdAt: transaction.now,
                    expiresAt: transaction.now + .seconds(600)
                )
            )
        }
        let result = try await ada.session.unlink(fromProvider: .google)
        #expect(result.account.email == "other@example.com")
        #expect(!result.account.isEmailVerified)
        #expect(try await fixture.count(ProofRecord.self) == 0)
        #expect(try await fixture.count(EmailRecord.self) == 0)
    }

    @Test(.rule("R-UNL-8"), arguments: StoreUnderTest.all)
    func `linking stores neither the ID token nor the attempt token`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let attempt = try await fixture.auth.begin(.link(ada.session), with: .apple)
        let token = fixture.token(of: attempt, as: "ada-a", with: .apple)
        _ = try await ada.session.link(with: .idToken(token, attempt: attempt.token), idempotencyKey: "k")
        let signature = try #require(token.split(separator: ".").last)
        for row in try await fixture.everything().values.flatMap({ $0 }) {
            for case .text(let text) in row.values.values {
                #expect(!text.contains(signature) && !text.contains(attempt.token))
            }
        }
    }

    @Test(.rule("R-UNL-9"), arguments: StoreUnderTest.all)
    func `unlinking a login removes its aliases, and a new login can replace it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", with: .facebook)
        try await fixture.link("old", with: .google, in: ada.session)
        try await fixture.auth.addAlias("older", to: "old", providerID: .google)
        try await ada.session.unlink(fromProvider: .google, uid: "older")
        try await fixture.link("new", with: .google, in: ada.session)
        #expect(try await fixture.count(IdentityKeyRecord.self) == 2)
        for subject in ["old", "older"] {
            #expect(try await fixture.signIn(as: subject).account.id != ada.account.id)
        }
        #expect(try await fixture.signIn(as: "new").account.id == ada.account.id)
    }
}
