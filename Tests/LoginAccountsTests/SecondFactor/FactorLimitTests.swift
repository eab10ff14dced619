// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Limits for guesses of second factors, and recovery codes.
@Suite struct FactorLimitTests {
    /// Presents this number of wrong codes, with as many sign-ins as that takes.
    private func guess(_ count: Int, _ fixture: AuthFixture, _ app: TestApp) async throws {
        var resolver = try await fixture.resolver()
        for index in 0..<count {
            if index > 0, index % 5 == 0 { resolver = try await fixture.resolver() }
            await expectError(.invalidVerificationCode) {
                try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
            }
        }
    }

    @Test(.rule("LIMIT-1", "LIMIT-4"), arguments: StoreUnderTest.all)
    func `a sign-in allows five attempts at its second factor`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        for left in [4, 3, 2, 1] {
            await expectError(.invalidVerificationCode) {
                try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
            }
            #expect(try await fixture.auth.resolver(for: resolver.token).attemptsLeft == left)
        }
        let last = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
        }
        await expectError(.invalidMultiFactorSession) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        _ = try await last.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("TOTP-3", "LIMIT-4"), arguments: StoreUnderTest.all)
    func `a replayed code is distinguished from a wrong one, and also counts as an attempt`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        // The code that confirmed the app is one step old, and still within the window.
        let replayed = await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock, steps: -1)))
        }
        #expect(replayed?.isReplayedCode == true)
        #expect(
            replayed?.publicMessage
                == "invalid-verification-code: This code was already used. Wait for the next one."
        )
        #expect(try await fixture.auth.resolver(for: resolver.token).attemptsLeft == 4)
        let wrong = await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
        }
        #expect(wrong?.isReplayedCode == false)
        #expect(wrong?.publicMessage == "invalid-verification-code: The code is wrong.")
        #expect(try await fixture.auth.resolver(for: resolver.token).attemptsLeft == 3)
        let code = app.code(fixture.clock)
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: code))
        // The same in an open session.
        let shown = await expectError(.invalidVerificationCode) {
            try await enrolled.session.stepUp(with: .totp(app.uid, code: code))
        }
        #expect(shown?.isReplayedCode == true)
        fixture.clock.advance(by: .seconds(30))
        _ = try await enrolled.session.stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("LIMIT-1", "LIMIT-2", "LIMIT-3"), arguments: StoreUnderTest.all)
    func `ten wrong codes in a row lock the factors, and the second lock lasts twice as long`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.factors.attemptsPerAccountAndHour = 1000
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        for minutes in [15, 30] {
            try await guess(10, fixture, app)
            // The first factor is still accepted, so an attacker without it cannot lock out the user.
            let resolver = try await fixture.resolver()
            let error = await expectError(.tooManyRequests) {
                try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
            }
            #expect(error?.retryAfter == .seconds(60 * minutes))
            #expect(try await fixture.auth.resolver(for: resolver.token).attemptsLeft == 5)
            fixture.clock.advance(by: .seconds(60 * minutes))
        }
        let free = try await fixture.resolver()
        _ = try await free.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(try await fixture.audit("second-factor.locked") == 2)
    }

    @Test(.rule("LIMIT-1")) func `a lock lasts at most a day`() {
        let first = Duration.seconds(900)
        #expect(
            (0...3).map { FactorLock.duration(after: $0, first: first) }
                == [900, 1800, 3600, 7200].map { .seconds($0) }
        )
        #expect(FactorLock.duration(after: 7, first: first) == .seconds(86400))
        #expect(FactorLock.duration(after: .max, first: first) == .seconds(86400))
        #expect(FactorLock.duration(after: -1, first: .seconds(1_000_000)) == .seconds(86400))
    }

    @Test(.rule("LIMIT-5"), arguments: StoreUnderTest.all)
    func `a correct code resets the count of consecutive failures, but not the hourly limit`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.factors.attemptsPerAccountAndHour = 20
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        for _ in 1...2 {
            try await guess(9, fixture, app)
            fixture.clock.advance(by: .seconds(30))
            _ = try await fixture.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        fixture.clock.advance(by: .seconds(30))
        let resolver = try await fixture.resolver()
        let error = await expectError(.tooManyRequests) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        fixture.clock.advance(by: error?.retryAfter ?? .zero)
        _ = try await fixture.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("LIMIT-1", "LIMIT-6"), arguments: StoreUnderTest.all)
    func `attempts are limited per network, and a sign-in may change its network`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.factors.attemptsPerAddressAndMinute = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let home = RequestOrigin(address: "2001:db8:1:2::1")
        let sameHome = RequestOrigin(address: "2001:db8:1:ffff::2")
        let train = RequestOrigin(address: "2001:db8:2::1")
        for origin in [home, sameHome] {
            await expectError(.invalidVerificationCode) {
                try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)), from: origin)
            }
        }
        await expectError(.tooManyRequests) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)), from: home)
        }
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)), from: train)
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `an open session allows five attempts in ten minutes`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let session = try await fixture.lowered(enrolled.session)
        for _ in 1...5 {
            await expectError(.invalidVerificationCode) {
                try await session.stepUp(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
            }
        }
        await expectError(.tooManyRequests) {
            try await session.stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        fixture.clock.advance(by: .seconds(600))
        let raised = try await session.stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(raised.session.level == 2)
        #expect(raised.outcome == .reauthenticated)
    }

    @Test(.rule("LIMIT-3"), arguments: StoreUnderTest.all)
    func `wrong codes in an open session lock no factor, and ten in a row close the session`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let tokens = try #require(enrolled.tokens)
        // A right code resets the counter.
        for wrong in [9, 9, 10] {
            for index in 1...wrong {
                if index % 5 == 1 { fixture.clock.advance(by: .seconds(600)) }
                let session = try await fixture.auth.session(tokens.sessionToken)
                await expectError(.invalidVerificationCode) {
                    try await session.stepUp(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
                }
            }
            guard wrong == 9 else { break }
            fixture.clock.advance(by: .seconds(600))
            _ = try await fixture.auth.session(tokens.sessionToken)
                .stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        await expectError(.invalidUserToken) { try await fixture.auth.session(tokens.sessionToken) }
        await expectError(.invalidUserToken) { try await fixture.auth.resume(tokens.refreshToken) }
        #expect(try await fixture.closeReasons().contains("too-many-wrong-factors"))
        #expect(try await fixture.audit("second-factor.locked") == 0)
        fixture.clock.advance(by: .seconds(30))
        _ = try await fixture.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `a budget is spent until it is empty, and is full again after its window`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let budget = Budget(purpose: "test", subject: "one", limit: 2, window: .seconds(60))
        let other = Budget(purpose: "test", subject: "two", limit: 3, window: .seconds(60))
        try await fixture.read { try $0.budgets.spend(budget, other) }
        try await fixture.read { try $0.budgets.spend(budget, other) }
        fixture.clock.advance(by: .milliseconds(59_999))
        let error = await expectError(.tooManyRequests) {
            try await fixture.read { try $0.budgets.spend(other, budget) }
        }
        #expect(error?.retryAfter == .milliseconds(1))
        // A refused request takes nothing from the other budget.
        try await fixture.read { try $0.budgets.spend(other) }
        await expectError(.tooManyRequests) { try await fixture.read { try $0.budgets.spend(other) } }
        fixture.clock.advance(by: .milliseconds(1))
        try await fixture.read { try $0.budgets.spend(budget, other) }
        try await fixture.read { try $0.budgets.refill(budget) }
        let kept: [BudgetRecord] = try await fixture.read { try $0.tables.rows.all() }
        #expect(kept.count == 1 && kept.allSatisfy { !$0.key.contains("two") })
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `a budget of zero allows nothing, and a key rotation does not refill a budget`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let none = Budget(purpose: "test", subject: "one", limit: 0, window: .seconds(60))
        let error = await expectError(.tooManyRequests) { try await fixture.read { try $0.budgets.spend(none) } }
        #expect(error?.retryAfter == .seconds(60))
        let one = Budget(purpose: "test", subject: "one", limit: 1, window: .seconds(60))
        try await fixture.read { try $0.budgets.spend(one) }
        let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
        let rotated = fixture.with(AuthPolicy(), secrets: try AccountSecrets([new, old]))
        await expectError(.tooManyRequests) { try await rotated.read { try $0.budgets.spend(one) } }
        fixture.clock.advance(by: .seconds(60))
        try await rotated.read { try $0.budgets.spend(one) }
    }
}

/// Sign-ins with recovery codes.
@Suite struct RecoverySignInTests {
    @Test(.rule("RECOVERY-1", "RECOVERY-3", "RECOVERY-4"), arguments: StoreUnderTest.all)
    func `a recovery code opens a session once, and the session is marked as opened by recovery`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (_, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
        #expect(codes.count == 10)
        let first = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await first.resolveSignIn(with: .recoveryCode(RecoveryCode().text))
        }
        await expectError(.invalidVerificationCode) { try await first.resolveSignIn(with: .recoveryCode("x")) }
        let result = try await first.resolveSignIn(with: .recoveryCode(codes[3].lowercased()))
        #expect(result.session.level == 2)
        let record = try await fixture.read { try $0.sessions.current(result.session) }
        #expect(record.isViaRecovery)
        #expect(try await result.session.multiFactor.remainingRecoveryCodes() == 9)
        #expect(try await fixture.audit("recovery-code.used") == 1)
        let second = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await second.resolveSignIn(with: .recoveryCode(codes[3]))
        }
        _ = try await second.resolveSignIn(with: .recoveryCode(codes[4]))
    }

    @Test(.rule("RECOVERY-3"), arguments: StoreUnderTest.all)
    func `a recovery code is not consumed if no session opens`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (_, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let resolver = try await fixture.resolver()
        try await fixture.setDisabled(true, enrolled.session.accountID)
        await expectError(.userDisabled) { try await resolver.resolveSignIn(with: .recoveryCode(codes[0])) }
        try await fixture.setDisabled(false, enrolled.session.accountID)
        _ = try await resolver.resolveSignIn(with: .recoveryCode(codes[0]))
    }

    @Test(.rule("RECOVERY-2", "RECOVERY-5", "RECOVERY-6"), arguments: StoreUnderTest.all)
    func `new recovery codes void the old ones, and only hashes are stored`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        await expectError(.secondFactorRequired) { try await ada.session.multiFactor.generateRecoveryCodes() }
        let (_, enrolled) = try await fixture.enrolApp(ada.session)
        let old = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let new = try await enrolled.session.multiFactor.generateRecoveryCodes()
        #expect(Set(old).isDisjoint(with: new))
        let kept: [RecoveryCodeRecord] = try await fixture.read { try $0.tables.rows.all() }
        #expect(Set(kept.map(\.hash)) == Set(new.compactMap { RecoveryCode($0)?.hash }))
        let resolver = try await fixture.resolver()
        await expectError(.invalidVerificationCode) { try await resolver.resolveSignIn(with: .recoveryCode(old[0])) }
        _ = try await resolver.resolveSignIn(with: .recoveryCode(new[0]))
    }
}

