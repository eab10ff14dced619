// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The step from the first factor to the second, and its outcomes.
@Suite struct ResolverTests {
    @Test(.rule("R-MFA-1", "R-SIG-6"), arguments: StoreUnderTest.all)
    func `an account with a second factor gets no session before the factor is verified`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        _ = try await fixture.enrolApp(ada.session)
        let sessions = try await fixture.count(SessionRecord.self)
        let before = try await fixture.read { try $0.accounts.lock(ada.account.id).lastSignInAt }
        let resolver = try await fixture.resolver()
        #expect(resolver.attemptsLeft == 5)
        #expect(resolver.expiresAt == fixture.clock.now + 600)
        #expect(try await fixture.count(SessionRecord.self) == sessions)
        #expect(try await fixture.read { try $0.accounts.lock(ada.account.id).lastSignInAt } == before)
    }

    @Test(.rule("R-MFA-5", "R-MFA-6"), arguments: StoreUnderTest.all)
    func `a TOTP code completes a sign-in once, with a session of level 2`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let (app, _) = try await fixture.enrolApp(ada.session)
        let resolver = try await fixture.resolver()
        let result = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(result.account.id == ada.account.id)
        #expect(result.outcome == .signedIn)
        #expect(result.session.level == 2)
        #expect(result.account.lastSignInAt == fixture.clock.now)
        #expect(try await fixture.audit("second-factor.passed") == 1)
        fixture.clock.advance(by: .seconds(60))
        await expectError(.invalidMultiFactorSession) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        #expect(try await fixture.count(PendingSignInRecord.self) == 0)
    }

    @Test(.rule("R-MFA-2", "R-MFA-3", "TOTP-10"), arguments: StoreUnderTest.all)
    func `hints show display names and phone suffixes, and a factor is selected by its uid`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let (first, enrolled) = try await fixture.enrolApp(ada.session, name: "Same\u{202E}\n")
        let (second, _) = try await fixture.enrolApp(enrolled.session, name: "Same")
        let phone = try await fixture.enrolPhone(enrolled.session)
        let resolver = try await fixture.resolver()
        #expect(resolver.hints.map(\.uid) == [first.uid, second.uid, phone.factor.uid])
        #expect(resolver.hints.map(\.displayName) == ["Same", "Same", nil])
        #expect(resolver.hints.map(\.phoneNumberSuffix) == [nil, nil, "0100"])
        #expect(resolver.hints.map(\.factorID) == [.totp, .totp, .phone])
        let json = String(decoding: try JSONEncoder().encode(resolver), as: UTF8.self)
        #expect(json.contains(resolver.token) && json.contains(first.uid))
        #expect(!json.contains(AuthFixture.phone) && !json.contains(Base32.encode(first.totp.secret)))
        #expect(!"\(resolver)\(String(reflecting: resolver))".contains(resolver.token))
        // A code of one app is not valid for another.
        await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(first.uid, code: second.code(fixture.clock)))
        }
        _ = try await resolver.resolveSignIn(with: .totp(second.uid, code: second.code(fixture.clock)))
    }

    @Test(.rule("R-MFA-7"), arguments: StoreUnderTest.all)
    func `each kind of invalid second factor has its error code, and only wrong codes count as attempts`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let right = MultiFactorAssertion.totp(app.uid, code: app.code(fixture.clock))
        let auth = fixture.auth
        await expectError(.missingMultiFactorSession) { try await auth.resolveSignIn("", with: right) }
        for forged in [
            "x", "llm_", OneTimeToken.signIn.make(), resolver.token + "A", "llc_" + resolver.token.dropFirst(4),
        ] {
            await expectError(.invalidMultiFactorSession) { try await auth.resolveSignIn(forged, with: right) }
            await expectError(.invalidMultiFactorSession) { try await auth.resolver(for: forged) }
        }
        await expectError(.missingMultiFactorInfo) {
            try await resolver.resolveSignIn(with: .totp("", code: app.code(fixture.clock)))
        }
        for unknown in ["x", app.uid + "\0", app.uid.uppercased() + " ", String(repeating: "x", count: 100_000)] {
            await expectError(.multiFactorInfoNotFound) {
                try await resolver.resolveSignIn(with: .totp(unknown, code: app.code(fixture.clock)))
            }
        }
        await expectError(.invalidVerificationID) {
            try await resolver.resolveSignIn(with: .phone(challengeID: OneTimeToken.challenge.make(), code: "123456"))
        }
        // None of these counted as a guess; a wrong code does.
        #expect(try await auth.resolver(for: resolver.token).attemptsLeft == 5)
        await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
        }
        #expect(try await auth.resolver(for: resolver.token).attemptsLeft == 4)
        _ = try await auth.resolveSignIn(resolver.token, with: right)
    }

    @Test(.rule("R-MFA-7"), arguments: StoreUnderTest.all)
    func `a sign-in waits at most ten minutes for its second factor`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        let first = try await fixture.resolver()
        fixture.clock.advance(by: .milliseconds(600_000 - 1))
        _ = try await first.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let second = try await fixture.resolver()
        fixture.clock.advance(by: .seconds(600))
        await expectError(.invalidMultiFactorSession) {
            try await second.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
    }

    @Test(.rule("R-MFA-8"), arguments: StoreUnderTest.all)
    func `the factors of an account are read when one is presented, and not when the sign-in began`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let (first, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let (second, _) = try await fixture.enrolApp(enrolled.session)
        // A factor added later is not among the hints, but may be used; a removed one may not.
        #expect(resolver.hints.count == 1)
        #expect(try await fixture.auth.resolver(for: resolver.token).hints.count == 2)
        try await enrolled.session.multiFactor.unenroll(first.uid)
        await expectError(.multiFactorInfoNotFound) {
            try await resolver.resolveSignIn(with: .totp(first.uid, code: first.code(fixture.clock)))
        }
        _ = try await resolver.resolveSignIn(with: .totp(second.uid, code: second.code(fixture.clock)))
    }

    @Test(.rule("R-MFA-9"), arguments: StoreUnderTest.all)
    func `a login that matches by e-mail address is linked with the second factor, not before`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.linking.emailMatching = .verifiedBoth
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.ada()
        let (app, _) = try await fixture.enrolApp(ada.session)
        let credential = try await fixture.credential(as: "apple-ada", with: .apple, email: "ada@example.com")
        let resolver = try await expectSecondFactor { try await fixture.auth.signIn(with: credential) }
        #expect(try await fixture.count(IdentityRecord.self) == 1)
        await expectError(.invalidVerificationCode) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
        }
        #expect(try await fixture.count(IdentityRecord.self) == 1)
        let result = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(result.account.id == ada.account.id)
        #expect(result.account.providerData.map(\.providerID) == [.google, .apple])
    }

    @Test(.rule("R-MFA-9", "S-EML-4"), arguments: StoreUnderTest.all)
    func `e-mail matching is decided again when the second factor is verified`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.linking.emailMatching = .verifiedBoth
        policy.linking.identitiesPerProvider = .many
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let ada = try await fixture.ada()
        let (app, _) = try await fixture.enrolApp(ada.session)
        let credential = try await fixture.credential(as: "apple-ada", with: .apple, email: "ada@example.com")
        let resolver = try await expectSecondFactor { try await fixture.auth.signIn(with: credential) }
        // Meanwhile another login of the same provider was linked to the account.
        let other = VerifiedCredential(
            providerID: .apple,
            subject: "another",
            isEmailVerified: false,
            method: "fed",
            begunAt: StoreTime(fixture.clock.now)
        )
        _ = try await fixture.read { try $0.identities.add(other, to: $0.accounts.lock(ada.account.id)) }
        await expectError(.invalidCredential) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        #expect(try await fixture.count(IdentityRecord.self) == 2)
    }

    @Test(.rule("R-MFA-10"), arguments: StoreUnderTest.all)
    func `an account that is disabled before the second factor gets no session`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let (app, _) = try await fixture.enrolApp(ada.session)
        let resolver = try await fixture.resolver()
        let sessions = try await fixture.count(SessionRecord.self)
        try await fixture.setDisabled(true, ada.account.id)
        await expectError(.userDisabled) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        #expect(try await fixture.count(SessionRecord.self) == sessions)
        // The code was not consumed.
        try await fixture.setDisabled(false, ada.account.id)
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("TOTP-3"), arguments: StoreUnderTest.all)
    func `a TOTP code is accepted once, including the one that confirmed the enrolment`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.ada().session
        let (app, _) = try await fixture.enrolApp(session)
        // The previous step is within the window, but its code was used to enrol.
        let first = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await first.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock, steps: -1)))
        }
        _ = try await first.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let second = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await second.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        fixture.clock.advance(by: .seconds(30))
        _ = try await second.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
    }

    @Test(.rule("TOTP-2", "TOTP-7"), arguments: StoreUnderTest.all)
    func `a TOTP code may be one step old, and early only if the policy allows it`(
        _ store: StoreUnderTest
    ) async throws {
        var fixture = try await AuthFixture(store.make())
        let (app, _) = try await fixture.enrolApp(fixture.ada().session)
        fixture.clock.advance(by: .seconds(300))
        let resolver = try await fixture.resolver()
        for steps: Int64 in [-2, 1] {
            await expectError(.invalidVerificationCode) {
                try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock, steps: steps)))
            }
        }
        _ = try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock, steps: -1)))
        var policy = AuthPolicy()
        policy.factors.stepsForward = 1
        fixture = fixture.with(policy)
        let lenient = try await fixture.resolver()
        _ = try await lenient.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock, steps: 1)))
    }
}

extension AuthFixture {
    /// Disables an account, or enables it again.
    func setDisabled(_ isDisabled: Bool, _ account: AccountID) async throws {
        try await read { transaction in
            try transaction.tables.rows.update(
                AccountRecord.self,
                set: AccountRecord.Column.disabledAt.becomes(isDisabled ? transaction.now : nil),
                where: AccountRecord.Column.id.equals(account.rawValue)
            )
            return
        }
    }

    /// Returns the same accounts with another policy, or with other keys.
    func with(_ policy: AuthPolicy, secrets: AccountSecrets = secrets) -> Self {
        var other = self
        other.auth = Auth(
            store: store,
            providers: auth.providers,
            secrets: secrets,
            policy: policy,
            mail: mail,
            phoneCodes: codes,
            allowsPhoneSignIn: true,
            clock: clock
        )
        return other
    }
}
