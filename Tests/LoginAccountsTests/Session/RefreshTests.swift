// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct RefreshTests {
    @Test(.rule("S-RFR-1"), arguments: StoreUnderTest.all)
    func `a refresh replaces both tokens, and the old session token remains valid for 30 seconds`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(refreshed.session.id == ada.session.id)
        #expect(refreshed.session.state == .openTokenExtended)
        #expect(refreshed.tokens.sessionToken != ada.tokens.sessionToken)
        #expect(refreshed.tokens.refreshToken != ada.tokens.refreshToken)
        fixture.clock.advance(by: .milliseconds(29_999))
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        _ = try await fixture.auth.session(refreshed.tokens.sessionToken)
    }

    @Test(.rule("S-RFR-2"), arguments: StoreUnderTest.all)
    func `a repeated refresh returns the same tokens`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let first = try await fixture.auth.refresh(ada.tokens.refreshToken)
        _ = try await fixture.auth.session(first.tokens.sessionToken)
        fixture.clock.advance(by: .milliseconds(29_999))
        let second = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(second.tokens.sessionToken == first.tokens.sessionToken)
        #expect(second.tokens.refreshToken == first.tokens.refreshToken)
        #expect(try await fixture.record(of: first.session).generation == 1)
        // Refreshes are not recorded in the audit, because nobody would look for them years later.
        #expect(try await fixture.audit("session.extended") == 0)
    }

    @Test(.rule("S-RFR-3"), arguments: StoreUnderTest.all)
    func `a refresh whose response was lost can be repeated until the new tokens are used`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let lost = try await fixture.auth.refresh(ada.tokens.refreshToken)
        fixture.clock.advance(by: .seconds(86_400))
        let found = try await fixture.auth.refresh(ada.tokens.refreshToken)
        #expect(found.tokens.refreshToken == lost.tokens.refreshToken)
        _ = try await fixture.auth.session(found.tokens.sessionToken)
        // The new tokens have been presented, so the previous token is in the hands of somebody else.
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(ada.tokens.refreshToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.session(found.tokens.sessionToken) }
    }

    @Test(.rule("S-RFR-4"), arguments: StoreUnderTest.all)
    func `reuse of an old refresh token closes its session, and no other`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (ada, other) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "ada"))
        let first = try await fixture.auth.refresh(ada.tokens.refreshToken)
        let second = try await fixture.auth.refresh(first.tokens.refreshToken)
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(ada.tokens.refreshToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.session(second.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(second.tokens.refreshToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.resume(second.tokens.refreshToken) }
        _ = try await fixture.auth.session(other.tokens.sessionToken)
        #expect(try await fixture.audit("refresh.reused") == 1)
        #expect(try await fixture.closeReasons() == ["reused"])
    }

    @Test(.rule("S-RFR-5"), arguments: StoreUnderTest.all)
    func `an invalid refresh token writes nothing`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let before = try await fixture.count(AuditRecord.self)
        let forged = String(ada.tokens.refreshToken.dropLast()) + (ada.tokens.refreshToken.hasSuffix("A") ? "B" : "A")
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(forged) }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(fixture.unknownToken(.refresh)) }
        #expect(try await fixture.count(AuditRecord.self) == before)
        _ = try await fixture.auth.refresh(ada.tokens.refreshToken)
    }

    @Test(.rule("S-RFR-7"), arguments: StoreUnderTest.all)
    func `a refresh has the requirements of a request, and extends neither level nor expiry`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let stepped = try await fixture.rotate(ada.session, level: 2)
        let kept = try await fixture.auth.refresh(stepped.refreshToken)
        #expect(kept.session.level == 2)
        #expect(kept.session.expiresAt == ada.session.expiresAt)
        #expect(kept.session.levelAt == ada.session.levelAt)
        fixture.clock.advance(by: .seconds(3600))
        let lapsed = try await fixture.auth.refresh(kept.tokens.refreshToken)
        #expect(lapsed.session.level == 1)
        #expect(lapsed.session.authenticatedAt == ada.session.authenticatedAt)
        // Repeating the request returns the current state of the session.
        let again = try await fixture.auth.refresh(kept.tokens.refreshToken)
        #expect(again.tokens.refreshToken == lapsed.tokens.refreshToken)
        try await fixture.disable(ada.account.id)
        await expectError(.userDisabled) { try await fixture.auth.refresh(lapsed.tokens.refreshToken) }
        await expectError(.userDisabled) { try await fixture.auth.resume(lapsed.tokens.refreshToken) }
    }

    @Test(.rule("S-RFR-7"), arguments: StoreUnderTest.all)
    func `a repeated refresh returns the current level`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let stepped = try await fixture.rotate(ada.session, level: 2)
        _ = try await fixture.auth.refresh(stepped.refreshToken)
        fixture.clock.advance(by: .milliseconds(3_599_999))
        #expect(try await fixture.auth.refresh(stepped.refreshToken).session.level == 2)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(try await fixture.auth.refresh(stepped.refreshToken).session.level == 1)
    }

    @Test(.rule("SS-2", "R-SES-0"), arguments: StoreUnderTest.all)
    func `a device whose session was closed can resume with a new session of level 1`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        let tokens = try await fixture.rotate(ada.session, level: 2)
        try await ada.session.closeKeepingTokens()
        await expectError(.invalidUserToken) { try await fixture.auth.refresh(tokens.refreshToken) }
        fixture.clock.advance(by: .seconds(600))
        let resumed = try await fixture.auth.resume(tokens.refreshToken)
        #expect(resumed.session.id != ada.session.id)
        #expect(resumed.session.state == .open)
        #expect(resumed.session.level == 1)
        #expect(resumed.session.accountID == ada.account.id)
        #expect(resumed.session.expiresAt == ada.session.expiresAt)
        #expect(resumed.session.authenticatedAt == ada.session.authenticatedAt)
        _ = try await fixture.auth.session(resumed.tokens.sessionToken)
        await expectError(.invalidUserToken) { try await fixture.auth.session(tokens.sessionToken) }
        // The first repetition returns the same tokens; once they were used, resuming returns new tokens for the open
        // session.
        let again = try await fixture.auth.resume(tokens.refreshToken)
        #expect(again.tokens.refreshToken == resumed.tokens.refreshToken)
        let later = try await fixture.auth.resume(resumed.tokens.refreshToken)
        #expect(later.session.id == resumed.session.id)
        #expect(later.session.state == .openTokenExtended)
    }

    @Test(.rule("SS-2"), arguments: StoreUnderTest.all)
    func `a device that signed out cannot resume`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (ada, bob) = (try await fixture.signIn(as: "ada"), try await fixture.signIn(as: "bob"))
        try await ada.session.signOut()
        await expectError(.invalidUserToken) { try await fixture.auth.resume(ada.tokens.refreshToken) }
        try await bob.session.closeKeepingTokens()
        try await bob.session.signOut()
        await expectError(.invalidUserToken) { try await fixture.auth.resume(bob.tokens.refreshToken) }
        #expect(try await fixture.closeReasons() == ["cleared", "kept"])
    }

    @Test(.rule("S-RFR-5"), arguments: StoreUnderTest.all)
    func `keys can be rotated without closing sessions`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        func auth(_ keys: [[UInt8]]) throws -> Auth {
            try Auth(store: fixture.store, providers: .none, secrets: AccountSecrets(keys), clock: fixture.clock)
        }
        let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
        let rotated = try auth([new, old])
        _ = try await rotated.session(ada.tokens.sessionToken)
        let refreshed = try await rotated.refresh(ada.tokens.refreshToken)
        let again = try await rotated.refresh(ada.tokens.refreshToken)
        #expect(again.tokens.refreshToken == refreshed.tokens.refreshToken)
        let later = try auth([new])
        _ = try await later.session(refreshed.tokens.sessionToken)
        _ = try await later.refresh(refreshed.tokens.refreshToken)
        await expectError(.invalidUserToken) { try await later.session(ada.tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await auth([old]).session(refreshed.tokens.sessionToken) }
    }
}
