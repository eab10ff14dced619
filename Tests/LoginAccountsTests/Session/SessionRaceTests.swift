// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

@Suite(.rule("S-RAC-1")) struct SessionRaceTests {
    @Test(.rule("E8", "S-RFR-6"), arguments: StoreUnderTest.all, [8, 32])
    func `E8: concurrent refreshes count as one, and all return the same tokens`(_ store: StoreUnderTest, _ count: Int)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        let ada = try await fixture.signIn(as: "ada")
        var token = ada.tokens.refreshToken
        try await fixture.rounds { round in
            let presented = token
            let servers = [one, other]
            let results = await Race.run(
                (0..<count).map { index -> @Sendable () async throws -> SessionTokens in
                    { try await servers[index % 2].refresh(presented).tokens }
                }
            )
            let tokens = Race.winners(results)
            #expect(tokens.count == count, "\(Race.refusals(results))")
            #expect(Set(tokens.map(\.refreshToken)).count == 1)
            #expect(Set(tokens.map(\.sessionToken)).count == 1)
            #expect(try await fixture.record(of: ada.session).generation == Int64(round))
            token = try #require(tokens.first).refreshToken
            _ = try await fixture.auth.session(try #require(tokens.first).sessionToken)
        }
    }

    @Test(.rule("S-SES-7"), arguments: StoreUnderTest.all)
    func `a session that is closed during its refresh stays closed`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let ada = try await fixture.signIn(as: "ada")
            let session = try await other.session(ada.tokens.sessionToken)
            let results = await Race.run(
                [
                    { try await one.refresh(ada.tokens.refreshToken).tokens },
                    {
                        try await session.signOut()
                        return nil
                    },
                ] as [@Sendable () async throws -> SessionTokens?]
            )
            #expect(Race.refusals(results).allSatisfy { $0 == "invalid-user-token" })
            for tokens in [ada.tokens] + Race.winners(results).compactMap({ $0 }) {
                await expectError(.invalidUserToken) { try await one.session(tokens.sessionToken) }
                await expectError(.invalidUserToken) { try await one.resume(tokens.refreshToken) }
            }
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `concurrent sweeps delete each expired row once, beside a sign-in that succeeds`(_ store: StoreUnderTest)
        async throws
    {
        let policy = AuthPolicy(linking: LinkPolicy(anonymousLifetime: .seconds(3600)))
        let fixture = try await AuthFixture(store.pair(), policy: policy)
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            try await fixture.signIn(as: "early \(round)")
            _ = try await fixture.auth.signInAnonymously()
            for _ in 1...5 { _ = try await fixture.auth.begin(.signIn, with: .google) }
            fixture.clock.advance(by: .seconds(14 * 86400 + 1))
            let expired = try await fixture.count(AttemptRecord.self)
            let credential = try await fixture.credential(as: "ada", with: .google)
            let contenders: [Race.Contender<SweepReport?>] = [
                { try await one.sweep() },
                { try await other.sweep() },
                {
                    _ = try await one.signIn(with: credential).get()
                    return nil
                },
            ]
            let results = await Race.run(contenders)
            #expect(Race.refusals(results) == [])
            let reports = Race.winners(results).compactMap { $0 }
            let attempts = reports.map { $0.removed[AttemptRecord.table.name] ?? 0 }
            #expect(attempts.reduce(0, +) == expired)
            #expect(reports.map(\.deletedAccounts).reduce(0, +) == 1)
            let open = SessionRecord.Column.closedAt.isNull
            #expect(try await fixture.count(SessionRecord.self, where: open) == 1)
        }
    }

    @Test(.rule("SS-9"), arguments: StoreUnderTest.all)
    func `no session survives the closing of all sessions, despite concurrent refreshes and resumes`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let ada = try await fixture.signIn(as: "ada")
            let kept = try await fixture.signIn(as: "ada")
            try await kept.session.closeKeepingTokens()
            let results = await Race.run(
                [
                    { try await one.refresh(ada.tokens.refreshToken).tokens },
                    { try await one.resume(kept.tokens.refreshToken).tokens },
                    {
                        try await other.closeSessions(of: ada.account.id)
                        return nil
                    },
                ] as [@Sendable () async throws -> SessionTokens?]
            )
            #expect(Race.refusals(results).allSatisfy { $0 == "invalid-user-token" })
            for tokens in [ada.tokens, kept.tokens] + Race.winners(results).compactMap({ $0 }) {
                await expectError(.invalidUserToken) { try await one.session(tokens.sessionToken) }
                await expectError(.invalidUserToken) { try await other.resume(tokens.refreshToken) }
            }
        }
    }

    @Test(.rule("SS-12"), .timeLimit(.minutes(10)), arguments: StoreUnderTest.databases)
    func `a request with a session token that is in use does not wait for a writer`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let ada = try await fixture.signIn(as: "ada")
        let server = fixture.otherServer
        _ = try await server.session(ada.tokens.sessionToken)
        let latch = Latch()
        let (begins, began) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await fixture.read { transaction in
                    _ = try transaction.accounts.lock(ada.account.id)
                    try transaction.sessions.close(of: ada.account.id, reason: .closedByService)
                    began.yield()
                    latch.wait()
                }
            }
            for await _ in begins { break }
            // Uncommitted changes have no effect on others.
            #expect(try await server.session(ada.tokens.sessionToken).id == ada.session.id)
            latch.open()
            try await group.waitForAll()
        }
        await expectError(.invalidUserToken) { try await server.session(ada.tokens.sessionToken) }
    }

    @Test(.rule("SS-2"), arguments: StoreUnderTest.all)
    func `concurrent resumes of one device open one session`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let ada = try await fixture.signIn(as: "ada")
            try await ada.session.closeKeepingTokens()
            let resume: @Sendable (Auth) -> @Sendable () async throws -> SessionID = { auth in
                { try await auth.resume(ada.tokens.refreshToken).session.id }
            }
            let results = await Race.run([one, other, one, other].map(resume))
            let ids = Race.winners(results)
            #expect(ids.count == 4, "\(Race.refusals(results))")
            #expect(Set(ids).count == 1)
            #expect(ids.first != ada.session.id)
        }
    }

    @Test(.rule("S-SES-6"), arguments: StoreUnderTest.all)
    func `concurrent sign-ins do not exceed the maximum number of sessions`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.pair())
        fixture.use(SessionPolicy(maximumPerAccount: 3))
        let (one, other) = fixture.servers
        let first = try await fixture.signIn(as: "ada")
        try await fixture.rounds { _ in
            var contenders: [Race.Contender<SessionID>] = []
            for server in [one, other, one, other, one, other] {
                let credential = try await fixture.credential(as: "ada", with: .google)
                contenders.append { try await server.signIn(with: credential).get().session.id }
            }
            let results = await Race.run(contenders)
            #expect(Race.winners(results).count == 6, "\(Race.refusals(results))")
            let open = try await fixture.read { transaction in
                try transaction.tables.rows.all(
                    SessionRecord.self,
                    where: SessionRecord.Column.accountID.equals(first.account.id.rawValue),
                    SessionRecord.Column.closedAt.isNull
                ).count
            }
            #expect(open == 3)
        }
    }

    @Test(.rule("SS-8"), arguments: StoreUnderTest.all)
    func `a session that is closed while it is used is closed for the next request`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair())
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let ada = try await fixture.signIn(as: "ada")
            let results = await Race.run(
                [
                    { _ = try await one.session(ada.tokens.sessionToken) },
                    { _ = try await other.session(ada.tokens.sessionToken) },
                    { try await ada.session.closeKeepingTokens() },
                ] as [@Sendable () async throws -> Void]
            )
            #expect(Race.refusals(results).allSatisfy { $0 == "invalid-user-token" })
            await expectError(.invalidUserToken) { try await other.session(ada.tokens.sessionToken) }
            #expect(try await fixture.record(of: ada.session).closeReason == "kept")
        }
    }
}
