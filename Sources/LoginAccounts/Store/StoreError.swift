// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// Why a store did not do what it was asked.
public struct StoreError: Error, Sendable, Hashable {
    /// The kind of fault, by a stable name.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `busy`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// Somebody else was faster, and nothing was written: the same transaction may succeed at once.
        public static let busy = Self("busy")
        /// The store does not answer, or has no room; what was asked may have been written if it was at its end.
        public static let unavailable = Self("unavailable")
        /// The store holds what it cannot hold, or lacks what it must have.
        public static let damaged = Self("damaged")
        /// The store has not been migrated to what this version needs, or has gone beyond it.
        public static let schema = Self("schema")
        /// A promise of the tables would be broken: a mistake of whoever writes.
        public static let constraint = Self("constraint")

        /// All of them.
        public static let all: [Self] = [.busy, .unavailable, .damaged, .schema, .constraint]
    }

    /// The kind of fault.
    public let code: Code

    /// What happened, for the operator, without any value of a row.
    public let detail: String

    /// A fault.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - detail: What happened, without any value of a row.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }
}

extension StoreError: CustomStringConvertible {
    /// The code and what happened.
    public var description: String { "store of accounts: \(code.rawValue): \(detail)" }
}
