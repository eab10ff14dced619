// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An app that is to compute codes.
public struct NewTOTPFactor: Sendable {
    let issuer: String
    let displayName: String?
    let accountName: String?

    /// An app that computes codes.
    ///
    /// - Parameters:
    ///   - issuer: Who asks for the codes, as the app shows it: your service.
    ///   - displayName: What the person calls the app or its device; 100 characters are kept.
    ///   - accountName: What the app calls the account; its e-mail address if nil.
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

/// A phone that codes are to be sent to.
public struct NewPhoneFactor: Sendable {
    let number: String
    let displayName: String?

    /// A phone that codes are sent to.
    ///
    /// Numbers can be taken over by who persuades a telephone company: offer an app too.
    ///
    /// - Parameters:
    ///   - number: The number, with `+` and its country.
    ///   - displayName: What the person calls it; 100 characters are kept.
    /// - Returns: The factor.
    public static func phone(_ number: String, displayName: String? = nil) -> Self {
        Self(number: number, displayName: displayName)
    }
}

/// An app that waits to be confirmed with a first code.
///
/// Until then it does not count.
public struct TOTPEnrollment: Sendable {
    /// What the factor will be known by.
    public let uid: String

    /// The secret in Base32, for who types it.
    ///
    /// Show it once: nobody can have it again.
    public let secret: String

    /// The same as an `otpauth` address, mostly shown as a picture.
    public let uri: String

    /// When it ends unless confirmed.
    public let expiresAt: Date

    let factors: MultiFactor

    /// Confirms that the app computes the right codes: from now on the factor counts.
    ///
    /// - Parameter code: A code of the app. It is used up, and does not sign in.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``, as ``MultiFactor/confirmEnrollment(_:)``.
    public func confirm(_ code: String) async throws(AuthError) -> EnrolledFactor {
        try await factors.confirmEnrollment(.totp(uid, code: code))
    }
}

/// A phone that waits to be confirmed with the code that was sent to it.
///
/// Until then it does not count.
public struct PhoneEnrollment: Sendable {
    /// What the factor will be known by.
    public let uid: String

    /// The code that was sent.
    public let challenge: MultiFactorChallenge

    let factors: MultiFactor

    /// Confirms that the phone is the person's: from now on the factor counts.
    ///
    /// - Parameter code: The code that was sent.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``, as ``MultiFactor/confirmEnrollment(_:)``.
    public func confirm(_ code: String) async throws(AuthError) -> EnrolledFactor {
        try await factors.confirmEnrollment(.phone(challengeID: challenge.id, code: code))
    }
}

/// A factor that counts from now on.
public struct EnrolledFactor: Sendable {
    /// The factor.
    public let factor: MultiFactorInfo

    /// The session in which it was enrolled, as it is now.
    public let session: Session

    /// The session's new secrets, where it was the first factor: the session has two now, and the old ones are dead.
    public let tokens: SessionTokens?
}

extension TOTPEnrollment: Redacted {
    /// A fixed text, without the secret.
    public var description: String { "enrolment of an app" }
}
