// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A store for the values that operators set, which several servers may share.
///
/// Each change has a revision, one more than the change before it, on whichever server it is made. A change names the
/// revision that its author has seen, and is refused if there is a later one.
///
/// ``InMemoryTweaks`` and ``FileTweaks`` are included.
public protocol TweakPersistence: Sendable {
    /// Returns the number of changes by all servers.
    ///
    /// It is called every few seconds.
    ///
    /// - Returns: The revision of the last change; 0 if there was none.
    /// - Throws: ``TweakError``: `store-unavailable`.
    func revision() async throws(TweakError) -> Int64

    /// Returns the overrides, from one snapshot.
    ///
    /// - Returns: The overrides.
    /// - Throws: ``TweakError``: `store-unavailable`.
    func load() async throws(TweakError) -> TweakOverrides

    /// Sets or resets one tweak.
    ///
    /// A value that is stored already is not a change.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak.
    ///   - value: The value as text; nil to reset the tweak.
    ///   - revision: The revision of this tweak that the author has seen; 0 if it was never stored.
    ///   - author: The author, at most 64 bytes.
    /// - Throws: ``TweakError``: `overtaken` if the tweak has another revision, `store-unavailable`. Nothing is changed
    ///   then.
    func set(_ id: String, to value: String?, expecting revision: Int64, by author: String) async throws(TweakError)

    /// Sets or resets several tweaks, all or none, as one change.
    ///
    /// - Parameters:
    ///   - values: The values as texts by ID; nil for a tweak that is reset.
    ///   - revision: The number of changes that the author has seen.
    ///   - author: The author, at most 64 bytes.
    /// - Throws: ``TweakError``: `overtaken` if there was another change, `store-unavailable`. Nothing is changed then.
    func set(_ values: [String: String?], expecting revision: Int64, by author: String) async throws(TweakError)

    /// Records that an operator runs an action.
    ///
    /// - Parameters:
    ///   - id: The ID of the action.
    ///   - author: The author, at most 64 bytes.
    /// - Throws: ``TweakError``: `store-unavailable`. The action does not run then.
    func recordAction(_ id: String, by author: String) async throws(TweakError)

    /// Returns the latest changes and actions, newest first.
    ///
    /// - Parameter limit: The maximum number of entries.
    /// - Returns: The entries.
    /// - Throws: ``TweakError``: `store-unavailable`.
    func history(limit: Int) async throws(TweakError) -> [TweakChange]
}

extension TweakPersistence {
    /// Does nothing: a persistence without a history.
    public func recordAction(_ id: String, by author: String) async throws(TweakError) {}

    /// Returns no entries: a persistence without a history.
    public func history(limit: Int) async throws(TweakError) -> [TweakChange] { [] }
}

/// A stored value of a tweak.
public struct TweakOverride: Sendable, Hashable, Codable {
    /// The ID of the tweak.
    public let id: String
    /// The value as text; nil if the tweak was reset.
    public let value: String?
    /// The time of the last change.
    public let changedAt: Date
    /// The author of the last change.
    public let changedBy: String
    /// The revision of the last change.
    public let revision: Int64

    /// Creates a stored value.
    ///
    /// - Parameters:
    ///   - id: The ID of the tweak.
    ///   - value: The value as text; nil if the tweak was reset.
    ///   - changedAt: The time of the last change.
    ///   - changedBy: The author of the last change.
    ///   - revision: The revision of the last change.
    public init(id: String, value: String?, changedAt: Date, changedBy: String, revision: Int64) {
        self.id = id
        self.value = value
        self.changedAt = changedAt
        self.changedBy = changedBy
        self.revision = revision
    }
}

/// The stored values of all tweaks, from one snapshot.
public struct TweakOverrides: Sendable, Hashable {
    /// The number of changes.
    public let revision: Int64
    /// The tweaks that were ever set, by ID.
    public let tweaks: [String: TweakOverride]

    /// Creates a snapshot.
    ///
    /// - Parameters:
    ///   - revision: The number of changes.
    ///   - tweaks: The tweaks that were ever set, by ID.
    public init(revision: Int64, tweaks: [String: TweakOverride]) {
        self.revision = revision
        self.tweaks = tweaks
    }
}

/// An entry of the history: a change of a tweak, or an action.
public struct TweakChange: Sendable, Hashable, Codable {
    /// The kind of an entry.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A value was set.
        case set
        /// A tweak was reset.
        case reset
        /// An action was run.
        case action
    }

    /// The kind of the entry.
    public let kind: Kind
    /// The ID of the tweak or action.
    public let id: String
    /// The value before the change; nil if there was none.
    public let from: String?
    /// The value after the change; nil if there is none.
    public let to: String?
    /// The time of the change.
    public let at: Date
    /// The author of the change.
    public let by: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - kind: The kind of the entry.
    ///   - id: The ID of the tweak or action.
    ///   - from: The value before the change.
    ///   - to: The value after the change.
    ///   - at: The time of the change.
    ///   - by: The author of the change.
    public init(_ kind: Kind, id: String, from: String? = nil, to: String? = nil, at: Date, by: String) {
        self.kind = kind
        self.id = id
        self.from = from
        self.to = to
        self.at = at
        self.by = by
    }

    /// Creates the entry of a change; nil if the value stays the same, byte for byte.
    init?(of id: String, from: String?, to: String?, at: Date, by author: String) {
        guard from.map({ Array($0.utf8) }) != to.map({ Array($0.utf8) }) else { return nil }
        self.init(to == nil ? .reset : .set, id: id, from: from, to: to, at: at, by: author)
    }
}
