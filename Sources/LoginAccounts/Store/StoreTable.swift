// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A table of a store, with its keys and references.
///
/// The store enforces the constraints: the primary key is unique, as is each group of ``uniques`` in which no value is
/// null; and a row with ``references`` needs the rows of other tables to which it refers.
public struct StoreTable: Sendable {
    /// The name.
    ///
    /// It begins with `login_`, so that the table can share a database with yours.
    public let name: String

    /// The columns, in order.
    public let columns: [StoreColumn]

    /// The columns of the primary key.
    public let primaryKey: [StoreColumn]

    /// Further groups of columns that identify a row, if none of them is null.
    public let uniques: [[StoreColumn]]

    /// The groups of columns by which rows are found.
    public let indexes: [[StoreColumn]]

    /// The references to rows of other tables.
    public let references: [StoreReference]

    /// The names of the columns, in order.
    let columnNames: [String]

    /// The parts of statements that are the same for every statement about the table.
    let sql: SQLParts

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
        columnNames = columns.map(\.name)
        sql = SQLParts(table: name, columns: columnNames)
    }
}

extension StoreTable {
    /// Returns the column with a name.
    package subscript(name: String) -> StoreColumn {
        guard let column = columns.first(where: { $0.name == name }) else {
            preconditionFailure("\(self.name) has no column \(name)")
        }
        return column
    }
}

/// A column of a table.
public struct StoreColumn: Sendable {
    /// The kind of a column's values.
    public enum Kind: Sendable {
        /// Integers: ``StoreValue/integer(_:)``.
        case integer
        /// Texts: ``StoreValue/text(_:)``.
        case text
        /// Bytes: ``StoreValue/bytes(_:)``.
        case bytes
    }

    /// The name.
    public let name: String

    /// The kind of its values.
    public let kind: Kind

    /// Whether the column may be null.
    public let isNullable: Bool

    private init(_ name: String, _ kind: Kind, _ isNullable: Bool) {
        self.name = name
        self.kind = kind
        self.isNullable = isNullable
    }

    static func integer(_ name: String) -> Self { Self(name, .integer, false) }
    static func text(_ name: String) -> Self { Self(name, .text, false) }
    static func bytes(_ name: String) -> Self { Self(name, .bytes, false) }

    /// Whether the column holds a ``StoreTime``, which its name indicates.
    var isTime: Bool { kind == .integer && (name == "at" || name.hasSuffix("_at") || name.hasSuffix("_until")) }

    /// The same column, nullable.
    var orNull: Self { Self(name, kind, true) }
}

/// A reference to a row of another table, which must exist.
///
/// References are checked when the transaction ends, so that both rows may be written in any order.
public struct StoreReference: Sendable {
    /// The columns of the referring table.
    ///
    /// If one of them is null, the row refers to nothing.
    public let columns: [StoreColumn]

    /// The name of the referenced table.
    public let table: String

    /// The columns of the referenced table, in the same order: its primary key or one of its uniques.
    public let target: [StoreColumn]
}

// Values that databases treat differently are refused for all stores before they reach one.
extension StoreTable {
    /// Checks that a row can be written to the table: known columns, values of the right kinds, and no missing value.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ row: StoreRow) throws(StoreError) {
        for (column, value) in zip(columns, row.cells(of: self)) { try check(value, for: column) }
        guard row.hasOnlyColumns(of: self) else {
            throw StoreError(.constraint, "a value is for a column that \(name) does not have")
        }
    }

    /// Checks that changes can be made to the table.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ changes: [StoreChange]) throws(StoreError) {
        guard !changes.isEmpty else { throw StoreError(.constraint, "an update of \(name) sets no column") }
        for change in changes {
            switch change.operation {
            case .set(let value): try check(value, for: own(change.column))
            case .add: try check(.integer(0), for: own(change.column))
            }
        }
    }

    /// Checks that conditions have known columns, and values of the right kinds.
    ///
    /// - Throws: ``StoreError``: `constraint`.
    package func check(_ conditions: [StoreCondition]) throws(StoreError) {
        for condition in conditions {
            let column = try own(condition.column)
            switch condition.comparison {
            case .equal(.null), .null, .notNull: break
            case .equal(let value): try check(kindOf: value, for: column)
            case .notEqual, .less, .atMost, .greater, .atLeast: try check(kindOf: .integer(0), for: column)
            }
        }
    }

    private func own(_ column: StoreColumn) throws(StoreError) -> StoreColumn {
        guard let own = columns.first(where: { $0.name == column.name }) else {
            throw StoreError(.constraint, "\(name) has no column \(column.name)")
        }
        return own
    }

    private func check(_ value: StoreValue, for column: StoreColumn) throws(StoreError) {
        switch value {
        case .null:
            guard column.isNullable else { throw StoreError(.constraint, "\(name).\(column.name) requires a value") }
        case .text(let text) where text.utf8.contains(0):
            // PostgreSQL does not accept it, and SQLite would truncate the text there.
            throw StoreError(.constraint, "a text for \(name).\(column.name) contains a NUL")
        default: try check(kindOf: value, for: column)
        }
    }

    private func check(kindOf value: StoreValue, for column: StoreColumn) throws(StoreError) {
        switch (value, column.kind) {
        case (.integer, .integer), (.text, .text), (.bytes, .bytes): break
        default: throw StoreError(.constraint, "a value for \(name).\(column.name) has the wrong type")
        }
    }
}
