// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
public import LoginTokens

/// A second factor that a user presents.
public struct MultiFactorAssertion: Sendable {
    enum Kind: Sendable {
        case totp(uid: String, code: String)
        case phone(challengeID: String, code: String)
        case recoveryCode(String)
    }

    let kind: Kind

    /// Creates an assertion from a code of an authenticator app.
    ///
    /// - Parameters:
    ///   - uid: The ``MultiFactorInfo/uid`` of the factor. The code is compared only with this one.
    ///   - code: The code. Spaces are ignored.
    /// - Returns: The assertion.
    public static func totp(_ uid: String, code: String) -> Self { Self(kind: .totp(uid: uid, code: code)) }

    /// Creates an assertion from a code that was sent to a phone.
    ///
    /// - Parameters:
    ///   - challengeID: The ID of the challenge: ``MultiFactorChallenge/id``.
    ///   - code: The code. Spaces are ignored.
    /// - Returns: The assertion.
    public static func phone(challengeID: String, code: String) -> Self {
        Self(kind: .phone(challengeID: challengeID, code: code))
    }

    /// Creates an assertion from a recovery code.
    ///
    /// - Parameter code: The code. Case, spaces and hyphens are ignored.
    /// - Returns: The assertion.
    public static func recoveryCode(_ code: String) -> Self { Self(kind: .recoveryCode(code)) }
}

extension MultiFactorAssertion: Redacted {
    /// The kind, without the code.
    public var description: String {
        switch kind {
        case .totp: "second factor: a code from an authenticator app"
        case .phone: "second factor: a code sent to a phone"
        case .recoveryCode: "second factor: a recovery code"
        }
    }
}
