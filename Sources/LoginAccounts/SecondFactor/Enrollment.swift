// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An authenticator app to enroll.
public struct NewTOTPFactor: Sendable {
    let issuer: String
    let displayName: String?
    let accountName: String?

    /// Creates a factor for an authenticator app.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that the app shows: the name of your service.
    ///   - displayName: The user's name for the app or its device. It is truncated to 100 characters.
    ///   - accountName: The account name that the app shows; nil for the account's e-mail address.
    /// - Returns: The factor.
    public static func totp(issuer: String, displayName: String? = nil, accountName: String? = nil) -> Self {
        Self(issuer: issuer, displayName: displayName, accountName: accountName)
    }
}

extension NewTOTPFactor: Redacted {
    /// A fixed text, without the names.
    public var description: String { "an app" }
}

extension NewPhoneFactor: Redacted {
    /// A fixed text, without the number.
    public var description: String { "a phone" }
}

/// A phone to enroll.
public struct NewPhoneFactor: Sendable {
    let number: String
    let displayName: String?

    /// Creates a factor for a phone that receives codes.
    ///
    /// Attackers can take over phone numbers by deceiving a telephone company, so offer authenticator apps too.
    ///
    /// - Parameters:
    ///   - number: The number, with `+` and the country code.
    ///   - displayName: The user's name for it. It is truncated to 100 characters.
    /// - Returns: The factor.
    public static func phone(_ number: String, displayName: String? = nil) -> Self {
        Self(number: number, displayName: displayName)
    }
}

/// An authenticator app whose enrollment is to be confirmed with a first code.
///
/// Until then it is not a second factor of the account.
public struct TOTPEnrollment: Sendable {
    /// The ID of the factor.
    public let uid: String

    /// The secret in Base32, for users who enter it by hand.
    ///
    /// Show it once. It cannot be requested again.
    public let secret: String

    /// The `otpauth` URI with the secret, usually displayed as a QR code.
    public let uri: String

    /// The time at which the enrollment expires unless it is confirmed.
    public let expiresAt: Date

    let factors: MultiFactor

    /// Confirms that the app computes the right codes, which makes it a second factor.
    ///
    /// - Parameter code: A code of the app. It is used up, and cannot sign in.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``: the errors of ``MultiFactor/confirmEnrollment(_:)``.
    public func confirm(_ code: String) async throws(AuthError) -> EnrolledFactor {
        try await factors.confirmEnrollment(.totp(uid, code: code))
    }
}

/// A phone whose enrollment is to be confirmed with the code that was sent to it.
///
/// Until then it is not a second factor of the account.
public struct PhoneEnrollment: Sendable {
    /// The ID of the factor.
    public let uid: String

    /// The challenge: the code that was sent.
    public let challenge: MultiFactorChallenge

    let factors: MultiFactor

    /// Confirms that the user has the phone, which makes it a second factor.
    ///
    /// - Parameter code: The code that was sent.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``: the errors of ``MultiFactor/confirmEnrollment(_:)``.
    public func confirm(_ code: String) async throws(AuthError) -> EnrolledFactor {
        try await factors.confirmEnrollment(.phone(challengeID: challenge.id, code: code))
    }
}

/// A confirmed second factor.
public struct EnrolledFactor: Sendable {
    /// The factor.
    public let factor: MultiFactorInfo

    /// The session in which it was enrolled, as it is now.
    public let session: Session

    /// The session's new tokens if this was the account's first factor, which raises the session to level 2; otherwise
    /// nil.
    ///
    /// The previous tokens are invalid then.
    public let tokens: SessionTokens?
}

extension TOTPEnrollment: Redacted {
    /// A fixed text, without the secret.
    public var description: String { "enrollment of an authenticator app" }
}
