// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What the store says of one tweak.
package struct StoredTweak: Sendable, Hashable {
    /// Which one.
    package let id: String
    /// The text of its value; nil where it was taken back.
    package let value: String?
    /// When that was said.
    package let changedAt: Date
    /// By whom.
    package let changedBy: String
    /// What a further change has to name.
    package let revision: Int64

    /// What a store says.
    package init(id: String, value: String?, changedAt: Date, changedBy: String, revision: Int64) {
        self.id = id
        self.value = value
        self.changedAt = changedAt
        self.changedBy = changedBy
        self.revision = revision
    }

    fileprivate init(_ record: TweakRecord) {
        self.init(
            id: record.id,
            value: record.value,
            changedAt: record.changedAt.date,
            changedBy: record.changedBy,
            revision: record.revision
        )
    }
}

/// All that the store says of tweaks, at one moment.
package struct StoredTweaks: Sendable, Hashable {
    /// How many changes there were.
    package let revision: Int64
    /// Those that were ever set, by their IDs.
    package let tweaks: [String: StoredTweak]

    /// What a store says.
    package init(revision: Int64, tweaks: [String: StoredTweak]) {
        self.revision = revision
        self.tweaks = tweaks
    }
}

/// What came of a change.
package enum TweakWriting: Sendable, Hashable {
    /// It is kept.
    case written
    /// The store said so before: nothing was written.
    case unchanged
    /// Somebody else was faster, so that the change would undo what its author has not seen: nothing was written.
    case overtaken
}

extension Auth {
    /// The longest text of a value: 4 KiB.
    package static let tweakValueBytes = 4096

    /// How many changes of tweaks there were, on any server: a row, so that it can be asked every few seconds.
    ///
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func tweakRevision() async throws(AuthError) -> Int64 {
        try await read { transaction in try transaction.tweaks.revision() }
    }

    /// What the store says of tweaks.
    ///
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func storedTweaks() async throws(AuthError) -> StoredTweaks {
        try await read { transaction in
            let records = try transaction.tables.tweaks.all()
            return StoredTweaks(
                revision: try transaction.tweaks.revision(),
                tweaks: Dictionary(records.map { ($0.id, StoredTweak($0)) }) { first, _ in first }
            )
        }
    }

    /// Sets a tweak, or takes it back, and writes into the audit who did so.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - value: The text of its value, ``tweakValueBytes`` at most; nil to take it back.
    ///   - revision: The revision of what its author has seen; 0 where the store said nothing.
    ///   - author: Who does it: a name that may stand in the audit.
    /// - Returns: Whether it was written.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func setTweak(
        _ id: String,
        to value: String?,
        expecting revision: Int64,
        by author: String
    ) async throws(AuthError) -> TweakWriting {
        precondition(!id.isEmpty && value?.utf8.count ?? 0 <= Self.tweakValueBytes, "a tweak has a name, and is short")
        return try await transaction { transaction in
            try transaction.tweaks.set(id, to: value, expecting: revision, by: author)
        }
    }

    /// Takes all tweaks back.
    ///
    /// - Parameters:
    ///   - revision: How many changes its author has seen.
    ///   - author: Who does it.
    /// - Returns: Whether it was written.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func resetTweaks(expecting revision: Int64, by author: String) async throws(AuthError) -> TweakWriting {
        try await transaction { transaction in
            try transaction.tweaks.reset(expecting: revision, by: author)
        }
    }

    /// Writes into the audit that somebody has something done.
    ///
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func recordTweakAction(_ id: String, by author: String) async throws(AuthError) {
        try await transaction { transaction in
            try transaction.audit.record(.tweakAction, account: nil, subject: ["tweak": id, "by": author])
        }
    }

    /// What happened to tweaks, the latest first.
    ///
    /// - Parameter limit: How many at most.
    /// - Returns: What happened.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func tweakHistory(limit: Int) async throws(AuthError) -> [AuthEvent] {
        try await read { transaction in
            var found: [AuditRecord] = []
            for action in [AuditAction.tweakChanged, .tweakReset, .tweakAction] {
                found += try transaction.tables.audit.of(action, limit: limit)
            }
            return try found.sorted { $1.id.utf8.lexicographicallyPrecedes($0.id.utf8) }.prefix(limit)
                .map { record in try AuthEvent(record) }
        }
    }
}
