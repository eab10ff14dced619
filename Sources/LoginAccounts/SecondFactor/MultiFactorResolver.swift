// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sign-in that waits for its second factor: the first factor was right, and there is no session yet.
///
/// ```swift
/// case .secondFactorRequired(let resolver):
///     return answer(401, resolver)  // encoded as its token, hints, expiry, and remaining attempts
///
/// // The next request has the token and a code.
/// let result = try await auth.resolveSignIn(token, with: .totp(uid, code: code))
/// ```
///
/// The token is bound to this sign-in, and to no address: phones change theirs.
public struct MultiFactorResolver: Sendable {
    /// A secret for the client that showed the first factor.
    public let token: String

    /// The factors to choose from, by their `uid`.
    public let hints: [MultiFactorInfo]

    /// When it ends.
    public let expiresAt: Date

    /// How many more factors are looked at.
    public let attemptsLeft: Int

    let auth: Auth
}

extension MultiFactorResolver: Encodable {
    private enum CodingKeys: CodingKey {
        case token, hints, expiresAt, attemptsLeft
    }

    /// Writes what the client needs: the token, the hints, when it ends, and how many attempts are left.
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

/// A second factor, as it may be shown: nothing of it that is secret.
public struct MultiFactorInfo: Sendable, Hashable, Codable {
    /// What it is known by.
    public let uid: String

    /// Which kind of factor it is.
    public let factorID: MultiFactorKind

    /// What the person calls it.
    public let displayName: String?

    /// The last digits of the number, of a phone.
    public let phoneNumberSuffix: String?

    /// When it was enrolled.
    public let enrollmentDate: Date
}

extension MultiFactorInfo: Redacted {
    /// The kind and the ID, without the display name.
    public var description: String { "\(factorID.rawValue) \(uid)" }
}

/// Which kind of factor it is.
public enum MultiFactorKind: String, Sendable, Hashable, Codable {
    /// A code that an app computes (RFC 6238).
    case totp
    /// A code that is sent to a phone.
    case phone
}
