// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The keys to decide about a token could not be had.
///
/// The token may be good: try again later.
public struct KeysUnavailable: Error, Sendable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `keys-unavailable`.
        public let rawValue: String

        /// A sentence for whoever sent the token.
        public let explanation: String

        private init(_ rawValue: String, _ explanation: String) {
            self.rawValue = rawValue
            self.explanation = explanation
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The issuer's keys could not be had.
        public static let keysUnavailable = Self(
            "keys-unavailable",
            "The token cannot be checked now. Try again in a moment."
        )

        /// What was found in the place of the issuer's discovery document is not one that can be trusted.
        public static let discovery = Self(
            "discovery",
            "The token cannot be checked now. Try again later."
        )

        /// All of them.
        public static let all: [Self] = [.keysUnavailable, .discovery]
    }

    /// The stable name of the reason.
    public let code: Code

    /// What was tried and what happened, in a few words.
    let detail: String

    /// - Parameters:
    ///   - code: The stable name of the reason.
    ///   - detail: What was tried and what happened, for the operator; no secret may stand in it.
    public init(_ code: Code = .keysUnavailable, detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// The code and what to do, for whoever sent the token.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension KeysUnavailable: CustomStringConvertible {
    /// The code and what happened, for the operator.
    public var description: String { "undecided: \(code.rawValue): \(detail)" }
}
