// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A row of a table or of a result: the value of each column.
public struct StoreRow: Sendable {
    /// The names of the columns; the rows of a result share them.
    private var names: [String]

    /// The value of each column, in the order of the names.
    private var cells: [StoreValue]

    /// Creates a row.
    ///
    /// - Parameter values: The values, by the names of their columns.
    public init(_ values: [String: StoreValue] = [:]) {
        self.init(names: Array(values.keys), cells: Array(values.values))
    }

    /// Creates a row of a result.
    ///
    /// - Parameters:
    ///   - names: The names of the columns.
    ///   - cells: As many values, in the same order. Of two columns with the same name, the last one is used.
    package init(names: [String], cells: [StoreValue]) {
        self.names = names
        self.cells = cells
    }

    /// The values, by the names of their columns.
    public var values: [String: StoreValue] { Dictionary(zip(names, cells)) { $1 } }

    /// The value of a column by its name in the result, for statements of the application; null if it is missing.
    public subscript(name: String) -> StoreValue {
        names.lastIndex(of: name).map { cells[$0] } ?? .null
    }

    /// The value of a column; null if it is missing.
    public subscript(column: StoreColumn) -> StoreValue {
        get { self[column.name] }
        set {
            if let index = names.lastIndex(of: column.name) {
                cells[index] = newValue
            } else {
                names.append(column.name)
                cells.append(newValue)
            }
        }
    }
}

extension StoreRow: Hashable {
    /// Whether both rows have the same columns with the same values, in any order.
    public static func == (one: Self, other: Self) -> Bool { one.values == other.values }

    /// Hashes the columns and their values.
    public func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension StoreRow {
    /// Returns the value of a column.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - index: The position at which the column usually is, where it is found without a search.
    ///   - type: The type of the value.
    /// - Returns: The value.
    /// - Throws: ``StoreError``: `damaged` if the column holds a value of another kind.
    func value<Value: ColumnValue>(_ column: StoreColumn, at index: Int = 0, of type: Value.Type = Value.self)
        throws(StoreError) -> Value
    {
        let isThere = index < names.count && names[index] == column.name
        guard let value = Value(stored: isThere ? cells[index] : self[column]) else {
            throw StoreError(.damaged, "the column \(column.name) has a value of the wrong type")
        }
        return value
    }

    /// Returns the value of each column of a table, in order; null where the row has none.
    func cells(of table: StoreTable) -> [StoreValue] {
        names == table.columnNames ? cells : table.columns.map { self[$0] }
    }

    /// Returns whether the row has no other columns than those of a table.
    func hasOnlyColumns(of table: StoreTable) -> Bool {
        names == table.columnNames || names.allSatisfy { table.columnNames.contains($0) }
    }

    /// Splits a joined row into the row of a table and the row of the table that it refers to, by position.
    func split(_ table: StoreTable, _ referenced: StoreTable) -> (row: StoreRow, referenced: StoreRow) {
        let count = table.columns.count
        return (
            StoreRow(names: table.columnNames, cells: Array(cells.prefix(count))),
            StoreRow(names: referenced.columnNames, cells: Array(cells.dropFirst(count)))
        )
    }
}

extension StoreRow: Redacted {
    /// The names of the columns, without the values.
    public var description: String { "row of \(names.sorted().joined(separator: ", "))" }
}
