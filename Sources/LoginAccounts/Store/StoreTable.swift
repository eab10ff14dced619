// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A table of a store: what it is called, and which of its rows may stand beside each other.
///
/// A store keeps these promises itself, whoever writes: the primary key and each group of ``uniques`` exist once, where nothing in the
/// group is null; and a row whose ``references`` name a row of another table stands only as long as that does.
public struct StoreTable: Sendable {
    /// The name, which begins with `login_`, so that it stands beside tables of yours.
    public let name: String

    /// The columns, in order.
    public let columns: [StoreColumn]

    /// Which columns name a row.
    public let primaryKey: [StoreColumn]

    /// Groups of columns that name a row too, if none of them is null.
    public let uniques: [[StoreColumn]]

    /// Groups of columns by which rows are looked for.
    public let indexes: [[StoreColumn]]

    /// Which rows of other tables a row needs.
    public let references: [StoreReference]

    init(
        _ name: String,
        columns: [StoreColumn],
        primaryKey: [StoreColumn],
        uniques: [[StoreColumn]] = [],
        indexes: [[StoreColumn]] = [],
        references: [StoreReference] = []
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.uniques = uniques
        self.indexes = indexes
        self.references = references
    }
}

extension StoreTable {
    /// The column of this name.
    package subscript(name: String) -> StoreColumn {
        guard let column = columns.first(where: { $0.name == name }) else {
            preconditionFailure("\(self.name) has no column \(name)")
        }
        return column
    }
}

/// A column of a table.
public struct StoreColumn: Sendable {
    /// What a column holds.
    public enum Kind: Sendable {
        /// ``StoreValue/integer(_:)``.
        case integer
        /// ``StoreValue/text(_:)``.
        case text
        /// ``StoreValue/bytes(_:)``.
        case bytes
    }

    /// The name.
    public let name: String

    /// What it holds.
    public let kind: Kind

    /// Whether it may hold nothing.
    public let isNullable: Bool

    private init(_ name: String, _ kind: Kind, _ isNullable: Bool) {
        self.name = name
        self.kind = kind
        self.isNullable = isNullable
    }

    static func integer(_ name: String) -> Self { Self(name, .integer, false) }
    static func text(_ name: String) -> Self { Self(name, .text, false) }
    static func bytes(_ name: String) -> Self { Self(name, .bytes, false) }

    /// Whether it holds a ``StoreTime``: all that do are called so.
    var isTime: Bool { kind == .integer && (name == "at" || name.hasSuffix("_at") || name.hasSuffix("_until")) }

    /// The same column, where it may hold nothing.
    var orNull: Self { Self(name, kind, true) }
}

/// What a row needs of another table: that there is one with the same values.
///
/// It is looked at when the transaction ends, so that both may be written in any order.
public struct StoreReference: Sendable {
    /// The columns here.
    ///
    /// Where one of them is null, nothing is needed.
    public let columns: [StoreColumn]

    /// The name of the other table.
    public let table: String

    /// The columns there, in the same order: its primary key or one of its uniques.
    public let target: [StoreColumn]
}
