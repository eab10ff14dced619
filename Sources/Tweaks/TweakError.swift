// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The reason why a tweak was not declared, set, or reset.
public struct TweakError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, identified by a stable name.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `invalid-value`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The declaration is invalid: a programming error.
        public static let declaration = Self("declaration")
        /// No tweak, or no action, has this ID.
        public static let unknown = Self("unknown-tweak")
        /// The ID is that of an action, which has no value to set or reset.
        public static let action = Self("no-value")
        /// The value is invalid or does not meet the constraint of the tweak.
        public static let value = Self("invalid-value")
        /// Another change was made after the caller read the tweak.
        ///
        /// Read it again and retry.
        public static let overtaken = Self("overtaken")
        /// The persistence is unavailable.
        public static let store = Self("store-unavailable")

        /// All codes.
        public static let all: [Self] = [.declaration, .unknown, .action, .value, .overtaken, .store]
    }

    /// The kind of fault.
    public let code: Code

    /// The details of the fault, for the operator.
    public let detail: String

    /// Creates an error, for example in a ``TweakPersistence``.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - detail: The details for the operator, without a full stop. They appear on the page and in logs.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// The error of a change that names an outdated revision.
    public static let overtaken = Self(
        .overtaken,
        "another change was made in the meantime; read the current value, and try again"
    )

    /// The code and the details.
    public var description: String { "\(code): \(detail)" }
}
