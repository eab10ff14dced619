// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An authenticator app that computes one-time codes.
///
/// ```swift
/// let enrollment = try await session.multiFactor.beginEnrollment(.totp(issuer: "Example"))
/// let app = try AuthenticatorApp(secret: enrollment.secret)
/// let enrolled = try await enrollment.confirm(app.code(at: clock.now))
/// ```
///
/// A code is valid only once, so advance the clock before the next one.
public struct AuthenticatorApp: Sendable {
    /// An error for an invalid secret.
    public struct NoSecret: Error, Hashable {}

    private let secret: String

    /// Creates an app with a secret.
    ///
    /// - Parameter secret: The secret in Base32, `TOTPEnrollment.secret`.
    /// - Throws: ``NoSecret``
    public init(secret: String) throws(NoSecret) {
        guard TOTP.code(ofSecret: secret, at: Date(timeIntervalSince1970: 0)) != nil else { throw NoSecret() }
        self.secret = secret
    }

    /// Returns the code that the app shows.
    ///
    /// - Parameter date: The time of the app's clock.
    /// - Returns: 6 digits.
    public func code(at date: Date) -> String {
        // The initializer has validated the secret, so there is a code at any time.
        TOTP.code(ofSecret: secret, at: date) ?? ""
    }
}

extension AuthenticatorApp: Redacted {
    /// A fixed text without the secret.
    public var description: String { "authenticator app" }
}
