// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginProviders
import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// Codes sent to a phone as the second factor.
@Suite struct PhoneFactorTests {
    @Test(.rule("R-MFA-4", "PHONE-3"), arguments: StoreUnderTest.all)
    func `a code sent to the phone opens a session of level 2`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        #expect(phone.session.level == 2)
        let resolver = try await fixture.resolver()
        let challenge = try await resolver.beginChallenge(factor: phone.factor.uid)
        #expect(fixture.codes.messages.map(\.purpose) == [.enrollment, .secondFactor])
        #expect(challenge.expiresAt == fixture.clock.now + 300)
        let message = try #require(fixture.codes.messages.last)
        #expect(!"\(message)\(String(reflecting: message))\(challenge)".contains(message.code))
        let result = try await resolver.resolveSignIn(
            with: .phone(challengeID: challenge.id, code: try fixture.lastCode())
        )
        #expect(result.session.level == 2)
        #expect(try await fixture.count(ChallengeRecord.self) == 0)
    }

    @Test(.rule("PHONE-1"), arguments: StoreUnderTest.all)
    func `a sent code expires after five minutes, and is stored as a hash`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let first = try await resolver.beginChallenge(factor: phone.factor.uid)
        let kept: ChallengeRecord? = try await fixture.read { try $0.tables.rows.first() }
        #expect(kept?.codeHash.count == 32)
        #expect(kept?.codeHash != kept?.hash)
        fixture.clock.advance(by: .seconds(300))
        let late = try fixture.lastCode()
        await expectError(.sessionExpired) {
            try await resolver.resolveSignIn(with: .phone(challengeID: first.id, code: late))
        }
        let second = try await resolver.beginChallenge(factor: phone.factor.uid)
        fixture.clock.advance(by: .milliseconds(299_999))
        let code = try fixture.lastCode()
        _ = try await resolver.resolveSignIn(with: .phone(challengeID: second.id, code: code))
    }

    @Test(.rule("PHONE-2", "R-MFA-4"), arguments: StoreUnderTest.all)
    func `a sent code is valid only for its sign-in, and the next code voids it`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        let resolver = try await fixture.resolver()
        let other = try await fixture.resolver()
        let first = try await resolver.beginChallenge(factor: phone.factor.uid)
        let firstCode = try fixture.lastCode()
        await expectError(.invalidVerificationID) {
            try await other.resolveSignIn(with: .phone(challengeID: first.id, code: firstCode))
        }
        await expectError(.invalidVerificationID) {
            try await phone.session.stepUp(with: .phone(challengeID: first.id, code: firstCode))
        }
        fixture.clock.advance(by: .seconds(30))
        let second = try await resolver.beginChallenge(factor: phone.factor.uid)
        await expectError(.invalidVerificationID) {
            try await resolver.resolveSignIn(with: .phone(challengeID: first.id, code: firstCode))
        }
        let secondCode = try fixture.lastCode()
        _ = try await resolver.resolveSignIn(with: .phone(challengeID: second.id, code: secondCode))
    }

    @Test(.rule("PHONE-2"), arguments: StoreUnderTest.all)
    func `codes are sent at least 30 seconds apart, and at most five per hour`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        let resolver = try await fixture.resolver()
        for _ in 1...5 {
            _ = try await resolver.beginChallenge(factor: phone.factor.uid)
            fixture.clock.advance(by: .milliseconds(29_999))
            let early = await expectError(.quotaExceeded) {
                try await resolver.beginChallenge(factor: phone.factor.uid)
            }
            #expect((early?.retryAfter ?? .zero) >= .milliseconds(1))
            fixture.clock.advance(by: .milliseconds(1))
        }
        let sent = fixture.codes.messages.count
        let spent = await expectError(.quotaExceeded) { try await resolver.beginChallenge(factor: phone.factor.uid) }
        #expect((spent?.retryAfter ?? .zero) > .seconds(3000))
        #expect(fixture.codes.messages.count == sent)
        fixture.clock.advance(by: spent?.retryAfter ?? .zero)
        let later = try await fixture.resolver()
        _ = try await later.beginChallenge(factor: phone.factor.uid)
    }

    @Test(.rule("PHONE-2"), arguments: StoreUnderTest.all)
    func `sign-in codes that anybody can request do not use up the limit of the second factor`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        // One code was sent to enrol the phone.
        for _ in 2...5 {
            _ = try await fixture.auth.sendPhoneCode(to: AuthFixture.phone)
            fixture.clock.advance(by: .seconds(30))
        }
        await expectError(.quotaExceeded) { try await fixture.auth.sendPhoneCode(to: AuthFixture.phone) }
        let resolver = try await fixture.resolver()
        let challenge = try await resolver.beginChallenge(factor: phone.factor.uid)
        #expect(fixture.codes.messages.last?.purpose == .secondFactor)
        _ = try await resolver.resolveSignIn(with: .phone(challengeID: challenge.id, code: fixture.lastCode()))
    }

    @Test(.rule("PHONE-2"), arguments: StoreUnderTest.all)
    func `sent codes are limited per network and in total`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        policy.factors.sendsPerAddressAndHour = 2
        policy.factors.sendsPerHour = 4
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let session = try await fixture.ada().session
        func begin(_ last: Int, _ address: String) async throws {
            let origin = RequestOrigin(address: address)
            _ = try await session.multiFactor.beginEnrollment(.phone("+1415555010\(last)"), from: origin)
        }
        try await begin(1, "192.0.2.1")
        try await begin(2, "192.0.2.200")
        await expectError(.quotaExceeded) { try await begin(3, "192.0.2.3") }
        try await begin(3, "192.0.3.1")
        try await begin(4, "198.51.100.1")
        await expectError(.quotaExceeded) { try await begin(5, "203.0.113.1") }
        fixture.clock.advance(by: .seconds(200))
        #expect(fixture.codes.messages.count == 4)
    }

    @Test(.rule("PHONE-3"), arguments: StoreUnderTest.all)
    func `a code that could not be sent is void, and the failure is reported`(_ store: StoreUnderTest) async throws {
        var policy = AuthPolicy()
        // Only a hanging sender takes that long; sending or failing must be faster, also on a busy machine.
        policy.factors.sendDeadline = .seconds(3)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        let resolver = try await fixture.resolver()
        for fault in [CapturedCodes.Fault.fails, .hangs] {
            fixture.codes.fault = fault
            let error = await expectError(.providerUnavailable) {
                try await resolver.beginChallenge(factor: phone.factor.uid)
            }
            let code = try fixture.lastCode()
            #expect(error?.description.contains(code) == false)
            #expect(try await fixture.count(ChallengeRecord.self) == 0)
            fixture.clock.advance(by: .seconds(30))
        }
        fixture.codes.fault = nil
        _ = try await resolver.beginChallenge(factor: phone.factor.uid)
    }

    @Test(.rule("PHONE-3")) func `a phone cannot be enrolled without a sender for codes`() async throws {
        let fixture = try await AuthFixture(StoreUnderTest.inMemory.make())
        let session = try await fixture.ada().session
        let silent = Auth(
            store: fixture.store,
            providers: .none,
            secrets: AuthFixture.secrets,
            clock: fixture.clock
        )
        let record = try await fixture.read { try $0.sessions.current(session) }
        await expectError(.operationNotAllowed) {
            try await Session(record, auth: silent).multiFactor.beginEnrollment(.phone(AuthFixture.phone))
        }
        #expect(try await fixture.count(FactorRecord.self) == 0)
    }

    @Test(.rule("LIMIT-1"), arguments: StoreUnderTest.all)
    func `a sent code allows five attempts`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let session = try await fixture.ada().session
        let enrollment = try await session.multiFactor.beginEnrollment(.phone(AuthFixture.phone))
        let right = try fixture.lastCode()
        let wrong = try fixture.notSent()
        for _ in 1...5 {
            await expectError(.invalidVerificationCode) { try await enrollment.confirm(wrong) }
        }
        await expectError(.invalidVerificationID) { try await enrollment.confirm(right) }
    }

    @Test(.rule("PHONE-4"), arguments: StoreUnderTest.all)
    func `another phone number is a separate factor, and the audit records enrolment and removal`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await AuthFixture(store.make())
        let first = try await fixture.enrolPhone(fixture.ada().session)
        let second = try await fixture.enrolPhone(first.session, "+14155550199")
        try await second.session.multiFactor.unenroll(first.factor.uid)
        #expect(try await second.session.multiFactor.enrolledFactors().map(\.phoneNumberSuffix) == ["0199"])
        #expect(try await fixture.audit("second-factor.enrolled") == 2)
        #expect(try await fixture.audit("second-factor.removed") == 1)
    }

    @Test(.rule("PHONE-5", "R-LNK-10"), arguments: StoreUnderTest.all)
    func `a phone cannot be both the first and the second factor of an account`(_ store: StoreUnderTest) async throws {
        let fixture = try await AuthFixture(store.make())
        let ada = try await fixture.ada()
        let byPhone = VerifiedCredential(
            providerID: .phone,
            subject: AuthFixture.phone,
            isEmailVerified: false,
            phoneNumber: AuthFixture.phone,
            method: "sms",
            begunAt: StoreTime(fixture.clock.now)
        )
        let identity = try await fixture.read { transaction in
            let account = try transaction.accounts.lock(ada.account.id)
            try transaction.factors.checkFirstFactor(.phone, of: account.id)
            return try transaction.identities.add(byPhone, to: account)?.id
        }
        await expectError(.unsupportedFirstFactor) {
            try await ada.session.multiFactor.beginEnrollment(.phone(AuthFixture.phone))
        }
        try await fixture.read { transaction in
            try transaction.tables.rows.delete(
                IdentityKeyRecord.self,
                where: IdentityKeyRecord.Column.identityID.equals(identity ?? "")
            )
            try transaction.tables.rows.delete(
                IdentityRecord.self,
                where: IdentityRecord.Column.id.equals(identity ?? "")
            )
            return
        }
        _ = try await fixture.enrolPhone(ada.session)
        await expectError(.unsupportedFirstFactor) {
            try await fixture.read { try $0.factors.checkFirstFactor(.phone, of: ada.account.id) }
        }
        try await fixture.read { try $0.factors.checkFirstFactor(.apple, of: ada.account.id) }
    }
}
