// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the value of a tweak comes from.
public enum TweakSource: String, Sendable, Hashable {
    /// Nobody says otherwise: `default`.
    case standard = "default"
    /// The file of the configuration says so.
    case file
    /// An operator has set it, for all servers.
    case override
}

/// Why something that a file or the store says of a tweak is not used.
public struct TweakFault: Sendable, Hashable {
    /// Of which tweak.
    public let id: String
    /// Who says it.
    public let source: TweakSource
    /// Why it is not used.
    public let reason: String
}

/// All tweaks and actions at one moment, in the order in which they were declared.
public struct TweakReport: Sendable, Hashable {
    /// A category.
    public struct Category: Sendable, Hashable {
        /// What it is known by.
        public let id: String
        /// How it is called.
        public let title: String
        /// What stands in it.
        public let collections: [Collection]
    }

    /// A collection.
    public struct Collection: Sendable, Hashable {
        /// What it is known by, within its category.
        public let id: String
        /// How it is called.
        public let title: String
        /// What stands in it.
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
        /// What it is known by.
        public let id: String
        /// How it is called.
        public let title: String
        /// What it does.
        public let description: String
        /// What its number counts; nil for a plain number or none.
        public let unit: String?
        /// Its kind.
        public let kind: TweakContent.Kind
        /// Which values it takes.
        public let constraint: TweakConstraint
        /// What it is.
        public let current: TweakContent
        /// Where that comes from.
        public let source: TweakSource
        /// What it is where nobody says otherwise.
        public let standard: TweakContent
        /// What the file says; nil where it says nothing.
        public let file: String?
        /// What the store says; nil where it says nothing.
        public let override: String?
        /// What a change has to name; 0 where the store never said anything.
        public let revision: Int64
        /// When the store last said something; nil where it never did.
        public let changedAt: Date?
        /// By whom that was.
        public let changedBy: String?
        /// What is not used of what the layers say.
        public let faults: [TweakFault]
    }

    /// An action.
    public struct Action: Sendable, Hashable {
        /// What it is known by.
        public let id: String
        /// How it is called.
        public let title: String
        /// What it does.
        public let description: String
    }

    /// Something that the store keeps, and that this program has no tweak for.
    public struct Unknown: Sendable, Hashable {
        /// What it is known by.
        public let id: String
        /// What a change has to name.
        public let revision: Int64
    }

    /// How many changes there were, on all servers; -1 where the store was not read yet.
    public let revision: Int64

    /// The categories.
    public let categories: [Category]

    /// What the store keeps for other versions of this program.
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
                    unit: entry.declaration.unit,
                    kind: entry.declaration.standard.kind,
                    constraint: entry.constraint,
                    current: entry.content,
                    source: entry.source,
                    standard: entry.declaration.standard,
                    file: state.file[id],
                    override: stored?.value,
                    revision: stored?.revision ?? 0,
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
#endif
