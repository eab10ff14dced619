// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sign-in that is pending its second factor: the first factor was verified, and there is no session yet.
///
/// ```swift
/// case .secondFactorRequired(let resolver):
///     return answer(401, resolver)  // encoded as its token, hints, expiry, and remaining attempts
///
/// // The next request has the token and a code.
/// let result = try await auth.resolveSignIn(token, with: .totp(uid, code: code))
/// ```
///
/// The token is bound to this sign-in, but not to an IP address, because the addresses of phones change.
public struct MultiFactorResolver: Sendable {
    /// The token of the sign-in: a secret for the client that presented the first factor.
    public let token: String

    /// The second factors of the account, to choose from by `uid`.
    public let hints: [MultiFactorInfo]

    /// The time at which the sign-in expires.
    public let expiresAt: Date

    /// The number of attempts that are left.
    public let attemptsLeft: Int

    let auth: Auth
}

extension MultiFactorResolver: Encodable {
    private enum CodingKeys: CodingKey {
        case token, hints, expiresAt, attemptsLeft
    }

    /// Encodes the token, the hints, the expiry, and the number of attempts that are left.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(token, forKey: .token)
        try container.encode(hints, forKey: .hints)
        try container.encode(expiresAt, forKey: .expiresAt)
        try container.encode(attemptsLeft, forKey: .attemptsLeft)
    }
}

extension MultiFactorResolver: Redacted {
    /// The number of factors to choose from, without the token.
    public var description: String { "resolver with \(hints.count) factors" }
}

/// A second factor, without its secret.
public struct MultiFactorInfo: Sendable, Hashable, Codable {
    /// The ID of the factor.
    public let uid: String

    /// The kind of the factor.
    public let factorID: MultiFactorKind

    /// The user's name for it.
    public let displayName: String?

    /// The last digits of the number, for a phone; otherwise nil.
    public let phoneNumberSuffix: String?

    /// The time of the enrollment.
    public let enrollmentDate: Date
}

extension MultiFactorInfo: Redacted {
    /// The kind and the ID, without the display name.
    public var description: String { "\(factorID.rawValue) \(uid)" }
}

/// The kind of a second factor.
public enum MultiFactorKind: String, Sendable, Hashable, Codable {
    /// An authenticator app (RFC 6238).
    case totp
    /// A phone that receives codes.
    case phone
}

/// A code that was sent to a phone as a second factor.
public struct MultiFactorChallenge: Sendable, Encodable {
    /// The ID of the challenge: a secret for the client that requested it.
    public let id: String

    /// The ID of the factor.
    public let uid: String

    /// The time at which the code expires.
    public let expiresAt: Date

    /// The time from which another code can be requested.
    public let resendAt: Date
}

extension MultiFactorChallenge: Redacted {
    /// A fixed text, without the ID.
    public var description: String { "code sent to a phone" }
}
