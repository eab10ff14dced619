// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A row of a table: the value of each column by its name.
public struct StoreRow: Sendable, Hashable {
    /// The values, by the names of their columns.
    public private(set) var values: [String: StoreValue]

    /// A row.
    ///
    /// - Parameter values: The values, by the names of their columns.
    public init(_ values: [String: StoreValue] = [:]) {
        self.values = values
    }

    /// The value of a column; null where there is none.
    public subscript(column: StoreColumn) -> StoreValue {
        get { values[column.name] ?? .null }
        set { values[column.name] = newValue }
    }
}

// What a record reads; another kind than the column's is a damaged store, and is said so.
extension StoreRow {
    func integer(_ column: StoreColumn) throws(StoreError) -> Int64 {
        guard case .integer(let value) = self[column] else { throw damaged(column) }
        return value
    }

    func text(_ column: StoreColumn) throws(StoreError) -> String {
        guard case .text(let value) = self[column] else { throw damaged(column) }
        return value
    }

    func bytes(_ column: StoreColumn) throws(StoreError) -> [UInt8] {
        guard case .bytes(let value) = self[column] else { throw damaged(column) }
        return value
    }

    func flag(_ column: StoreColumn) throws(StoreError) -> Bool {
        try integer(column) != 0
    }

    func time(_ column: StoreColumn) throws(StoreError) -> StoreTime {
        StoreTime(milliseconds: try integer(column))
    }

    func integerIfAny(_ column: StoreColumn) throws(StoreError) -> Int64? {
        if case .null = self[column] { return nil }
        return try integer(column)
    }

    func textIfAny(_ column: StoreColumn) throws(StoreError) -> String? {
        if case .null = self[column] { return nil }
        return try text(column)
    }

    func bytesIfAny(_ column: StoreColumn) throws(StoreError) -> [UInt8]? {
        if case .null = self[column] { return nil }
        return try bytes(column)
    }

    func timeIfAny(_ column: StoreColumn) throws(StoreError) -> StoreTime? {
        try integerIfAny(column).map { StoreTime(milliseconds: $0) }
    }

    private func damaged(_ column: StoreColumn) -> StoreError {
        StoreError(.damaged, "the column \(column.name) holds another kind of value than it should")
    }
}

extension StoreRow: Redacted {
    /// The names of the columns, without the values.
    public var description: String { "row of \(values.keys.sorted().joined(separator: ", "))" }
}
