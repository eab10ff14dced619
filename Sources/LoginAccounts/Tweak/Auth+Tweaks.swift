// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A tweak as the store has it.
package struct StoredTweak: Sendable, Hashable {
    /// The ID of the tweak.
    package let id: String
    /// The value as text; nil if the tweak was reset.
    package let value: String?
    /// The time of the last change.
    package let changedAt: Date
    /// The author of the last change.
    package let changedBy: String
    /// The revision, which a further change must name.
    package let revision: Int64

    /// Creates a stored tweak.
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

/// All stored tweaks, from one snapshot.
package struct StoredTweaks: Sendable, Hashable {
    /// The number of changes.
    package let revision: Int64
    /// The tweaks that were ever set, by ID.
    package let tweaks: [String: StoredTweak]

    /// Creates a snapshot.
    package init(revision: Int64, tweaks: [String: StoredTweak]) {
        self.revision = revision
        self.tweaks = tweaks
    }
}

/// The result of a change.
package enum TweakWriting: Sendable, Hashable {
    /// The change was written.
    case written
    /// The value was the same, and nothing was written.
    case unchanged
    /// A conflict: the tweak has changed since its author saw it, and nothing was written.
    case overtaken
}

extension Auth {
    /// The maximum length of a value's text: 4 KiB.
    package static let tweakValueBytes = 4096

    /// Returns the number of changes of tweaks by any server.
    ///
    /// It reads one row, so it can be polled every few seconds.
    ///
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func tweakRevision() async throws(AuthError) -> Int64 {
        try await read { transaction in try transaction.tweaks.revision() }
    }

    /// Returns the stored tweaks.
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

    /// Sets or resets a tweak, and records its author in the audit.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak.
    ///   - value: The value as text, of ``tweakValueBytes`` at most; nil to reset the tweak.
    ///   - revision: The revision that the author has seen; 0 if the tweak was not stored.
    ///   - author: The author's name for the audit.
    /// - Returns: The result.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func setTweak(
        _ id: String,
        to value: String?,
        expecting revision: Int64,
        by author: String
    ) async throws(AuthError) -> TweakWriting {
        Self.check(id, value)
        return try await transaction { transaction in
            try transaction.tweaks.set(id, to: value, expecting: revision, by: author)
        }
    }

    /// Sets or resets several tweaks, all or none, as one change.
    ///
    /// - Parameters:
    ///   - values: The values as texts by ID, each as for ``setTweak(_:to:expecting:by:)``.
    ///   - revision: The number of changes that the author has seen.
    ///   - author: The author's name for the audit.
    /// - Returns: The result.
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func setTweaks(
        _ values: [String: String?],
        expecting revision: Int64,
        by author: String
    ) async throws(AuthError) -> TweakWriting {
        for (id, value) in values { Self.check(id, value) }
        return try await transaction { transaction in
            try transaction.tweaks.set(values, expecting: revision, by: author)
        }
    }

    private static func check(_ id: String, _ value: String?) {
        precondition(
            !id.isEmpty && value?.utf8.count ?? 0 <= tweakValueBytes,
            "a tweak must have a name, and at most \(tweakValueBytes) bytes"
        )
    }

    /// Records in the audit that an operator started an operation.
    ///
    /// - Throws: ``AuthError``: `conflict-retry`, `store-unavailable`, `internal-error`.
    package func recordTweakAction(_ id: String, by author: String) async throws(AuthError) {
        try await transaction { transaction in
            try transaction.audit.record(.tweakAction, account: nil, subject: ["tweak": id, "by": author])
        }
    }

    /// Returns the audit entries of tweaks, the latest first.
    ///
    /// - Parameter limit: The maximum number of entries.
    /// - Returns: The entries.
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
