// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The content of a persistence as a value, which is kept in memory or in a file.
struct TweakLedger: Sendable, Hashable, Codable {
    /// The number of entries of the history, a few pages.
    private static let historyLength = 200

    /// The largest revision: every JSON parser reads whole numbers up to 2⁵³ exactly, and no operator makes so many
    /// changes.
    static let maximumRevision: Int64 = 1 << 53

    private(set) var revision: Int64 = 0
    private(set) var tweaks: [String: TweakOverride] = [:]
    /// The latest changes and actions, oldest first.
    private(set) var history: [TweakChange] = []

    /// Whether changes can have led to this content, which may come from a file.
    var isPossible: Bool {
        (0...Self.maximumRevision).contains(revision)
            && tweaks.allSatisfy { id, tweak in tweak.id == id && (0...revision).contains(tweak.revision) }
    }

    var overrides: TweakOverrides { TweakOverrides(revision: revision, tweaks: tweaks) }

    /// Sets or resets a tweak, unless it has changed since its author saw it.
    mutating func set(_ id: String, to value: String?, expecting revision: Int64, by author: String)
        throws(TweakError)
    {
        guard tweaks[id]?.revision ?? 0 == revision else { throw .overtaken }
        try write([id: value], by: author)
    }

    /// Sets or resets several tweaks, unless one has changed since the author saw them.
    mutating func set(_ values: [String: String?], expecting revision: Int64, by author: String) throws(TweakError) {
        guard self.revision == revision else { throw .overtaken }
        try write(values, by: author)
    }

    mutating func recordAction(_ id: String, by author: String) {
        append(TweakChange(.action, id: id, at: Date(), by: author))
    }

    func latest(_ limit: Int) -> [TweakChange] { Array(history.reversed().prefix(limit)) }

    private mutating func write(_ values: [String: String?], by author: String) throws(TweakError) {
        let now = Date()
        let changes = values.sorted { $0.key < $1.key }.compactMap { id, value in
            TweakChange(of: id, from: tweaks[id]?.value, to: value, at: now, by: author)
        }
        guard !changes.isEmpty else { return }
        guard revision < Self.maximumRevision else {
            throw TweakError(.store, "the number of changes has reached its maximum")
        }
        revision += 1
        for change in changes {
            append(change)
            tweaks[change.id] = TweakOverride(
                id: change.id,
                value: change.to,
                changedAt: now,
                changedBy: author,
                revision: revision
            )
        }
    }

    private mutating func append(_ change: TweakChange) {
        history.append(change)
        history.removeFirst(max(history.count - Self.historyLength, 0))
    }
}
