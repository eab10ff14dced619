// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A row of a table: the value of each column by its name.
public struct StoreRow: Sendable, Hashable {
    /// The values, by the names of their columns.
    public private(set) var values: [String: StoreValue]

    /// Creates a row.
    ///
    /// - Parameter values: The values, by the names of their columns.
    public init(_ values: [String: StoreValue] = [:]) {
        self.values = values
    }

    /// The value of a column; null if it is missing.
    public subscript(column: StoreColumn) -> StoreValue {
        get { values[column.name] ?? .null }
        set { values[column.name] = newValue }
    }
}

extension StoreRow {
    /// Returns the value of a column.
    ///
    /// - Throws: ``StoreError``: `damaged` if the column holds a value of another kind.
    func value<Value: ColumnValue>(_ column: StoreColumn, of type: Value.Type = Value.self) throws(StoreError) -> Value
    {
        guard let value = Value(stored: self[column]) else {
            throw StoreError(.damaged, "the column \(column.name) holds another kind of value than it should")
        }
        return value
    }
}

extension StoreRow: Redacted {
    /// The names of the columns, without the values.
    public var description: String { "row of \(values.keys.sorted().joined(separator: ", "))" }
}
