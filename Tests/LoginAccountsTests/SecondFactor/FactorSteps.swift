// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import LoginCrypto
import LoginProviders
import LoginTesting
import Testing

@testable import LoginAccounts

/// An authenticator app in a test.
struct TestApp: Sendable {
    let uid: String
    let totp: TOTP

    /// Returns the current code, or the code this number of steps later.
    func code(_ clock: ManualClock, steps: Int64 = 0) -> String {
        String(decoding: totp.code(of: TOTP.step(at: StoreTime(clock.now)) + steps) ?? [], as: UTF8.self)
    }

    /// Returns a code that is not valid at any step near the current one.
    func wrongCode(_ clock: ManualClock) -> String {
        let near = Set((-5...5).map { code(clock, steps: $0) })
        return (0...20).map { "00000\($0)".suffix(6) }.map(String.init).first { !near.contains($0) } ?? ""
    }
}

// The steps with which nearly every test of second factors begins.
extension AuthFixture {
    static let phone = "+14155550100"

    /// Signs in a user with a verified address.
    func ada() async throws -> AuthDataResult { try await signIn(as: "ada", email: "ada@example.com") }

    /// Enrols an app, and advances the clock until its next code is valid.
    func enrolApp(_ session: Session, name: String? = nil) async throws -> (app: TestApp, enrolled: EnrolledFactor) {
        let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Test", displayName: name))
        let secret = try #require(Base32.decode(enrollment.secret))
        let app = TestApp(uid: enrollment.uid, totp: TOTP(secret: secret))
        let enrolled = try await enrollment.confirm(app.code(clock))
        clock.advance(by: .seconds(30))
        return (app, enrolled)
    }

    /// Enrols a phone, and advances the clock until another code may be sent.
    func enrolPhone(_ session: Session, _ number: String = phone) async throws -> EnrolledFactor {
        let enrollment = try await session.multiFactor.beginEnrollment(.phone(number))
        let enrolled = try await enrollment.confirm(lastCode(to: number))
        clock.advance(by: .seconds(30))
        return enrolled
    }

    func lastCode(to number: String = phone) throws -> String { try #require(codes.last(to: number)).code }

    /// Signs in with the first factor, and returns the resolver for the second.
    func resolver(as subject: String = "ada", email: String? = "ada@example.com") async throws -> MultiFactorResolver {
        let credential = try await credential(as: subject, with: .google, email: email)
        return try await expectSecondFactor { try await auth.signIn(with: credential) }
    }

    /// Returns six digits that were not sent.
    func notSent(to number: String = phone) throws -> String {
        let code = try lastCode(to: number)
        return code == "000000" ? "000001" : "000000"
    }
}
