// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An error for a token that cannot be decided, because the issuer's keys are unavailable.
///
/// The token may be valid: try again later.
public struct KeysUnavailable: Error, Sendable {
    /// The stable code of the reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code, for example `keys-unavailable`.
        public let rawValue: String

        /// A sentence for the sender of the token.
        public let explanation: String

        private init(_ rawValue: String, _ explanation: String) {
            self.rawValue = rawValue
            self.explanation = explanation
        }

        /// The code, the same as ``rawValue``.
        public var description: String { rawValue }

        /// The issuer's keys could not be fetched.
        public static let keysUnavailable = Self(
            "keys-unavailable",
            "The token cannot be checked now. Try again in a moment."
        )

        /// The issuer's discovery document is invalid or cannot be trusted.
        public static let discovery = Self(
            "discovery",
            "The token cannot be checked now. Try again later."
        )

        /// All codes.
        public static let all: [Self] = [.keysUnavailable, .discovery]
    }

    /// The stable code of the reason.
    public let code: Code

    /// A short description of what was tried and what happened.
    let detail: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The stable code of the reason.
    ///   - detail: A short description of what was tried and what happened, for the operator. It must not contain
    ///     secrets.
    public init(_ code: Code = .keysUnavailable, detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// The code and a recommendation, for the sender of the token.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension KeysUnavailable: CustomStringConvertible {
    /// The code and the description, for the operator.
    public var description: String { "undecided: \(code.rawValue): \(detail)" }
}
