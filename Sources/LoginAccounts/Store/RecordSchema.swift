// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The description of a record: its table, and the property of each column.
struct RecordSchema<Record>: Sendable {
    /// The table.
    let table: StoreTable

    /// Reads a record from a row.
    let read: @Sendable (StoreRow) throws(StoreError) -> Record

    /// Writes a record into a row.
    let write: @Sendable (Record) -> StoreRow

    /// Creates a description.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - make: The memberwise initializer of the record.
    ///   - fields: The columns with the properties, in the order of the initializer.
    ///   - primaryKey: The columns that identify a row.
    ///   - uniques: Further groups of columns that identify a row, if none of them is null.
    ///   - indexes: Groups of columns by which rows are found.
    ///   - references: The rows of other tables that a row needs.
    init<each Value: ColumnValue>(
        _ name: String,
        _ make: @escaping @Sendable (repeat each Value) -> Record,
        _ fields: repeat (StoreColumn, any KeyPath<Record, each Value> & Sendable),
        primaryKey: [StoreColumn],
        uniques: [[StoreColumn]] = [],
        indexes: [[StoreColumn]] = [],
        references: [StoreReference] = []
    ) {
        var columns: [StoreColumn] = []
        for (column, type) in repeat ((each fields).0, (each Value).self) {
            precondition(
                column.kind == type.kind && column.isNullable == type.isNullable,
                "\(column.name) of \(name) holds other values than its property"
            )
            columns.append(column)
        }
        table = StoreTable(
            name,
            columns: columns,
            primaryKey: primaryKey,
            uniques: uniques,
            indexes: indexes,
            references: references
        )
        read = { row throws(StoreError) in
            make(repeat try row.value((each fields).0, of: (each Value).self))
        }
        write = { record in
            var row = StoreRow()
            for (column, path) in repeat each fields { row[column] = record[keyPath: path].stored }
            return row
        }
    }
}

extension StoredRecord {
    /// The table of the records.
    static var table: StoreTable { schema.table }

    /// Reads a row.
    ///
    /// - Throws: ``StoreError``: `damaged`.
    init(_ row: StoreRow) throws(StoreError) { self = try Self.schema.read(row) }

    /// The record as a row.
    var row: StoreRow { Self.schema.write(self) }
}
