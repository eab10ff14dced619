// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Two servers with one store, the clock of one of which is behind.
@Suite struct SkewedClockTests {
    private static let differences = [70, 1000, 3700]

    /// Returns a server with the store of a fixture, whose clock is behind.
    private func behind(_ fixture: AuthFixture, by seconds: Int) -> Auth {
        let clock = ManualClock(fixture.clock.now)
        clock.advance(by: .seconds(-seconds))
        return Auth(
            store: fixture.store,
            providers: fixture.auth.providers,
            secrets: AuthFixture.secrets,
            policy: fixture.auth.policy,
            clock: clock
        )
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all, differences)
    func `alternating requests are counted in one window`(_ store: StoreUnderTest, _ seconds: Int) async throws {
        let fixture = try await AuthFixture(store.make())
        let other = behind(fixture, by: seconds)
        let budget = Budget(purpose: "test", subject: "ada", limit: 2, window: .seconds(900))
        var admitted = 0
        for round in 0..<10 {
            let server = round.isMultiple(of: 2) ? fixture.auth : other
            if try await server.transaction({ try $0.budgets.take(budget) }) { admitted += 1 }
        }
        #expect(admitted == 2)
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all, differences)
    func `a server whose clock is behind closes no session of another, and lowers no level there`(
        _ store: StoreUnderTest,
        _ seconds: Int
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let other = behind(fixture, by: seconds)
        let tokens = try await fixture.signIn(as: "ada").tokens
        let session = try await fixture.auth.session(tokens.sessionToken)
        try await fixture.raise(session)
        let before = try await fixture.everything()[SessionRecord.table.name]
        for _ in 1...2 {
            if seconds > 3600 {
                await expectError(.userTokenExpired) { try await other.session(tokens.sessionToken) }
                await expectError(.userTokenExpired) { try await other.refresh(tokens.refreshToken) }
            } else {
                #expect(try await other.session(tokens.sessionToken).level == 1)
                await expectError(.secondFactorRequired) {
                    try await other.session(tokens.sessionToken, requiring: 2)
                }
            }
            #expect(try await fixture.auth.session(tokens.sessionToken, requiring: 2).level == 2)
        }
        #expect(try await fixture.everything()[SessionRecord.table.name] == before)
    }

    @Test(.rule("TIME-1"), arguments: StoreUnderTest.all)
    func `a refresh by a server whose clock is behind keeps the session and its level for the others`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make(), policy: AuthPolicy(sessions: .aal3))
        let other = behind(fixture, by: 1000)
        let ada = try await fixture.signIn(as: "ada")
        try await fixture.raise(fixture.auth.session(ada.tokens.sessionToken))
        let refreshed = try await other.refresh(ada.tokens.refreshToken)
        #expect(refreshed.session.level == 1)
        #expect(try await fixture.auth.session(refreshed.tokens.sessionToken).level == 2)
    }
}
