// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A statement and its values: the operations of a transaction in the SQL that SQLite and PostgreSQL share.
package struct SQLStatement {
    /// The text, with the placeholders `$1`, `$2` and so on.
    package private(set) var text = ""

    /// The values of the placeholders, in their order.
    package private(set) var values: [StoreValue] = []

    private mutating func bind(_ value: StoreValue) -> String {
        values.append(value)
        return "$\(values.count)"
    }

    static func insert(_ row: StoreRow, into table: StoreTable) -> Self {
        var statement = Self()
        let columns = table.columns.filter { if case .null = row[$0] { false } else { true } }
        let places = columns.map { statement.bind(row[$0]) }
        statement.text =
            "INSERT INTO \(table.name) (\(names(columns))) VALUES (\(places.joined(separator: ", ")))"
            + " ON CONFLICT DO NOTHING RETURNING 1 AS written"
        return statement
    }

    static func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        -> Self
    {
        var statement = Self()
        statement.text = "SELECT \(names(table.columns)) FROM \(table.name)\(statement.filter(conditions))"
        if let order {
            statement.text += " ORDER BY \(order.column.name)\(order.isDescending ? " DESC" : "")"
            // Databases differ in the order of nulls.
            if order.column.isNullable { statement.text += order.isDescending ? " NULLS LAST" : " NULLS FIRST" }
            if let tieBreaker = order.tieBreaker { statement.text += ", \(tieBreaker.name)" }
        }
        if let limit { statement.text += " LIMIT \(statement.bind(.integer(Int64(max(0, limit)))))" }
        return statement
    }

    /// Returns the statement that reads rows and the rows to which they refer; ``pair(_:from:following:)`` reads its
    /// result.
    static func select(
        from table: StoreTable,
        following reference: StoreReference,
        where conditions: [StoreCondition]
    ) -> Self {
        var statement = Self()
        let target = StoreSchema.table(reference.table)
        let columns =
            table.columns.map { "\(rowPrefix).\($0.name) AS \(rowPrefix)_\($0.name)" }
            + target.columns.map { "\(referencedPrefix).\($0.name) AS \(referencedPrefix)_\($0.name)" }
        let isReferenced = zip(reference.target, reference.columns).map {
            "\(referencedPrefix).\($0.name) = \(rowPrefix).\($1.name)"
        }
        statement.text =
            "SELECT \(columns.joined(separator: ", ")) FROM \(table.name) AS \(rowPrefix)"
            + " JOIN \(target.name) AS \(referencedPrefix) ON \(isReferenced.joined(separator: " AND "))"
            + statement.filter(conditions, of: rowPrefix + ".")
        return statement
    }

    /// Splits a joined row of ``select(from:following:where:)`` into its two rows.
    static func pair(_ joined: StoreRow, from table: StoreTable, following reference: StoreReference) -> (
        row: StoreRow, referenced: StoreRow
    ) {
        func part(_ prefix: String, _ table: StoreTable) -> StoreRow {
            var row = StoreRow()
            for column in table.columns { row[column] = joined.values["\(prefix)_\(column.name)"] ?? .null }
            return row
        }
        return (part(rowPrefix, table), part(referencedPrefix, StoreSchema.table(reference.table)))
    }

    private static let rowPrefix = "a"
    private static let referencedPrefix = "b"

    static func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) -> Self {
        var statement = Self()
        let assignments = changes.map { change in
            switch change.operation {
            case .set(.null): "\(change.column.name) = NULL"
            case .set(let value): "\(change.column.name) = \(statement.bind(value))"
            case .add(let amount): "\(change.column.name) = \(change.column.name) + \(statement.bind(.integer(amount)))"
            }
        }
        statement.text =
            "UPDATE \(table.name) SET \(assignments.joined(separator: ", "))\(statement.filter(conditions))"
            + " RETURNING \(names(table.columns))"
        return statement
    }

    static func delete(from table: StoreTable, where conditions: [StoreCondition]) -> Self {
        var statement = Self()
        statement.text = "DELETE FROM \(table.name)\(statement.filter(conditions)) RETURNING \(names(table.columns))"
        return statement
    }

    private static func names(_ columns: [StoreColumn]) -> String {
        columns.map(\.name).joined(separator: ", ")
    }

    private mutating func filter(_ conditions: [StoreCondition], of prefix: String = "") -> String {
        guard !conditions.isEmpty else { return "" }
        let terms = conditions.map { condition in
            let column = prefix + condition.column.name
            return switch condition.comparison {
            case .equal(.null): "1 = 0"
            // No stored text contains a NUL, and a database might compare only the part before it.
            case .equal(.text(let text)) where text.utf8.contains(0): "1 = 0"
            case .equal(let value): "\(column) = \(bind(value))"
            case .notEqual(let value): "\(column) <> \(bind(.integer(value)))"
            case .less(let value): "\(column) < \(bind(.integer(value)))"
            case .atMost(let value): "\(column) <= \(bind(.integer(value)))"
            case .greater(let value): "\(column) > \(bind(.integer(value)))"
            case .atLeast(let value): "\(column) >= \(bind(.integer(value)))"
            case .null: "\(column) IS NULL"
            case .notNull: "\(column) IS NOT NULL"
            }
        }
        return " WHERE " + terms.joined(separator: " AND ")
    }
}

// A SQL store implements `execute` and `fail`; the operations follow from them.
extension SQLStoreTransaction {
    /// Inserts a row, unless its key exists.
    public func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool {
        try checked { () throws(StoreError) in try table.check(row) }
        return try !run(.insert(row, into: table)).isEmpty
    }

    /// Reads rows.
    public func select(
        from table: StoreTable,
        where conditions: [StoreCondition],
        order: StoreOrder?,
        limit: Int?
    ) throws(StoreError) -> [StoreRow] {
        try checked { () throws(StoreError) in try table.check(conditions) }
        return try run(.select(from: table, where: conditions, order: order, limit: limit))
    }

    /// Reads rows, each with the row that it refers to, in one statement.
    public func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]
    {
        try checked { () throws(StoreError) in try table.check(conditions) }
        return try run(.select(from: table, following: reference, where: conditions)).map {
            SQLStatement.pair($0, from: table, following: reference)
        }
    }

    /// Updates rows.
    public func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition])
        throws(StoreError) -> [StoreRow]
    {
        try checked { () throws(StoreError) in
            try table.check(changes)
            try table.check(conditions)
        }
        return try run(.update(table, set: changes, where: conditions))
    }

    /// Deletes rows.
    public func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow] {
        try checked { () throws(StoreError) in try table.check(conditions) }
        return try run(.delete(from: table, where: conditions))
    }

    private func checked(_ check: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try check()
        } catch {
            fail(error)
            throw error
        }
    }

    private func run(_ statement: SQLStatement) throws(StoreError) -> [StoreRow] {
        try execute(statement.text, statement.values)
    }
}
