// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A second factor of an account.
public struct ClientFactor: Sendable, Hashable, Decodable {
    /// The ID of the factor.
    public let uid: String

    /// The kind of the factor: `totp` or `phone`.
    public let kind: String

    /// The name that the user gave the factor.
    public let displayName: String?

    /// The last digits of the number, for a phone.
    public let phoneNumberSuffix: String?

    /// The time at which the factor was enrolled.
    public let enrolledAt: Date
}

extension ClientFactor: RedactedValue {
    /// The kind and the ID.
    public var description: String { "\(kind) \(uid)" }
}

/// The enrolment of an authenticator app that has begun.
public struct ClientTOTPEnrollment: Sendable, Hashable, Decodable {
    /// The ID that the factor will have.
    public let uid: String

    /// The secret in base32, for typing.
    public let secret: String

    /// The secret as an `otpauth` URI, for a QR code.
    public let uri: String

    /// The time at which the enrolment expires, unless it is confirmed.
    public let expiresAt: Date
}

extension ClientTOTPEnrollment: RedactedValue {
    /// The ID, without the secret.
    public var description: String { "enrolment of \(uid)" }
}

/// A second factor that was enrolled, and the session afterwards.
public struct ClientEnrolledFactor: Sendable, Hashable, Decodable {
    /// The factor.
    public let factor: ClientFactor

    /// The session at the service.
    public let session: ClientSessionInfo
}

extension ClientEnrolledFactor: RedactedValue {
    /// The factor.
    public var description: String { "enrolled \(factor)" }
}
