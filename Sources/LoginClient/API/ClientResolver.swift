// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sign-in that waits for its second factor.
public struct ClientResolver: Sendable, Hashable, Decodable {
    /// The second factors of the account, to choose from.
    public let hints: [Hint]

    /// The number of codes that may still be tried.
    public let attemptsLeft: Int

    /// The time at which the sign-in expires.
    public let expiresAt: Date

    /// The secret of the sign-in.
    let token: String

    /// A second factor.
    public struct Hint: Sendable, Hashable, Decodable {
        /// The ID of the factor.
        public let uid: String

        /// The kind of the factor: `totp` or `phone`.
        public let factorID: String

        /// The name that the user gave the factor.
        public let displayName: String?

        /// The last digits of the number, for a phone.
        public let phoneNumberSuffix: String?
    }
}

extension ClientResolver: RedactedValue {
    /// The number of factors.
    public var description: String { "resolver with \(hints.count) factors" }
}

extension ClientResolver.Hint: RedactedValue {
    /// The kind and the ID.
    public var description: String { "\(factorID) \(uid)" }
}

/// A code that was sent to a phone.
public struct ClientChallenge: Sendable, Hashable, Decodable {
    /// The ID with which the code is presented.
    public let id: String

    /// The time at which the code expires.
    public let expiresAt: Date

    /// The time from which another code can be sent.
    public let resendAt: Date
}

extension ClientChallenge: RedactedValue {
    /// A fixed text, without the ID.
    public var description: String { "challenge" }
}

/// A second factor that the user presents.
public enum ClientSecondFactor: Sendable, Hashable {
    /// A code of an authenticator app (RFC 6238), of the factor with this ID.
    case totp(uid: String, code: String)
    /// A code that was sent to a phone.
    case phone(challengeID: String, code: String)
    /// A recovery code.
    case recoveryCode(String)
}

extension ClientSecondFactor: RedactedValue {
    /// The kind.
    public var description: String { type }

    /// The name of the kind in the API.
    var type: String {
        switch self {
        case .totp: "totp"
        case .phone: "phone"
        case .recoveryCode: "recovery-code"
        }
    }
}

extension ClientSecondFactor: Encodable {
    private enum CodingKeys: CodingKey {
        case type, uid, challengeID, code
    }

    /// Encodes the factor as the API expects it.
    ///
    /// - Parameter encoder: The encoder.
    /// - Throws: Rethrows errors of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        switch self {
        case .totp(let uid, let code):
            try container.encode(uid, forKey: .uid)
            try container.encode(code, forKey: .code)
        case .phone(let challengeID, let code):
            try container.encode(challengeID, forKey: .challengeID)
            try container.encode(code, forKey: .code)
        case .recoveryCode(let code):
            try container.encode(code, forKey: .code)
        }
    }
}
