// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The source of a tweak's value.
public enum TweakSource: String, Sendable, Hashable {
    /// The declaration: `default`.
    case `default`
    /// The configuration file of the program.
    case file
    /// The store: an operator has set the value for all servers.
    case override
}

/// A value in the file or the store that cannot be used.
public struct TweakFault: Sendable, Hashable {
    /// The ID of the tweak.
    public let id: String
    /// The source of the value.
    public let source: TweakSource
    /// The reason why the value is not used.
    public let reason: String
}

/// A snapshot of all tweaks and actions, in the order of their declaration.
public struct TweakReport: Sendable, Hashable {
    /// A category.
    public struct Category: Sendable, Hashable {
        /// The ID of the category.
        public let id: String
        /// The title of the category.
        public let title: String
        /// The collections of the category.
        public let collections: [Collection]
    }

    /// A collection.
    public struct Collection: Sendable, Hashable {
        /// The ID of the collection, unique within its category.
        public let id: String
        /// The title of the collection.
        public let title: String
        /// The tweaks and actions of the collection.
        public let items: [Item]
    }

    /// A tweak or an action.
    public enum Item: Sendable, Hashable {
        /// A tweak.
        case tweak(Value)
        /// An action.
        case action(Action)
    }

    /// A tweak.
    public struct Value: Sendable, Hashable {
        /// The ID of the tweak.
        public let id: String
        /// The title of the tweak.
        public let title: String
        /// The effect of the tweak.
        public let description: String
        /// The unit of the number; nil for a plain number or another kind of value.
        public let unit: String?
        /// The kind of the value.
        public let kind: TweakContent.Kind
        /// The constraint of the value.
        public let constraint: TweakConstraint
        /// The current value.
        public let current: TweakContent
        /// The source of the current value.
        public let source: TweakSource
        /// The default value.
        public let defaultValue: TweakContent
        /// The value in the configuration file; nil if it has none.
        public let file: String?
        /// The value in the store; nil if it has none.
        public let override: String?
        /// The revision that a change has to name; 0 if the tweak was never overridden.
        public let revision: Int64
        /// The time of the last change in the store; nil if there was none.
        public let changedAt: Date?
        /// The author of the last change in the store; nil if there was none.
        public let changedBy: String?
        /// The values in the file and the store that cannot be used.
        public let faults: [TweakFault]
    }

    /// An action.
    public struct Action: Sendable, Hashable {
        /// The ID of the action.
        public let id: String
        /// The title of the action.
        public let title: String
        /// The effect of the action.
        public let description: String
    }

    /// A stored override for a tweak that this program does not declare.
    public struct Unknown: Sendable, Hashable {
        /// The ID of the tweak.
        public let id: String
        /// The revision that a change has to name.
        public let revision: Int64
    }

    /// The number of changes on all servers when the store was last read; 0 before that, as for an empty store.
    public let revision: Int64

    /// The categories.
    public let categories: [Category]

    /// The stored overrides for tweaks of other versions of this program.
    public let unknown: [Unknown]
}

extension TweakReport {
    init(_ state: TweakState) {
        revision = state.stored.revision
        unknown = state.unknown.map { Unknown(id: $0.id, revision: $0.revision) }
        categories = state.categories.map { category in
            Category(
                id: category.id,
                title: category.title,
                collections: category.collections.map { collection in
                    Collection(
                        id: collection.id,
                        title: collection.title,
                        items: collection.items.compactMap { Self.item($0, state) }
                    )
                }
            )
        }
    }

    private static func item(_ item: TweakState.Item, _ state: TweakState) -> Item? {
        switch item {
        case .action(let action):
            return .action(Action(id: action.id, title: action.title, description: action.description))
        case .tweak(let id):
            guard let entry = state.entry(id) else { return nil }
            let stored = state.stored.tweaks[id]
            return .tweak(
                Value(
                    id: id,
                    title: entry.declaration.title,
                    description: entry.declaration.description,
                    unit: entry.declaration.unit ?? (entry.declaration.defaultValue.kind == .seconds ? "s" : nil),
                    kind: entry.declaration.defaultValue.kind,
                    constraint: entry.declaration.constraint,
                    current: entry.content,
                    source: entry.source,
                    defaultValue: entry.declaration.defaultValue,
                    file: state.file[id],
                    override: stored?.value,
                    revision: state.revision(of: id),
                    changedAt: stored?.changedAt,
                    changedBy: stored?.changedBy,
                    faults: entry.faults
                )
            )
        }
    }

    /// All tweaks, without their categories.
    public var values: [Value] {
        categories.flatMap(\.collections).flatMap(\.items).compactMap { item in
            if case .tweak(let value) = item { value } else { nil }
        }
    }
}
