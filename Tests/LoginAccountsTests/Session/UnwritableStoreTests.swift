// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// A store that can be read but not written, as with a full disk.
@Suite struct UnwritableStoreTests {
    @Test(.rule("SS-14"), arguments: StoreUnderTest.all.filter { $0.name == "SQLite" })
    func `a session whose use SQLite refuses to write is open, and reports why`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(120))
        try await fixture.store.transaction { rows in
            _ = try #require(rows as? any SQLStoreTransaction).execute("PRAGMA query_only = 1", [])
        }
        await expectError(.storeUnavailable) { try await fixture.auth.begin(.signIn, with: .google) }
        for _ in 1...2 {
            let session = try await fixture.auth.session(ada.tokens.sessionToken)
            #expect(session.id == ada.session.id && session.unstoredUse?.code == .storeUnavailable)
        }
    }

    @Test(.rule("SS-8", "SS-14"), arguments: StoreUnderTest.all)
    func `the use is stored when the store can be written again`(_ store: StoreUnderTest) async throws {
        let disk = BreakableStore(try await store.make())
        let fixture = try await AuthFixture(disk)
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(120))
        disk.writeFailure = .unavailable
        #expect(try await fixture.auth.session(ada.tokens.sessionToken).unstoredUse?.code == .storeUnavailable)
        disk.writeFailure = .damaged
        await expectError(.internalError) { try await fixture.auth.session(ada.tokens.sessionToken) }
        disk.writeFailure = nil
        #expect(try await fixture.auth.session(ada.tokens.sessionToken).unstoredUse == nil)
        #expect(try await fixture.record(of: ada.session).lastSeenAt == StoreTime(fixture.clock.now))
    }

    @Test(.rule("SS-14"), arguments: StoreUnderTest.all)
    func `an end, a lost level and the first use of new tokens must be stored`(_ store: StoreUnderTest) async throws {
        let disk = BreakableStore(try await store.make())
        let fixture = try await AuthFixture(disk)
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        let refreshed = try await fixture.auth.refresh(ada.tokens.refreshToken)
        let bob = try await fixture.signIn(as: "bob")
        try await fixture.giveFactor(to: bob.account.id)
        _ = try await fixture.auth.session(bob.tokens.sessionToken)
        try await fixture.raise(bob.session)
        let new = try await fixture.signIn(as: "carol")
        disk.writeFailure = .unavailable
        await expectError(.storeUnavailable) { try await fixture.auth.session(refreshed.tokens.sessionToken) }
        // The token of a session that was just opened has replaced no other.
        #expect(try await fixture.auth.session(new.tokens.sessionToken).unstoredUse != nil)
        #expect(try await fixture.auth.session(bob.tokens.sessionToken).level == 2)
        fixture.clock.advance(by: fixture.auth.policy.sessions.secondFactorIdle)
        await expectError(.storeUnavailable) { try await fixture.auth.session(bob.tokens.sessionToken) }
        fixture.clock.advance(by: fixture.auth.policy.sessions.absolute)
        await expectError(.storeUnavailable) { try await fixture.auth.session(new.tokens.sessionToken) }
        disk.writeFailure = nil
        await expectError(.userTokenExpired) { try await fixture.auth.session(new.tokens.sessionToken) }
    }

    @Test(.rule("SS-14")) func `a store that cannot be read returns no session`() async throws {
        let store = BreakableStore()
        let fixture = try await AuthFixture(store)
        let ada = try await fixture.signIn(as: "ada")
        _ = try await fixture.auth.session(ada.tokens.sessionToken)
        fixture.clock.advance(by: .seconds(120))
        store.failure = .unavailable
        await expectError(.storeUnavailable) { try await fixture.auth.session(ada.tokens.sessionToken) }
        store.failure = nil
        #expect(try await fixture.auth.session(ada.tokens.sessionToken).unstoredUse == nil)
    }
}
