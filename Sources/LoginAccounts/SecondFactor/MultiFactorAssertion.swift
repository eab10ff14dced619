// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
public import LoginTokens

/// What somebody shows as second factor.
public struct MultiFactorAssertion: Sendable {
    enum Kind: Sendable {
        case totp(uid: String, code: String)
        case phone(challengeID: String, code: String)
        case recoveryCode(String)
    }

    let kind: Kind

    /// A code that an app has computed.
    ///
    /// - Parameters:
    ///   - uid: Which factor, by its ``MultiFactorInfo/uid``: names may be the same, or none. Only this one is compared with.
    ///   - code: The code; spaces in it do not matter.
    /// - Returns: The assertion.
    public static func totp(_ uid: String, code: String) -> Self { Self(kind: .totp(uid: uid, code: code)) }

    /// A code that was sent to a phone.
    ///
    /// - Parameters:
    ///   - challengeID: What it was sent for, ``MultiFactorChallenge/id``.
    ///   - code: The code; spaces in it do not matter.
    /// - Returns: The assertion.
    public static func phone(challengeID: String, code: String) -> Self {
        Self(kind: .phone(challengeID: challengeID, code: code))
    }

    /// One of the codes for who has lost every other factor.
    ///
    /// - Parameter code: The code; small letters, spaces and hyphens do not matter.
    /// - Returns: The assertion.
    public static func recoveryCode(_ code: String) -> Self { Self(kind: .recoveryCode(code)) }
}

extension MultiFactorAssertion: Redacted {
    /// The kind, without the code.
    public var description: String {
        switch kind {
        case .totp: "second factor: a code of an app"
        case .phone: "second factor: a code sent to a phone"
        case .recoveryCode: "second factor: a recovery code"
        }
    }
}
