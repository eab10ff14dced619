// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LimitedLogin
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Enrolment and removal of second factors.
@Suite struct EnrollmentTests {
    @Test func `descriptions of second factors contain no personal data`() {
        let info = MultiFactorInfo(
            uid: "1",
            factorID: .phone,
            displayName: "Ada's phone",
            phoneNumberSuffix: "0100",
            enrollmentDate: Date()
        )
        let values: [Any] = [
            NewPhoneFactor.phone("+14155550100", displayName: "Ada's phone"),
            NewTOTPFactor.totp(issuer: "Test", displayName: "Ada's phone", accountName: "ada@example.com"), info,
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            let text = "\(value) \(String(reflecting: value)) \(dumped)"
            #expect(!text.contains("Ada") && !text.contains("0100") && !text.contains("ada@"), "\(text)")
        }
    }

    @Test(.rule("R-MFA-13", "SS-11", "TOTP-8"), arguments: StoreUnderTest.all)
    func `enrolling the first factor raises its session to level 2 and closes the others`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let other = try await fixture.ada()
        let mine = try await fixture.ada()
        let begun = try await mine.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        #expect(begun.uri.contains("ada%40example.com") && begun.uri.contains(begun.secret))
        #expect(!"\(begun)\(String(reflecting: begun))".contains(begun.secret))
        // Until it is confirmed, an enrolment is not listed.
        #expect(try await mine.session.multiFactor.enrolledFactors().isEmpty)
        let third = try await fixture.ada()
        let (_, enrolled) = try await fixture.enrolApp(mine.session)
        #expect(enrolled.session.id == mine.session.id)
        #expect(enrolled.session.level == 2)
        let tokens = try #require(enrolled.tokens)
        #expect(try await fixture.auth.session(tokens.sessionToken).level == 2)
        for dead in [mine, other, third] {
            await expectError(.invalidUserToken) { try await fixture.auth.session(dead.tokens.sessionToken) }
        }
        #expect(try await fixture.count(FactorRecord.self) == 1)
    }

    @Test(.rule("R-MFA-13"), arguments: StoreUnderTest.all)
    func `an enrolment that is not confirmed within ten minutes expires`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let session = try await fixture.ada().session
        let late = try await session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        let app = TestApp(uid: late.uid, totp: TOTP(secret: try #require(Base32.decode(late.secret))))
        fixture.clock.advance(by: .seconds(600))
        await expectError(.sessionExpired) { try await late.confirm(app.code(fixture.clock)) }
        let again = try await session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        await expectError(.multiFactorInfoNotFound) { try await late.confirm(app.code(fixture.clock)) }
        fixture.clock.advance(by: .milliseconds(599_999))
        let second = TestApp(uid: again.uid, totp: TOTP(secret: try #require(Base32.decode(again.secret))))
        await expectError(.invalidVerificationCode) { try await again.confirm(second.wrongCode(fixture.clock)) }
        await expectError(.missingMultiFactorInfo) {
            try await session.multiFactor.confirmEnrollment(.recoveryCode(RecoveryCode().text))
        }
        _ = try await again.confirm(second.code(fixture.clock))
    }

    @Test(.rule("R-MFA-13", "RECOVERY-6"), arguments: StoreUnderTest.all)
    func `an enrolment confirmed within ten minutes permits recovery codes for five minutes more`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.ada().session
        fixture.clock.advance(by: .seconds(300))
        let begun = try await session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        let app = TestApp(uid: begun.uid, totp: TOTP(secret: try #require(Base32.decode(begun.secret))))
        fixture.clock.advance(by: .milliseconds(599_999))
        let enrolled = try await begun.confirm(app.code(fixture.clock))
        #expect(enrolled.session.level == 2)
        // Sensitive operations still require a recent login with the first factor.
        await expectError(.requiresRecentLogin) { try await enrolled.session.requireRecentLogin() }
        await expectError(.requiresRecentLogin) {
            try await enrolled.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        }
        fixture.clock.advance(by: .seconds(300))
        #expect(try await enrolled.session.multiFactor.generateRecoveryCodes().count == 10)
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.requiresRecentLogin) { try await enrolled.session.multiFactor.generateRecoveryCodes() }
    }

    @Test(.rule("R-MFA-15"), arguments: StoreUnderTest.all)
    func `an operator can remove all second factors of an account, which closes all its sessions`(
        _ store: StoreUnderTest
    )
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let phone = try await fixture.enrolPhone(enrolled.session)
        _ = try await phone.session.multiFactor.generateRecoveryCodes()
        _ = try await enrolled.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        let waiting = try await fixture.resolver()
        await expectError(.invalidVerificationCode) {
            try await waiting.resolveSignIn(with: .totp(app.uid, code: app.wrongCode(fixture.clock)))
        }
        let account = enrolled.session.accountID
        #expect(try await fixture.auth.removeSecondFactors(of: account) == 2)
        #expect(try await fixture.count(FactorRecord.self) == 0)
        #expect(try await fixture.count(RecoveryCodeRecord.self) == 0)
        #expect(try await fixture.auth.sessions(of: account).isEmpty)
        #expect(try await fixture.audit("second-factor.removed") == 2)
        let code = app.code(fixture.clock)
        await expectError(.invalidMultiFactorSession) {
            try await waiting.resolveSignIn(with: .totp(app.uid, code: code))
        }
        let again = try await fixture.ada()
        #expect(again.session.level == 1)
        // Without factors nothing happens, and no session is closed.
        #expect(try await fixture.auth.removeSecondFactors(of: account) == 0)
        #expect(try await fixture.auth.sessions(of: account).count == 1)
        await expectError(.userNotFound) {
            try await fixture.auth.removeSecondFactors(of: AccountID(rawValue: UUID().uuidString.lowercased()))
        }
        #expect(try await AccountInvariants.violations(in: fixture.store) == [])
    }

    @Test(.rule("TOTP-9", "R-MFA-12"), arguments: StoreUnderTest.all)
    func `a phone number is one factor, whichever key was the newest at its enrolment`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let old = try await fixture.enrolPhone(fixture.ada().session)
        let both = fixture.with(
            .patient,
            secrets: try AccountSecrets([[UInt8](repeating: 8, count: 32), [UInt8](repeating: 7, count: 32)])
        )
        let bob = try await both.signIn(as: "bob", email: "bob@example.com").session
        let new = try await both.enrolPhone(bob)
        _ = try await both.enrolPhone(new.session, "+14155550101")
        let (ada, target) = (old.session.accountID, bob.accountID)
        let moved = try await both.read { try $0.factors.toMove(from: target, to: ada).map(\.hint) }
        #expect(moved == ["0101"])
        try await both.read { try $0.factors.move(from: target, to: ada) }
        #expect(try await both.read { try $0.factors.confirmed(of: ada).count } == 2)
        // Rows of earlier versions may contain the same phone twice: encrypting them again keeps one, and continues.
        try await both.read { transaction in
            var twin = try transaction.factors.confirmed(of: ada)[0]
            let number = try transaction.factors.secrets.open(twin)
            twin.id = transaction.context.makeID()
            twin.secret = transaction.factors.secrets.seal(number, factor: twin.id, account: ada)
            twin.sealedWith = transaction.context.secrets.newestKeyNumber
            twin.fingerprint = transaction.factors.secrets.phoneFingerprints(number)[0]
            try transaction.tables.rows.add(twin)
        }
        #expect(try await both.read { try $0.factors.confirmed(of: ada).count } == 3)
        #expect(try await both.auth.reseal() == (1, 0))
        let left = try await both.read { transaction in
            try transaction.factors.confirmed(of: ada).map {
                String(decoding: try transaction.factors.secrets.open($0), as: UTF8.self)
            }
        }
        #expect(left.sorted() == ["+14155550100", "+14155550101"])
    }

    @Test(.rule("R-MFA-11"), arguments: StoreUnderTest.all)
    func `enrolment requires a verified address and a recent login`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let unproven = try await fixture.signIn(as: "eve", email: "eve@example.com", isVerified: false)
        await expectError(.unverifiedEmail) {
            try await unproven.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        }
        let facebook = try await fixture.signIn(as: "1234", with: .facebook)
        var policy = AuthPolicy()
        policy.factors.requiresVerifiedContact = false
        let open = fixture.with(policy)
        let same = try await open.auth.session(facebook.tokens.sessionToken)
        _ = try await same.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        let ada = try await fixture.ada()
        fixture.clock.advance(by: .seconds(300))
        _ = try await ada.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        fixture.clock.advance(by: .milliseconds(1))
        await expectError(.requiresRecentLogin) {
            try await ada.session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        }
    }

    @Test(.rule("R-MFA-11"), arguments: StoreUnderTest.all)
    func `a level 1 session cannot change the factors or recovery codes of an account with a second factor`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        // A session at level 1, like one whose level has lapsed.
        let lowered = try await fixture.lowered(enrolled.session)
        await expectError(.secondFactorRequired) {
            try await lowered.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        }
        await expectError(.secondFactorRequired) { try await lowered.multiFactor.generateRecoveryCodes() }
        await expectError(.secondFactorRequired) { try await lowered.multiFactor.unenroll(app.uid) }
        let raised = try await lowered.stepUp(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(raised.session.level == 2)
        let (_, second) = try await fixture.enrolApp(raised.session)
        #expect(second.tokens == nil)
        #expect(try await raised.session.multiFactor.enrolledFactors().count == 2)
    }

    @Test(.rule("R-MFA-11"), arguments: StoreUnderTest.all)
    func `an anonymous account cannot enrol a factor`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.ada().session
        try await fixture.read { transaction in
            try transaction.tables.rows.update(
                AccountRecord.self,
                set: AccountRecord.Column.isAnonymous.becomes(true),
                where: AccountRecord.Column.id.equals(session.accountID.rawValue)
            )
            return
        }
        await expectError(.unsupportedFirstFactor) {
            try await session.multiFactor.beginEnrollment(.totp(issuer: "Test"))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `an account lists its factors with the time of their enrolment`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let first = fixture.clock.now
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let second = fixture.clock.now
        #expect(second > first)
        let phone = try await fixture.enrolPhone(enrolled.session)
        let factors = try await phone.session.account().enrolledFactors
        #expect(factors.map(\.uid) == [app.uid, phone.factor.uid])
        #expect(factors.map(\.enrollmentDate) == [first, second])
    }

    @Test(.rule("R-MFA-12"), arguments: StoreUnderTest.all)
    func `a phone is enrolled once, and an account has a maximum number of factors`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy.patient
        policy.factors.maximumPerAccount = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        await expectError(.secondFactorAlreadyEnrolled) {
            try await phone.session.multiFactor.beginEnrollment(.phone("+1 415 555-0100"))
        }
        await expectError(.invalidPhoneNumber) { try await phone.session.multiFactor.beginEnrollment(.phone("0100")) }
        _ = try await fixture.enrolPhone(phone.session, "+14155550101")
        await expectError(.maximumSecondFactorCountExceeded) {
            try await phone.session.multiFactor.beginEnrollment(.phone("+14155550102"))
        }
    }

    @Test(.rule("R-MFA-14"), arguments: StoreUnderTest.all)
    func `removing the last factor deletes the recovery codes and lowers every session to level 1`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        _ = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let other = try await fixture.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        await expectError(.multiFactorInfoNotFound) { try await other.session.multiFactor.unenroll("x") }
        await expectError(.missingMultiFactorInfo) { try await other.session.multiFactor.unenroll("") }
        try await other.session.multiFactor.unenroll(app.uid)
        #expect(try await fixture.count(FactorRecord.self) == 0)
        #expect(try await fixture.count(RecoveryCodeRecord.self) == 0)
        #expect(try await fixture.auth.session(other.tokens.sessionToken).level == 1)
        let first = try await fixture.read { try $0.sessions.current(enrolled.session) }
        #expect(first.level == 1)
        // The removal is in the audit, and signing in no longer requires a second factor.
        #expect(try await fixture.audit("second-factor.removed") == 1)
        #expect(try await fixture.ada().session.level == 1)
    }

    @Test(.rule("TOTP-1", "TOTP-10"), arguments: StoreUnderTest.all)
    func `an imported TOTP secret works with its algorithm and digits, and an invalid one is refused`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        for (algorithm, digits) in [(TOTPAlgorithm.sha256, 8), (.sha512, 6), (.sha1, 8)] {
            let totp = TOTP(secret: TOTP.makeSecret(), parameters: .init(algorithm: algorithm, digits: digits))
            let factor = try await fixture.auth.importTOTP(
                Base32.encode(totp.secret).lowercased(),
                for: ada.account.id,
                algorithm: algorithm,
                digits: digits
            )
            let app = TestApp(uid: factor.uid, totp: totp)
            let result = try await fixture.resolver()
                .resolveSignIn(with: .totp(factor.uid, code: app.code(fixture.clock)))
            #expect(result.session.level == 2)
        }
        let secret = Base32.encode(TOTP.makeSecret())
        for (text, digits) in [("not base32!", 6), (Base32.encode(Array(1...15)), 6), (secret, 7), (secret, 0)] {
            await expectError(.invalidCredential) {
                try await fixture.auth.importTOTP(text, for: ada.account.id, digits: digits)
            }
        }
        await expectError(.invalidUserToken) { try await fixture.auth.session(ada.tokens.sessionToken) }
        // Invalid digits in a row, for example from an imported file, are refused too.
        let uid = try await fixture.auth.importTOTP(secret, for: ada.account.id).uid
        for digits in [-1, 7, Int.max] {
            try await fixture.read { transaction in
                try transaction.tables.rows.update(
                    FactorRecord.self,
                    set: FactorRecord.Column.parameters.becomes("{\"algorithm\":\"SHA1\",\"digits\":\(digits)}"),
                    where: FactorRecord.Column.id.equals(uid)
                )
                return
            }
            let resolver = try await fixture.resolver()
            await expectError(.internalError) {
                try await resolver.resolveSignIn(with: .totp(uid, code: "123456"))
            }
        }
    }

    @Test(.rule("TOTP-9"), arguments: StoreUnderTest.all)
    func `factors are encrypted for their row, and encrypted again after a key rotation`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let phone = try await fixture.enrolPhone(enrolled.session)
        let old = [UInt8](repeating: 7, count: 32)
        let new = [UInt8](repeating: 8, count: 32)
        let both = fixture.with(.patient, secrets: try AccountSecrets([new, old]))
        // Using a factor encrypts it again with the new key at once.
        _ = try await both.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        #expect(try await both.auth.reseal() == (1, 0))
        #expect(try await both.auth.reseal() == (0, 0))
        let alone = fixture.with(.patient, secrets: try AccountSecrets([new]))
        fixture.clock.advance(by: .seconds(30))
        _ = try await alone.resolver().resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let challenge = try await alone.resolver().beginChallenge(factor: phone.factor.uid)
        #expect(challenge.uid == phone.factor.uid)
        // A row with the wrong key number is encrypted again, once.
        try await alone.read { transaction in
            _ = try transaction.tables.rows.update(
                FactorRecord.self,
                set: FactorRecord.Column.sealedWith.becomes(1),
                where: FactorRecord.Column.id.equals(app.uid)
            )
        }
        #expect(try await alone.auth.reseal() == (1, 0))
        #expect(try await alone.auth.reseal() == (0, 0))
        // Without the key nothing can be decrypted, which is reported as an internal error.
        fixture.clock.advance(by: .seconds(30))
        let resolver = try await fixture.resolver()
        await expectError(.internalError) {
            try await resolver.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
        #expect(try await fixture.auth.resolver(for: resolver.token).attemptsLeft == 5)
        await expectError(.internalError) { try await fixture.auth.reseal() }
        // A secret moved to another row cannot be decrypted either.
        let factors = try await alone.read { try $0.factors.confirmed(of: enrolled.session.accountID) }
        try await alone.read { transaction in
            try transaction.tables.rows.update(
                FactorRecord.self,
                set: FactorRecord.Column.secret.becomes(factors[1].secret),
                where: FactorRecord.Column.id.equals(factors[0].id)
            )
            return
        }
        let moved = try await alone.resolver()
        await expectError(.internalError) {
            try await moved.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        }
    }

    @Test(arguments: StoreUnderTest.all)
    func `factors and recovery codes that move to another account work there`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make(), policy: .patient)
        let (app, enrolled) = try await fixture.enrolApp(fixture.ada().session)
        let codes = try await enrolled.session.multiFactor.generateRecoveryCodes()
        let bob = try await fixture.signIn(as: "bob", email: "bob@example.com")
        try await fixture.read { transaction in
            try transaction.factors.move(from: enrolled.session.accountID, to: bob.account.id)
        }
        let first = try await fixture.resolver(as: "bob", email: "bob@example.com")
        _ = try await first.resolveSignIn(with: .totp(app.uid, code: app.code(fixture.clock)))
        let second = try await fixture.resolver(as: "bob", email: "bob@example.com")
        _ = try await second.resolveSignIn(with: .recoveryCode(codes[0]))
        #expect(try await fixture.ada().session.level == 1)
    }
}

extension AuthPolicy {
    /// A policy in which every login counts as recent for a day.
    static var patient: AuthPolicy {
        var policy = AuthPolicy()
        policy.linking.recentLogin = .seconds(86400)
        return policy
    }
}

extension AuthFixture {
    /// Lowers the session to level 1.
    func lowered(_ session: Session) async throws -> Session {
        let auth = auth
        return try await read { transaction in
            let lowered: [SessionRecord] = try transaction.tables.rows.update(
                set: SessionRecord.Column.level.becomes(1),
                where: SessionRecord.Column.id.equals(session.id.rawValue)
            )
            guard let record = lowered.first else { throw StoreError(.damaged, "the session is gone") }
            return Session(record, auth: auth)
        }
    }
}
