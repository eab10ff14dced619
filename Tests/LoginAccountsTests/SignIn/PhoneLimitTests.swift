// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import TestSupport
import Testing

@testable import LoginAccounts

/// The limits of codes to phone numbers: those of messages, and those of wrong guesses.
@Suite struct PhoneLimitTests {
    private static let number = AuthFixture.phone
    private static let home = RequestOrigin(address: "192.0.2.1")
    private static let day = Duration.seconds(86_400)

    /// Returns a network that is not the user's.
    private static func stranger(_ number: Int) -> RequestOrigin { RequestOrigin(address: "198.51.\(number).1") }

    /// Creates accounts, in which the number has signed up at home, a day ago.
    private func fixture(_ store: StoreUnderTest, _ change: (inout FactorPolicy) -> Void) async throws -> AuthFixture {
        var policy = AuthPolicy()
        change(&policy.factors)
        let fixture = try await AuthFixture(store.make(), policy: policy)
        try await signIn(fixture, from: Self.home)
        fixture.clock.advance(by: Self.day)
        return fixture
    }

    /// Signs in with a new code.
    private func signIn(_ fixture: AuthFixture, from origin: RequestOrigin) async throws {
        let sent = try await fixture.auth.sendPhoneCode(to: Self.number, from: origin)
        let credential = AuthCredential.phone(verificationID: sent.id, code: try fixture.lastCode())
        _ = try await fixture.auth.signIn(with: credential, from: origin).get()
    }

    /// Guesses at a new code this number of times.
    private func guess(_ count: Int, _ fixture: AuthFixture, from origin: RequestOrigin) async throws {
        let sent = try await fixture.auth.sendPhoneCode(to: Self.number, from: origin)
        let wrong = AuthCredential.phone(verificationID: sent.id, code: try fixture.notSent())
        for _ in 0..<count {
            await expectError(.invalidVerificationCode) {
                try await fixture.auth.signIn(with: wrong, from: origin).get()
            }
        }
    }

    @Test(.rule("LIMIT-12"), arguments: StoreUnderTest.all)
    func `wrong codes for a number are limited per day over all codes and unknown networks, and not at home`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store) { $0.failuresPerNumberAndDay = 7 }
        let early = try await fixture.auth.sendPhoneCode(to: Self.number, from: Self.stranger(3))
        let correct = AuthCredential.phone(verificationID: early.id, code: try fixture.lastCode())
        fixture.clock.advance(by: .seconds(30))
        try await guess(5, fixture, from: Self.stranger(1))
        try await guess(2, fixture, from: Self.stranger(2))
        await expectError(.tooManyRequests) {
            try await fixture.auth.signIn(with: correct, from: Self.stranger(3)).get()
        }
        let sent = fixture.codes.messages.count
        await expectError(.tooManyRequests) {
            try await fixture.auth.sendPhoneCode(to: Self.number, from: Self.stranger(4))
        }
        #expect(fixture.codes.messages.count == sent, "a code that would be refused is not sent")
        try await signIn(fixture, from: Self.home)
        fixture.clock.advance(by: .seconds(30))
        try await guess(1, fixture, from: Self.home)
        fixture.clock.advance(by: Self.day)
        try await signIn(fixture, from: Self.stranger(3))
    }

    @Test(.rule("LIMIT-12"), arguments: StoreUnderTest.all)
    func `a correct code is not counted as a wrong one, and wrong codes for other purposes are`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store) { $0.failuresPerNumberAndDay = 1 }
        for network in 4...6 { try await signIn(fixture, from: Self.stranger(network)) }
        let session = try await fixture.ada().session
        let sent = try await fixture.auth.sendPhoneCode(
            to: Self.number,
            for: .link(session),
            from: Self.stranger(2)
        )
        let wrong = AuthCredential.phone(verificationID: sent.id, code: try fixture.notSent())
        await expectError(.invalidVerificationCode) { try await session.link(with: wrong, from: Self.stranger(2)) }
        await expectError(.tooManyRequests) { try await signIn(fixture, from: Self.stranger(3)) }
    }

    @Test(.rule("PHONE-2", "LIMIT-7"), arguments: StoreUnderTest.all)
    func `messages to a number are limited per hour and day, and those from known networks are counted separately`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store) { policy in
            policy.sendsPerNumberFromAnywhere = 5
            policy.sendsPerNumberAndDay = 7
        }
        func send(from origin: RequestOrigin) async throws {
            _ = try await fixture.auth.sendPhoneCode(to: Self.number, from: origin)
        }
        for network in 1...5 { try await send(from: Self.stranger(network)) }
        await expectError(.quotaExceeded) { try await send(from: Self.stranger(6)) }
        try await send(from: Self.home)
        fixture.clock.advance(by: .seconds(3600))
        for network in 1...2 { try await send(from: Self.stranger(network)) }
        let error = await expectError(.quotaExceeded) { try await send(from: Self.stranger(3)) }
        #expect(error?.retryAfter == Self.day - .seconds(3600))
        try await send(from: Self.home)
        fixture.clock.advance(by: Self.day)
        try await send(from: Self.stranger(3))
    }

    @Test(.rule("PHONE-6"), arguments: StoreUnderTest.all)
    func `codes are sent only to numbers with an allowed prefix, and others are not counted`(_ store: StoreUnderTest)
        async throws
    {
        var policy = AuthPolicy()
        policy.factors.allowedNumberPrefixes = ["+49", "+1415"]
        policy.factors.sendsPerHour = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let session = try await fixture.ada().session
        for number in ["+43155550100", "+14165550100"] {
            await expectError(.operationNotAllowed) { try await fixture.auth.sendPhoneCode(to: number) }
            await expectError(.operationNotAllowed) {
                try await session.multiFactor.beginEnrollment(.phone(number))
            }
        }
        #expect(fixture.codes.messages.isEmpty)
        for number in [Self.number, "+49155550100"] { _ = try await fixture.auth.sendPhoneCode(to: number) }
    }

    @Test(.rule("PHONE-6"), arguments: StoreUnderTest.all)
    func `a confirmed phone gets codes after its prefix is no longer allowed`(_ store: StoreUnderTest) async throws {
        var fixture = try await AuthFixture(store.make())
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        fixture.auth.policy.factors.allowedNumberPrefixes = ["+49"]
        _ = try await fixture.resolver().beginChallenge(factor: phone.factor.uid)
        #expect(fixture.codes.messages.last?.purpose == .secondFactor)
    }

    @Test(.rule("PHONE-2"), arguments: StoreUnderTest.all)
    func `requests without a first factor do not use up a network's codes for second factors`(
        _ store: StoreUnderTest
    ) async throws {
        var policy = AuthPolicy()
        policy.factors.sendsPerAddressAndHour = 2
        let fixture = try await AuthFixture(store.make(), policy: policy)
        let phone = try await fixture.enrolPhone(fixture.ada().session)
        for last in 1...2 { _ = try await fixture.auth.sendPhoneCode(to: "+1415555019\(last)", from: Self.home) }
        await expectError(.quotaExceeded) {
            try await fixture.auth.sendPhoneCode(to: "+14155550193", from: Self.home)
        }
        _ = try await fixture.resolver().beginChallenge(factor: phone.factor.uid, from: Self.home)
        #expect(fixture.codes.messages.last?.purpose == .secondFactor)
    }
}
