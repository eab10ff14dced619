// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An app that computes codes, as a person has it on their phone.
///
/// ```swift
/// let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Example"))
/// let app = try AuthenticatorApp(secret: enrollment.secret)
/// let enrolled = try await enrollment.confirm(app.code(at: clock.now))
/// ```
///
/// A code is good once, so move the clock before the next.
public struct AuthenticatorApp: Sendable {
    /// Why it is no app: what it was given is no secret.
    public struct NoSecret: Error, Hashable {}

    private let secret: String

    /// An app that was given a secret.
    ///
    /// - Parameter secret: The secret in Base32, `TOTPEnrollment.secret`.
    /// - Throws: ``NoSecret``
    public init(secret: String) throws(NoSecret) {
        guard TOTP.code(ofSecret: secret, at: Date(timeIntervalSince1970: 0)) != nil else { throw NoSecret() }
        self.secret = secret
    }

    /// The code that it shows.
    ///
    /// - Parameter date: The time, by its clock.
    /// - Returns: 6 digits.
    public func code(at date: Date) -> String {
        // The secret was looked at above, and there is a code at any time.
        TOTP.code(ofSecret: secret, at: date) ?? ""
    }
}

extension AuthenticatorApp: Redacted {
    /// A fixed text, without the secret.
    public var description: String { "authenticator app" }
}
