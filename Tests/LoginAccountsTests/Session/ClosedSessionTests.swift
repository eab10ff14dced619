// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

extension AuthFixture {
    /// Adds sessions of an account that were closed in the first milliseconds of 1970, in the order of their numbers:
    /// `old-1`, `old-2` and so on, each on a device of its own that is not revoked.
    func addClosed(_ numbers: ClosedRange<Int64>, to account: AccountID, device: String? = nil) async throws {
        let end = StoreTime(clock.now) + .seconds(10 * 365 * 86400)
        let rows = numbers.flatMap { number in
            StoreRows.session(
                "old-\(number)",
                of: account.rawValue,
                [
                    "state": .text("closed"), "closed_at": .integer(number), "close_reason": .text("kept"),
                    "expires_at": .integer(end.milliseconds), "device": device.map { .text($0) } ?? .null,
                ]
            )
        }
        try await store.fill(rows)
    }

    /// Returns the numbers of closed sessions and of devices.
    func closedSessions() async throws -> [Int] {
        [
            try await count(SessionRecord.self, where: SessionRecord.Column.closedAt.isNotNull),
            try await count(SessionFamilyRecord.self),
        ]
    }
}

/// An account keeps a limited number of closed sessions, however they are closed.
@Suite(.rule("S-SES-8")) struct ClosedSessionTests {
    @Test(arguments: StoreUnderTest.all)
    func `with a closed session beyond the maximum, the one that was closed first is deleted with its device`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await fixture.addClosed(1...999, to: ada.account.id)
        try await fixture.store.fill(
            StoreRows.session("of bob", of: bob.account.id.rawValue, ["closed_at": .integer(0)])
        )
        let others = [try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "ada")]
        try await others[0].session.signOut()
        #expect(try await fixture.closedSessions() == [1001, 1004])
        try await others[1].session.signOut()
        #expect(try await fixture.closedSessions() == [1001, 1003])
        for (session, isKept) in [("old-1", false), ("old-2", true), ("of bob", true)] {
            let found = try await fixture.read { try $0.tables.sessions.find(SessionID(rawValue: session)) }
            let device = try await fixture.read { try $0.tables.families.find("f-\(session)") }
            #expect((found != nil) == isKept && (device != nil) == isKept, "\(session)")
        }
        #expect(try await fixture.isOpen(ada.session))
    }

    /// The ways in which sessions are closed.
    enum Way: CaseIterable {
        case signOut, keepingTokens, fromAnother, others, byOperator, disabled, unlinked, superseded, expired, swept
    }

    @Test(arguments: StoreUnderTest.all, Way.allCases)
    func `an account has at most a thousand closed sessions, whatever closes them`(_ store: StoreUnderTest, _ way: Way)
        async throws
    {
        var fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let linked = try await fixture.link("ada-a", with: .apple, in: ada.session)
        let other = try await fixture.signIn(as: "ada-a", with: .apple)
        try await fixture.addClosed(1...1000, to: ada.account.id)
        switch way {
        case .signOut: try await other.session.signOut()
        case .keepingTokens: try await other.session.closeKeepingTokens()
        case .fromAnother: try await linked.session.signOut(other.session.id)
        case .others: try await linked.session.signOutOthers()
        case .byOperator: try await fixture.auth.closeSessions(of: ada.account.id)
        case .disabled: try await fixture.auth.disable(ada.account.id)
        case .unlinked: try await linked.session.unlink(fromProvider: .apple)
        case .superseded:
            fixture.use(SessionPolicy(maximumPerAccount: 1))
            try await fixture.signIn(as: "ada")
        case .expired:
            fixture.clock.advance(by: fixture.auth.policy.sessions.absolute)
            await expectError(.userTokenExpired) { try await fixture.auth.session(other.tokens.sessionToken) }
        case .swept:
            fixture.clock.advance(by: fixture.auth.policy.sessions.absolute)
            #expect(try await fixture.auth.sweep().closedSessions == 2)
        }
        #expect(try await fixture.closedSessions()[0] == 1000)
        let closed = try await fixture.count(
            SessionRecord.self,
            where: SessionRecord.Column.closedAt.isAfter(.init(milliseconds: 1000))
        )
        #expect(closed > 0)
    }

    @Test(arguments: StoreUnderTest.all)
    func `sessions that were closed before there was a maximum are deleted a hundred at a time`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.addClosed(1...1250, to: ada.account.id)
        var counts: [Int] = []
        for _ in 1...3 {
            try await fixture.signIn(as: "ada").session.signOut()
            counts.append(try await fixture.closedSessions()[0])
        }
        #expect(counts == [1150, 1050, 1000])
    }

    @Test(arguments: StoreUnderTest.all)
    func `a device that was kept signed in signs in again after a thousand later sessions, unless it has one of them`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (gone, used) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "ada"))
        try await gone.session.closeKeepingTokens()
        try await used.session.closeKeepingTokens()
        let resumed = try await fixture.auth.resume(used.tokens.refreshToken)
        // All of them were closed later.
        let start = StoreTime(fixture.clock.now).milliseconds
        try await fixture.addClosed(start + 1...start + 999, to: gone.account.id)
        fixture.clock.advance(by: .seconds(2))
        try await fixture.signIn(as: "ada").session.signOut()
        await expectError(.invalidUserToken) { try await fixture.auth.resume(gone.tokens.refreshToken) }
        try await resumed.session.closeKeepingTokens()
        _ = try await fixture.auth.resume(resumed.tokens.refreshToken)
    }

    @Test(arguments: StoreUnderTest.all)
    func `the networks and devices of all sessions are forgotten at once, and those of another account stay`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let networks: [(String, String?, String?)] = [
            ("both", "a phone", "192.0.2.0/24"), ("device", "a phone", nil), ("network", nil, "192.0.2.0/24"),
            ("none", nil, nil),
        ]
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        for account in [ada.account.id, bob.account.id] {
            for (name, device, network) in networks {
                let values: [String: StoreValue] = [
                    "device": device.map { .text($0) } ?? .null, "address_prefix": network.map { .text($0) } ?? .null,
                ]
                try await fixture.store.fill(
                    StoreRows.session("\(name) \(account)", of: account.rawValue, values)
                )
            }
        }
        try await fixture.read { try $0.tables.sessions.forgetDevices(of: ada.account.id) }
        for column in [SessionRecord.Column.device, SessionRecord.Column.addressPrefix] {
            #expect(try await fixture.count(SessionRecord.self, where: column.isNotNull) == 2)
        }
    }
}
