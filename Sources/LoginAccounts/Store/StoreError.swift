// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// The error of a store operation.
public struct StoreError: Error, Sendable, Hashable {
    /// The kind of error, by a stable name.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `busy`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// A conflict with another transaction: nothing was written, and the same transaction may succeed at once.
        public static let busy = Self("busy")
        /// The store does not respond, or is full.
        ///
        /// If the commit was in progress, it may have succeeded.
        public static let unavailable = Self("unavailable")
        /// The store contains invalid data, or lacks required data.
        public static let damaged = Self("damaged")
        /// The migrations of the store do not match this version: it lacks some, or has newer ones.
        public static let schema = Self("schema")
        /// A constraint of the tables would be violated: a programming error of the writer.
        public static let constraint = Self("constraint")

        /// All codes.
        public static let all: [Self] = [.busy, .unavailable, .damaged, .schema, .constraint]
    }

    /// The kind of error.
    public let code: Code

    /// The circumstances, for the operator, without any value of a row.
    public let detail: String

    /// The faults that were found, one line each: ``detail`` alone, unless a check found several.
    public let faults: [String]

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - detail: The circumstances, without any value of a row.
    public init(_ code: Code, _ detail: String) { self.init(code, faults: [detail]) }

    /// Creates the error of a check that found faults.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - faults: The faults, at least one, without any value of a row.
    package init(_ code: Code, faults: [String]) {
        self.code = code
        self.faults = faults.map { oneLine($0, limit: 4 * Limits.quotedCharacters) }
        detail = oneLine(faults.joined(separator: "; "), limit: 4 * Limits.quotedCharacters)
    }
}

extension StoreError: CustomStringConvertible {
    /// The code and the circumstances.
    public var description: String { "account store: \(code.rawValue): \(detail)" }
}
