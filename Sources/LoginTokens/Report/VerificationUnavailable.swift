// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An error for a token or a proof that cannot be decided, because the issuer's keys, its introspection endpoint, or the
/// ledger of used proofs are unavailable.
///
/// The token may be valid: try again later.
public struct VerificationUnavailable: Error, Sendable {
    /// The stable code of the reason.
    public let code: VerificationCode

    /// The time after which the key of the token can be looked up; nil if the reason is an outage.
    ///
    /// The source then has the issuer's keys, and the token names another one. It may be new, and lookups are limited,
    /// because anyone can make up key IDs. The cause is the token, so it is no reason for an alarm.
    public let retryAfter: Duration?

    /// A short description of what was tried and what happened.
    let detail: String

    /// Creates an error with the code `keys-unavailable`.
    ///
    /// - Parameters:
    ///   - detail: A short description of what was tried and what happened, for the operator. It must not contain
    ///     secrets.
    ///   - retryAfter: The time after which the key of the token can be looked up; nil if the reason is an outage.
    public init(detail: String, retryAfter: Duration? = nil) {
        self.init(.keysUnavailable, detail: detail, retryAfter: retryAfter)
    }

    /// Creates an error with one of the codes of ``VerificationCode/undecided``, ``VerificationCode/proofUndecided`` or
    /// ``VerificationCode/introspectionUnavailable``.
    package init(_ code: VerificationCode, detail: String, retryAfter: Duration? = nil) {
        self.code = code
        self.retryAfter = retryAfter
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// The code and a recommendation, for the sender of the token.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension VerificationUnavailable: CustomStringConvertible {
    /// The code and the description, for the operator.
    public var description: String { "undecided: \(code.rawValue): \(detail)" }
}
