// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct SessionTests {
    @Test(.rule("S-SES-1"), arguments: StoreUnderTest.all)
    func `a token is valid until its session is closed, and then refused like an unknown one`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let session = try await fixture.auth.session(ada.tokens.sessionToken)
        #expect(session.id == ada.session.id)
        #expect(session.accountID == ada.account.id)
        #expect(session.state == .open)
        try await session.closeKeepingTokens()
        let closed = await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        let unknown = await expectError(.invalidUserToken) {
            try await fixture.auth.session(fixture.unknownToken(.session))
        }
        let foreign = await expectError(.invalidUserToken) { try await fixture.auth.session("lls_of-somebody-else") }
        #expect(closed?.publicMessage == unknown?.publicMessage)
        #expect(closed?.description == unknown?.description)
        #expect(closed?.publicMessage == foreign?.publicMessage)
        await expectError(.invalidUserToken) { try await session.sessions() }
    }

    @Test(.rule("SS-6"), arguments: StoreUnderTest.all)
    func `neither the store nor any description contains a token`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let secret = Array(ada.tokens.sessionToken.utf8.dropFirst(4))
        let refresh = Array(ada.tokens.refreshToken.utf8.dropFirst(4))
        for table in [SessionRecord.table, SessionFamilyRecord.table, AuditRecord.table, OutboxRecord.table] {
            let rows = try await fixture.store.transaction { rows in
                try rows.select(from: table, where: [], order: nil, limit: nil)
            }
            for value in rows.flatMap(\.values.values) {
                switch value {
                case .text(let text): #expect(!text.utf8.contains(secret) && !text.utf8.contains(refresh))
                case .bytes(let bytes): #expect(!bytes.contains(secret) && !bytes.contains(refresh))
                case .null, .integer: break
                }
            }
        }
        let texts = [
            "\(ada.tokens)", String(reflecting: ada.tokens), "\(ada.session)", String(reflecting: ada.session),
        ]
        for text in texts { #expect(!text.contains("lls_") && !text.contains("llr_")) }
        #expect(Mirror(reflecting: ada.tokens).children.isEmpty)
        #expect(Mirror(reflecting: ada.session).children.isEmpty)
    }

    @Test(.rule("SS-7"), arguments: StoreUnderTest.all)
    func `a session expires after its idle time and after its absolute lifetime`(_ store: StoreUnderTest)
        async throws
    {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(idle: .seconds(3600), absolute: .seconds(7200)))
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        fixture.clock.advance(by: .milliseconds(3_599_999))
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .milliseconds(1))
        // It was not used for an hour; it stays expired, even if the clock is set back.
        await expectError(.userTokenExpired) { try await fixture.auth.session(bob.tokens.sessionToken) }
        fixture.clock.advance(by: .seconds(-60))
        await expectError(.userTokenExpired) { try await fixture.auth.session(bob.tokens.sessionToken) }
        await expectError(.userTokenExpired) { try await fixture.auth.refresh(bob.tokens.refreshToken) }
        fixture.clock.advance(by: .seconds(60 + 3599))
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(1))
        await expectError(.userTokenExpired) { try await fixture.auth.session(ada.tokens.sessionToken) }
        await expectError(.userTokenExpired) { try await fixture.auth.resume(ada.tokens.refreshToken) }
        #expect(try await fixture.closeReasons() == ["expired", "expired"])
    }

    @Test(.rule("SS-7"), arguments: StoreUnderTest.all)
    func `level 2 expires before the session, and using the session does not restore it`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let stepped = try await fixture.rotate(ada.session, level: 2)
        let token = stepped.sessionToken
        fixture.clock.advance(by: .seconds(3599))
        let session = try await fixture.auth.session(token, requiring: 2)
        #expect(session.level == 2)
        try session.requireLevel(2)
        fixture.clock.advance(by: .seconds(3600))
        await expectError(.secondFactorRequired) { try await session.sessions() }
        await expectError(.secondFactorRequired) { try await fixture.auth.session(token, requiring: 2) }
        #expect(try await fixture.auth.session(token).level == 1)
        await expectError(.secondFactorRequired) { try await fixture.auth.session(token, requiring: 2) }

        // However often it is used, it expires after a day.
        let again = try await fixture.rotate(fixture.auth.session(token), level: 2)
        for _ in 0..<47 {
            fixture.clock.advance(by: .seconds(1800))
            _ = try await fixture.auth.session(again.sessionToken, requiring: 2)
        }
        let last = try await fixture.auth.session(again.sessionToken, requiring: 2)
        fixture.clock.advance(by: .seconds(1800))
        await expectError(.secondFactorRequired) { try last.requireLevel(2) }
        await expectError(.secondFactorRequired) { try await fixture.auth.session(again.sessionToken, requiring: 2) }
        #expect(try await fixture.auth.session(again.sessionToken).level == 1)
    }

    @Test(.rule("S-LEV-1"), arguments: StoreUnderTest.all)
    func `a session that was read with level 2 requires it for every operation except signing out`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        await expectError(.secondFactorRequired) {
            try await fixture.auth.session(ada.tokens.sessionToken, requiring: 2)
        }
        let tokens = try await fixture.rotate(ada.session, level: 2)
        let session = try await fixture.auth.session(tokens.sessionToken, requiring: 2)
        #expect(try await session.sessions().map(\.level) == [2])
        fixture.clock.advance(by: .seconds(3600))
        await expectError(.secondFactorRequired) { try await session.sessions() }
        await expectError(.secondFactorRequired) { try await session.signOut(session.id) }
        await expectError(.secondFactorRequired) { try await session.signOutOthers() }
        // Signing out has no requirements.
        try await session.signOut()
        await expectError(.invalidUserToken) { try await fixture.auth.session(tokens.sessionToken) }
    }

    @Test(.rule("SS-8"), arguments: StoreUnderTest.all)
    func `the time of last use is written once a minute`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let begin = try await fixture.record(of: ada.session).lastSeenAt
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        for (seconds, expected) in [(59, 0), (1, 60), (30, 60), (30, 120)] {
            fixture.clock.advance(by: .seconds(seconds))
            _ = try await fixture.auth.session(ada.tokens.sessionToken)
            #expect(try await fixture.record(of: ada.session).lastSeenAt == begin + .seconds(expected))
        }
    }

    @Test(.rule("S-FIX-1", "SS-10"), arguments: StoreUnderTest.all)
    func `raising the level replaces the tokens, and the old ones do not gain the level`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let tokens = try await fixture.rotate(ada.session, level: 2)
        #expect(tokens.sessionToken != ada.tokens.sessionToken)
        #expect(tokens.refreshToken != ada.tokens.refreshToken)
        await expectError(.secondFactorRequired) {
            try await fixture.auth.session(ada.tokens.sessionToken, requiring: 2)
        }
        let session = try await fixture.auth.session(tokens.sessionToken, requiring: 2)
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(ada.tokens.refreshToken) }
        #expect(session.id == ada.session.id)
        #expect(session.state == .openTokenExtended)
        #expect(session.methods.map(\.name).contains("otp"))
        // Signing in again opens another session, which prevents session fixation.
        let again = try await fixture.signIn(as: "ada")
        #expect(again.session.id != ada.session.id)
    }

    @Test(.rule("SS-7"))
    func `the presets have the maximum durations of the guideline`() {
        #expect(SessionPolicy.consumer.absolute == .seconds(30 * 86_400))
        #expect(SessionPolicy.aal2.absolute == .seconds(43_200))
        #expect(SessionPolicy.aal2.idle == .seconds(1800))
        #expect(SessionPolicy.aal3.absolute == .seconds(43_200))
        #expect(SessionPolicy.aal3.idle == .seconds(900))
    }

    @Test(.rule("SS-6"), arguments: StoreUnderTest.all)
    func `the expiry of tokens varies by at most a twentieth of their lifetime`(_ store: StoreUnderTest)
        async throws
    {
        var fixture = try await AuthFixture(store.make())
        fixture.use(SessionPolicy(tokenLifetime: .seconds(1000)))
        var ends: Set<Int64> = []
        for _ in 0..<20 {
            let ada = try await fixture.signIn(as: "ada")
            let lasts = StoreTime(ada.tokens.expiresAt).milliseconds - StoreTime(fixture.clock.now).milliseconds
            #expect((950_000...1_050_000).contains(lasts))
            ends.insert(lasts)
        }
        #expect(ends.count > 1)
        let ada = try await fixture.signIn(as: "ada")
        fixture.clock.set((StoreTime(ada.tokens.expiresAt) - .milliseconds(1)).date)
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.set(ada.tokens.expiresAt)
        await expectError(.userTokenExpired) { try await fixture.auth.session(ada.tokens.sessionToken) }
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        _ = try await fixture.auth.session(refreshed.tokens.sessionToken)
    }
}

extension Sequence where Element == UInt8 {
    /// Whether these bytes occur in the data.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        let bytes = Array(self)
        guard bytes.count >= part.count else { return false }
        return (0...bytes.count - part.count).contains { bytes[$0..<$0 + part.count].elementsEqual(part) }
    }
}
