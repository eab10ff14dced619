// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An error for a token or a proof that cannot be decided, because the issuer's keys, its introspection endpoint, or the
/// ledger of used proofs are unavailable.
///
/// The token may be valid: try again later.
public struct VerificationUnavailable: Error, Sendable {
    /// The stable code of the reason.
    public let code: VerificationCode

    /// A short description of what was tried and what happened.
    let detail: String

    /// Creates an error with the code `keys-unavailable`.
    ///
    /// - Parameter detail: A short description of what was tried and what happened, for the operator. It must not
    ///   contain secrets.
    public init(detail: String) { self.init(.keysUnavailable, detail: detail) }

    /// Creates an error with one of the codes of ``VerificationCode/undecided``, ``VerificationCode/proofUndecided`` or
    /// ``VerificationCode/introspectionUnavailable``.
    package init(_ code: VerificationCode, detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// The code and a recommendation, for the sender of the token.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension VerificationUnavailable: CustomStringConvertible {
    /// The code and the description, for the operator.
    public var description: String { "undecided: \(code.rawValue): \(detail)" }
}
