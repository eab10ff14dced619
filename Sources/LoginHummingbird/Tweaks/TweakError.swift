// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

/// Why a tweak was not declared, set, or taken back.
public struct TweakError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault, by a stable name.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `invalid-value`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// It cannot be declared so: a mistake of the program.
        public static let declaration = Self("declaration")
        /// There is no tweak, or no action, of this ID.
        public static let unknown = Self("unknown-tweak")
        /// Actions are run, and have no value.
        public static let action = Self("no-value")
        /// The value is not one that the tweak takes.
        public static let value = Self("invalid-value")
        /// Somebody has changed it since it was read: read it again.
        public static let overtaken = Self("overtaken")
        /// The store of accounts cannot be asked.
        public static let store = Self("store-unavailable")

        /// All of them.
        public static let all: [Self] = [.declaration, .unknown, .action, .value, .overtaken, .store]
    }

    /// The kind of fault.
    public let code: Code

    /// What is wrong, for the operator.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    init(_ error: AuthError) {
        self.init(.store, "\(error.code)")
    }

    /// The code and what is wrong.
    public var description: String { "\(code): \(detail)" }
}
#endif