@Suite struct RequestOriginTests {
    @Test(
        .rule("LIMIT-1"),
        arguments: [
            ("192.0.2.77", "192.0.2.0/24"), ("255.255.255.255", "255.255.255.0/24"),
            ("::ffff:192.0.2.77", "192.0.2.0/24"),
            ("2001:db8:1:2ff::1", "2001:db8:1::/48"), ("2001:db8:2::1", "2001:db8:2::/48"), ("::1", "::/48"),
        ]
    )
    func `only the network prefix of an IP address is stored`(address: String, prefix: String) {
        #expect(RequestOrigin(address: address).addressPrefix == prefix)
    }

    @Test(arguments: [
        "", "192.0.2", "192.0.2.1:80", "[::1]", "fe80::1%eth0", "example.com", String(repeating: "1.", count: 9999),
    ])
    func `an invalid IP address is omitted`(address: String) {
        #expect(RequestOrigin(address: address).addressPrefix == nil)
    }

    @Test func `a device name is stored on one line, and truncated`() {
        let origin = RequestOrigin(address: nil, device: "Phone\r\n" + String(repeating: "x", count: 10_000))
        #expect((origin.device?.utf8.count ?? 0) < 250)
        #expect(origin.device?.contains("\n") == false)
        #expect(!"\(origin)".contains("Phone"))
    }
}
