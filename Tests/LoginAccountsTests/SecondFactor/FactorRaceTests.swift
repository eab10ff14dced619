// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Several clients present the same code at the same time, with a wait between each read and write.
@Suite struct FactorRaceTests {
    private static let policy: AuthPolicy = {
        var policy = AuthPolicy.patient
        policy.factors.attemptsPerAccountAndHour = 10_000
        policy.sessions.maximumPerAccount = 10_000
        return policy
    }()

    @Test(.rule("E6", "TOTP-3", "R-MFA-6", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `E6: concurrent uses of one TOTP code, by one resolver or two, succeed once`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.pair(), policy: Self.policy)
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let first = try await fixture.resolver().token
            let second = round.isMultiple(of: 2) ? first : try await fixture.resolver().token
            let code = app.code(fixture.clock)
            let results = await Race.run(
                [(first, one), (second, other)].map { token, server in
                    { @Sendable in try await server.resolveSignIn(token, with: .totp(app.uid, code: code)).session.id }
                }
            )
            #expect(Race.winners(results).count == 1)
            let expected = first == second ? "invalid-multi-factor-session" : "invalid-verification-code"
            #expect(Race.refusals(results) == [expected])
            fixture.clock.advance(by: .seconds(30))
        }
    }

    @Test(.rule("E7", "RECOVERY-3", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `E7: concurrent uses of one recovery code succeed once`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair(), policy: Self.policy)
        let (_, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let (one, other) = fixture.servers
        var codes: [String] = []
        try await fixture.rounds { _ in
            if codes.isEmpty { codes = try await enrolled.session.multiFactor.generateRecoveryCodes() }
            let code = codes.removeLast()
            let (first, second) = (try await fixture.resolver().token, try await fixture.resolver().token)
            let results = await Race.run(
                [(first, one), (second, other)].map { token, server in
                    { @Sendable in try await server.resolveSignIn(token, with: .recoveryCode(code)).session.id }
                }
            )
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["invalid-verification-code"])
        }
    }

    @Test(.rule("PHONE-2", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `concurrent uses of one sent code succeed once`(_ store: StoreUnderTest) async throws {
        var policy = Self.policy
        policy.factors.sendsPerNumberAndHour = 10_000
        let fixture = try await AuthFixture(store.pair(), policy: policy)
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let resolver = try await fixture.resolver()
            let challenge = try await resolver.beginChallenge(factor: phone.factor.uid)
            let code = try fixture.lastCode()
            let results = await Race.run(
                [one, other].map { server in
                    { @Sendable in
                        try await server.resolveSignIn(
                            resolver.token,
                            with: .phone(challengeID: challenge.id, code: code)
                        ).session.id
                    }
                }
            )
            #expect(Race.winners(results).count == 1)
            #expect(Race.refusals(results) == ["invalid-multi-factor-session"])
            fixture.clock.advance(by: .seconds(30))
        }
    }

    @Test(.rule("RECOVERY-2", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `concurrent generations of recovery codes leave the codes of one of them`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.pair(), policy: Self.policy)
        let (_, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let (one, other) = fixture.servers
        try await fixture.rounds { _ in
            let sessions = [
                try await fixture.session(enrolled.session, on: one),
                try await fixture.session(enrolled.session, on: other),
            ]
            let results = await Race.run(
                sessions.map { session in { @Sendable in try await session.multiFactor.generateRecoveryCodes() } }
            )
            let made = Race.winners(results)
            #expect(made.count == 2)
            let kept: [RecoveryCodeRecord] = try await fixture.read { try $0.tables.rows.all() }
            let hashes = Set(kept.map(\.hash))
            #expect(kept.count == 10)
            #expect(made.contains { codes in Set(codes.compactMap { RecoveryCode($0)?.hash }) == hashes })
        }
    }

    @Test(.rule("LIMIT-4", "LIMIT-5", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `concurrent attempts are limited like consecutive ones`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.pair(), policy: Self.policy)
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let (one, other) = fixture.servers
        let wrong = app.wrongCode(fixture.clock)
        let tokens = [try await fixture.resolver().token, try await fixture.resolver().token]
        // Twelve attempts for each of two sign-ins, which allow five each.
        let results = await Race.run(
            (0..<24).map { index in
                let server = index % 4 < 2 ? one : other
                return { @Sendable in
                    try await server.resolveSignIn(tokens[index % 2], with: .totp(app.uid, code: wrong))
                }
            }
        )
        let refusals = Race.refusals(results)
        #expect(refusals.filter { $0 == "invalid-verification-code" }.count == 10)
        #expect(refusals.count == 24)
        #expect(try await fixture.audit("second-factor.failed") == 10)
        #expect(try await fixture.audit("second-factor.locked") == 1)
        #expect(try await AccountInvariants.violations(in: fixture.otherStore) == [])
    }

    @Test(.rule("R-MFA-12", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `a phone that is enrolled twice concurrently is enrolled once`(_ store: StoreUnderTest) async throws {
        var policy = Self.policy
        policy.factors.sendsPerNumberAndHour = 10_000
        policy.factors.resendInterval = .zero
        let fixture = try await AuthFixture(store.pair(), policy: policy)
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let name = "person\(round)"
            let session = try await fixture.signIn(as: name, email: "\(name)@example.com").session
            let sessions = [
                try await fixture.session(session, on: one), try await fixture.session(session, on: other),
            ]
            let begun = await Race.run(
                sessions.map { session in
                    { @Sendable in try await session.multiFactor.beginEnrollment(.phone(AuthFixture.phone)) }
                }
            )
            // The later enrolment has revoked the code of the earlier one.
            let codes = fixture.codes.messages.suffix(2).map(\.code)
            let confirmed = await Race.run(
                Race.winners(begun).flatMap { enrollment in
                    codes.map { code in { @Sendable in try await enrollment.confirm(code).factor.uid } }
                }
            )
            #expect(Race.winners(begun).count == 2)
            #expect(Race.winners(confirmed).count == 1)
            let account = session.accountID
            #expect(try await fixture.read { try $0.factors.confirmed(of: account).count } == 1)
        }
    }

    @Test(.rule("R-MFA-14", "S-RAC-1"), arguments: StoreUnderTest.all)
    func `a session that is used while the last factor is removed loses its level`(_ store: StoreUnderTest) async throws
    {
        let fixture = try await AuthFixture(store.pair(), policy: Self.policy)
        let (one, other) = fixture.servers
        try await fixture.rounds { round in
            let name = "person\(round)"
            let first = try await fixture.signIn(as: name, email: "\(name)@example.com").session
            let (app, enrolled) = try await fixture.enrolApp(first)
            let token = try #require(enrolled.tokens).sessionToken
            // After this time, using the session updates its time of last use.
            fixture.clock.advance(by: .seconds(60))
            let session = try await fixture.session(enrolled.session, on: other)
            let results = await Race.run(
                [
                    { _ = try await one.session(token) },
                    { try await session.multiFactor.unenroll(app.uid) },
                    { _ = try await one.session(token) },
                ] as [@Sendable () async throws -> Void]
            )
            #expect(Race.winners(results).count == 3, "\(Race.refusals(results))")
            #expect(try await fixture.auth.session(token).level == 1)
        }
    }
}
