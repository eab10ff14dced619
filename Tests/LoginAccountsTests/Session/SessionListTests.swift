// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct SessionListTests {
    @Test(.rule("S-SES-1", "S-SES-2"), arguments: StoreUnderTest.all)
    func `a user lists the open sessions, newest first, and closes one`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(60))
        let second = try await fixture.signIn(as: "ada")
        fixture.clock.advance(by: .seconds(60))
        let third = try await fixture.signIn(as: "ada")
        let bob = try await fixture.signIn(as: "bob")
        let list = try await second.session.sessions()
        #expect(list.map(\.id) == [third, second, first].map(\.session.id))
        #expect(list.map(\.isCurrent) == [false, true, false])
        #expect(list.map(\.createdAt) == [third, second, first].map(\.session.createdAt))
        #expect(list[2].lastSeenAt == first.session.createdAt)

        #expect(try await second.session.signOut(first.session.id))
        #expect(try await !second.session.signOut(first.session.id))
        // A session of another user is treated as unknown.
        #expect(try await !second.session.signOut(bob.session.id))
        #expect(try await !second.session.signOut(SessionID(rawValue: "none")))
        await expectError(.invalidUserToken) { try await fixture.auth.session(first.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.resume(first.tokens.refreshToken) }
        _ = try await fixture.auth.session(bob.tokens.sessionToken)
        #expect(try await second.session.sessions().map(\.id) == [third, second].map(\.session.id))
    }

    @Test(.rule("S-SES-1"), arguments: StoreUnderTest.all)
    func `a session is listed with its device and the network where it was opened`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.auth.signIn(
            with: fixture.credential(as: "ada", with: .google),
            from: RequestOrigin(address: "192.0.2.77", device: "a phone")
        ).get()
        #expect(ada.session.device == "a phone")
        #expect(try await ada.session.sessions().map(\.device) == ["a phone"])
        #expect(try await ada.session.sessions().map(\.addressPrefix) == ["192.0.2.0/24"])
        try await ada.session.closeKeepingTokens()
        let resumed = try await fixture.auth.resume(ada.tokens.refreshToken)
        #expect(resumed.session.device == "a phone")
        try await resumed.session.closeKeepingTokens()
        let moved = try await fixture.auth.resume(
            resumed.tokens.refreshToken,
            from: RequestOrigin(address: "198.51.100.7", device: "the same phone")
        )
        #expect(try await moved.session.sessions().map(\.addressPrefix) == ["198.51.100.0/24"])
        #expect(moved.session.device == "the same phone")
    }

    @Test(.rule("S-SES-3", "SS-9"), arguments: StoreUnderTest.all)
    func `closing the other sessions revokes their devices, and keeps the current session`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        var others: [AuthDataResult] = []
        for _ in 0..<3 { others.append(try await fixture.signIn(as: "ada")) }
        try await others[0].session.closeKeepingTokens()
        let ada = try await fixture.signIn(as: "ada")
        #expect(try await ada.session.signOutOthers() == 2)
        for other in others {
            await expectError(.invalidUserToken) { try await fixture.auth.session(other.tokens.sessionToken) }
            await expectError(.invalidUserToken) { try await fixture.auth.resume(other.tokens.refreshToken) }
        }
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(try await ada.session.signOutOthers() == 0)
        _ = try await fixture.signIn(as: "ada")
        #expect(try await ada.session.sessions().count == 2)
        #expect(try await fixture.auth.sessions(of: ada.account.id).map(\.isCurrent) == [false, false])
    }

    @Test(.rule("S-SES-4", "SS-9", "S-DEL-1"), arguments: StoreUnderTest.all)
    func `a service closes all sessions of an account, and later sign-ins succeed`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        // In the same millisecond: the order decides, not the time.
        #expect(try await fixture.auth.closeSessions(of: ada.account.id) == 1)
        let again = try await fixture.signIn(as: "ada")
        await expectError(.invalidUserToken) { try await fixture.otherServer.session(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.otherServer.refresh(ada.tokens.refreshToken) }
        _ = try await fixture.auth.session(again.tokens.sessionToken)
        _ = try await fixture.auth.session(bob.tokens.sessionToken)
        #expect(try await fixture.closeReasons() == ["closed-by-service"])
        await expectError(.userNotFound) { try await fixture.auth.closeSessions(of: AccountID(rawValue: "none")) }
    }

    @Test(arguments: StoreUnderTest.all)
    func `a service closes all sessions of all accounts, and no device can resume`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        var all: [AuthDataResult] = []
        // More sessions than one transaction reads, several of them with the same time.
        for number in 0..<120 {
            all.append(try await fixture.signIn(as: "person-\(number)"))
            if number % 3 == 0 { fixture.clock.advance(by: .seconds(1)) }
        }
        // One user has no session but a device that could open one; another has two sessions.
        try await all[0].session.closeKeepingTokens()
        all.append(try await fixture.signIn(as: "person-1"))
        #expect(try await fixture.auth.closeAllSessions() == 120)
        for result in all {
            await expectError(.invalidUserToken) { try await fixture.otherServer.session(result.tokens.sessionToken) }
            await expectError(.invalidUserToken) { try await fixture.otherServer.resume(result.tokens.refreshToken) }
        }
        #expect(try await fixture.auth.closeAllSessions() == 0)
        let again = try await fixture.signIn(as: "person-0")
        _ = try await fixture.auth.session(again.tokens.sessionToken)
    }

    @Test(.rule("SS-9"), arguments: StoreUnderTest.all)
    func `a session of an earlier epoch is closed, even if its row is open`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let epochGrows: @Sendable (TransactionSteps) throws -> Void = { transaction in
            try transaction.tables.rows.update(
                AccountRecord.self,
                set: AccountRecord.Column.sessionEpoch.grows(by: 1),
                where: AccountRecord.Column.id.equals(ada.account.id.rawValue)
            )
        }
        try await fixture.read(epochGrows)
        await expectError(.invalidUserToken) { try await ada.session.sessions() }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(ada.tokens.refreshToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        #expect(try await fixture.record(of: ada.session).closedAt != nil)
    }

    @Test(.rule("S-SES-5"), arguments: StoreUnderTest.all)
    func `closing by login closes the sessions that it opened, except the given one`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        let kept = try await fixture.signIn(as: "ada")
        let closed = try await fixture.read { transaction in
            _ = try transaction.accounts.lock(ada.account.id)
            let row = try #require(try transaction.tables.sessions.find(ada.session.id))
            let known = try transaction.identities.of(ada.account.id)
            let identity = try #require(known.first { $0.id == row.identityID })
            return try transaction.sessions.close(openedWith: identity, except: kept.session.id, reason: .unlinked)
        }
        #expect(closed == 1)
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.resume(ada.tokens.refreshToken) }
        _ = try await fixture.auth.session(bob.tokens.sessionToken)
        _ = try await fixture.auth.session(kept.tokens.sessionToken)
        #expect(try await fixture.closeReasons() == ["unlinked"])
    }

    @Test(.rule("S-SES-6"), arguments: StoreUnderTest.all)
    func `beyond the limit an account's oldest session is closed`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(maximumPerAccount: 3))
        var opened: [AuthDataResult] = []
        for _ in 0..<4 {
            opened.append(try await fixture.signIn(as: "ada"))
            fixture.clock.advance(by: .seconds(1))
        }
        await expectError(.invalidUserToken) { try await fixture.auth.session(opened[0].tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.resume(opened[0].tokens.refreshToken) }
        for result in opened.dropFirst() { _ = try await fixture.auth.session(result.tokens.sessionToken) }
        #expect(try await fixture.closeReasons() == ["superseded"])
        #expect(try await opened[3].session.sessions().count == 3)
        // A server whose clock is slow opens a session that appears older than all others.
        fixture.clock.advance(by: .seconds(-60))
        let late = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.session(late.tokens.sessionToken)
        #expect(try await late.session.sessions().count == 3)
    }

    @Test(.rule("S-SES-7", "SS-12"), arguments: StoreUnderTest.all)
    func `a closed session, or one of a disabled account, is refused by every server at once`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let other = fixture.otherServer
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        let there = try await other.session(ada.tokens.sessionToken)
        try await ada.session.closeKeepingTokens()
        await expectError(.invalidUserToken) { try await other.session(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await there.sessions() }
        let open = try await other.session(bob.tokens.sessionToken)
        try await fixture.disable(bob.account.id)
        await expectError(.userDisabled) { try await other.session(bob.tokens.sessionToken) }
        await expectError(.userDisabled) { try await open.sessions() }
    }

    @Test(.rule("SS-4"), arguments: StoreUnderTest.all)
    func `the audit records each state transition once`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(try await fixture.audit("session.extended") == 0)
        try await fixture.link("ada-a", with: .apple, in: ada.session)
        try await ada.session.closeKeepingTokens()
        try await ada.session.closeKeepingTokens()
        #expect(try await fixture.audit("session.opened") == 1)
        #expect(try await fixture.audit("session.extended") == 1)
        #expect(try await fixture.audit("session.closed") == 1)
    }
}
