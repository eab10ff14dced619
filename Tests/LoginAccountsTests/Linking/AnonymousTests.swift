// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AnonymousTests {
    @Test(.rule("R-ANO-1", "R-PDA-5"), arguments: StoreUnderTest.all)
    func `an anonymous account has a session and no login`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let result = try await fixture.auth.signInAnonymously()
        #expect(result.isNewUser)
        #expect(result.account.isAnonymous)
        #expect(result.account.providerData.isEmpty)
        #expect(try await fixture.auth.session(result.tokens.sessionToken).accountID == result.account.id)
        #expect(try await fixture.auth.signInAnonymously().account.id != result.account.id)
    }

    @Test(.rule("R-ANO-2", "R-LNK-1"), arguments: StoreUnderTest.all)
    func `an anonymous account is upgraded by its first login, and keeps its ID`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let anonymous = try await fixture.auth.signInAnonymously()
        // An anonymous account cannot reauthenticate, so no recent login is required.
        fixture.clock.advance(by: .seconds(3600))
        let upgraded = try await fixture.link("ada", with: .google, email: "ada@example.com", in: anonymous.session)
        #expect(upgraded.outcome == .upgraded)
        #expect(upgraded.account.id == anonymous.account.id)
        #expect(!upgraded.account.isAnonymous)
        #expect(upgraded.account.email == "ada@example.com")
        #expect(upgraded.session.isRecent)
        #expect(try await fixture.signIn(as: "ada", email: "ada@example.com").account.id == anonymous.account.id)
        #expect(try await fixture.audit("account.upgraded") == 1)
    }

    @Test(.rule("R-ANO-3"), arguments: StoreUnderTest.all)
    func `an anonymous account can be merged into the account that already has the login`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let anonymous = try await fixture.auth.signInAnonymously()
        fixture.clock.advance(by: .seconds(3600))
        let error = await expectError(.credentialAlreadyInUse) {
            try await fixture.link("ada", with: .google, in: anonymous.session)
        }
        let pending = try #require(error?.pendingCredential)
        let signedIn = try await fixture.auth.signIn(with: .pending(pending)).get()
        let merged = try await fixture.auth.merge(from: anonymous.session, into: signedIn.session)
        #expect(merged.account.id == ada.account.id)
        #expect(!merged.account.isAnonymous)
        #expect(try await fixture.auth.account(anonymous.account.id).id == ada.account.id)
    }

    @Test(.rule("R-ANO-3", "R-LNK-6"), arguments: StoreUnderTest.all)
    func `an anonymous account that links a login with another account's address is refused, and can be merged`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let anonymous = try await fixture.auth.signInAnonymously()
        let error = await expectError(.emailAlreadyInUse) {
            try await fixture.link("ada-a", with: .apple, email: "ada@example.com", in: anonymous.session)
        }
        #expect(error?.ownerID == ada.account.id)
        #expect(try await anonymous.session.account().isAnonymous)
        let pending = try #require(error?.pendingCredential)
        fixture.clock.advance(by: .seconds(1))
        let signedIn = try await fixture.signIn(as: "ada", email: "ada@example.com")
        let linked = try await signedIn.session.link(with: .pending(pending))
        #expect(linked.account.providerData.map(\.providerID) == [.google, .apple])
        let merged = try await fixture.auth.merge(from: anonymous.session, into: linked.session)
        #expect(merged.account.id == ada.account.id && !merged.account.isAnonymous)
    }

    @Test(.rule("R-ANO-4"), arguments: StoreUnderTest.all)
    func `an anonymous sign-in continues an anonymous session, and otherwise creates an account`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.auth.signInAnonymously()
        let again = try await fixture.auth.signInAnonymously(continuing: first.session)
        #expect(again.account.id == first.account.id)
        #expect(again.session.id == first.session.id)
        #expect(again.outcome == .signedIn)
        let ada = try await fixture.signIn(as: "ada")
        let other = try await fixture.auth.signInAnonymously(continuing: ada.session)
        #expect(other.account.id != ada.account.id)
        #expect(other.outcome == .created)
    }

    @Test(.rule("R-ANO-1", "SS-7"), arguments: StoreUnderTest.all)
    func `an anonymous session lasts while it is used, and an upgraded one has the normal limits`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let guest = try await fixture.auth.signInAnonymously()
        for _ in 1...4 {
            fixture.clock.advance(by: .seconds(15 * 86400))
            _ = try await fixture.auth.session(guest.tokens.sessionToken)
        }
        fixture.clock.advance(by: .milliseconds(30 * 86_400_000 - 1))
        let tokens = try await fixture.auth.refresh(guest.tokens.refreshToken).tokens
        try await fixture.auth.sweep()
        let session = try await fixture.auth.session(tokens.sessionToken)
        #expect(session.accountID == guest.account.id)
        // Now the account has a login, so its user can sign in again.
        let upgraded = try await fixture.link("ada", with: .google, in: session)
        let latest = StoreTime(fixture.clock.now) + .seconds(30 * 86400)
        #expect(StoreTime(upgraded.session.expiresAt) <= latest)
        #expect(StoreTime(upgraded.session.expiresAt) > latest - .seconds(60))
        fixture.clock.advance(by: .seconds(14 * 86400))
        await expectError(.userTokenExpired) { try await fixture.auth.session(upgraded.tokens.sessionToken) }
        let other = try await fixture.auth.signInAnonymously()
        fixture.clock.advance(by: .seconds(30 * 86400))
        await expectError(.userTokenExpired) { try await fixture.auth.session(other.tokens.sessionToken) }
    }

    @Test(.rule("R-ANO-6"), arguments: StoreUnderTest.all)
    func `an unused anonymous account is deleted in parts, with those that were merged into it`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let guest = try await fixture.auth.signInAnonymously()
        for _ in 1...3 {
            try await fixture.auth.merge(from: fixture.auth.signInAnonymously().session, into: guest.session)
        }
        let id = guest.account.id
        func remove() async throws -> Bool? {
            try await fixture.read { try $0.removal.removePartIfUnused(id, limit: 2) }
        }
        #expect(try await remove() == nil)
        fixture.clock.advance(by: fixture.auth.policy.linking.anonymousLifetime + .milliseconds(1))
        var merged: [Int] = []
        for isDone in [false, true] {
            #expect(try await remove() == isDone)
            merged.append(
                try await fixture.count(AccountRecord.self, where: AccountRecord.Column.mergedInto.isNotNull)
            )
        }
        #expect(merged == [1, 0])
        #expect(try await remove() == nil)
        #expect(try await fixture.row(id)?.state == AccountState.deleted.rawValue)
    }

    @Test(.rule("R-ANO-6"), arguments: StoreUnderTest.all)
    func `a sweep deletes an unused anonymous account with all its parts, and counts it once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let guest = try await fixture.auth.signInAnonymously()
        try await fixture.addClosed(1...1000, to: guest.account.id, device: "a phone")
        fixture.clock.advance(by: fixture.auth.policy.linking.anonymousLifetime + .milliseconds(1))
        #expect(try await fixture.auth.sweep().deletedAccounts == 1)
        #expect(try await fixture.row(guest.account.id)?.state == AccountState.deleted.rawValue)
        #expect(try await fixture.count(SessionRecord.self, where: SessionRecord.Column.device.isNotNull) == 0)
    }

    @Test(.rule("R-ANO-6"), arguments: StoreUnderTest.all)
    func `an anonymous account is deleted after its lifetime without use, and not while it is used`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(
            store.make(),
            policy: AuthPolicy(linking: LinkPolicy(anonymousLifetime: .seconds(7 * 86400)))
        )
        let upgraded = try await fixture.auth.signInAnonymously()
        try await fixture.link("ada", with: .google, in: upgraded.session)
        let unused = try await fixture.auth.signInAnonymously()
        let used = try await fixture.auth.signInAnonymously()
        fixture.clock.advance(by: .seconds(4 * 86400))
        let seen = try await fixture.auth.session(used.tokens.sessionToken)
        #expect(seen.accountID == used.account.id)
        fixture.clock.advance(by: .seconds(3 * 86400))
        #expect(try await fixture.auth.sweep().deletedAccounts == 0)
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.auth.sweep().deletedAccounts == 1)
        #expect(try await fixture.row(unused.account.id)?.state == AccountState.deleted.rawValue)
        #expect(try await fixture.row(used.account.id)?.state == AccountState.active.rawValue)
        #expect(try await fixture.row(upgraded.account.id)?.state == AccountState.active.rawValue)
        fixture.clock.advance(by: .seconds(4 * 86400))
        #expect(try await fixture.auth.sweep().deletedAccounts == 1)
        #expect(try await fixture.row(used.account.id)?.state == AccountState.deleted.rawValue)
    }
}
