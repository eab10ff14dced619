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
        Self(text: table.sql.insert, values: row.cells(of: table))
    }

    static func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        -> Self
    {
        var statement = Self()
        statement.text = table.sql.select + statement.filter(conditions)
        if let order {
            statement.text += " ORDER BY \(order.column.name)\(order.isDescending ? " DESC" : "")"
            // Databases differ in the order of nulls.
            if order.column.isNullable { statement.text += order.isDescending ? " NULLS LAST" : " NULLS FIRST" }
            if let tieBreaker = order.tieBreaker { statement.text += ", \(tieBreaker.name)" }
        }
        if let limit { statement.text += " LIMIT \(statement.bind(.integer(Int64(max(0, limit)))))" }
        return statement
    }

    /// Returns the statement that reads rows, each joined with the row to which it refers.
    static func select(
        from table: StoreTable,
        following reference: StoreReference,
        where conditions: [StoreCondition]
    ) -> Self {
        var statement = Self()
        let target = StoreSchema.table(reference.table)
        let isReferenced = zip(reference.target, reference.columns).map { "b.\($0.name) = a.\($1.name)" }
        statement.text =
            "SELECT \(table.sql.columnsOfA), \(target.sql.columnsOfB) FROM \(table.name) AS a"
            + " JOIN \(target.name) AS b ON \(isReferenced.joined(separator: " AND "))"
            + statement.filter(conditions, of: "a.")
        return statement
    }

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
            + table.sql.returning
        return statement
    }

    static func delete(from table: StoreTable, where conditions: [StoreCondition]) -> Self {
        var statement = Self()
        statement.text = "DELETE FROM \(table.name)\(statement.filter(conditions))\(table.sql.returning)"
        return statement
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

/// The parts of statements that are the same for every statement about a table.
///
/// They are built once: building the text of a session check, with its 43 columns, took longer than running it.
struct SQLParts: Sendable {
    /// The statement that inserts a row unless its key exists, with a placeholder for each column.
    let insert: String
    /// The statement that reads all rows.
    let select: String
    /// The clause that returns the written rows.
    let returning: String
    /// The columns of the table as `a` in a join.
    let columnsOfA: String
    /// The columns of the table as `b` in a join.
    let columnsOfB: String

    init(table: String, columns: [String]) {
        let names = columns.joined(separator: ", ")
        let places = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        insert =
            "INSERT INTO \(table) (\(names)) VALUES (\(places)) ON CONFLICT DO NOTHING RETURNING 1 AS written"
        select = "SELECT \(names) FROM \(table)"
        returning = " RETURNING \(names)"
        columnsOfA = columns.map { "a." + $0 }.joined(separator: ", ")
        columnsOfB = columns.map { "b." + $0 }.joined(separator: ", ")
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
        let target = StoreSchema.table(reference.table)
        return try run(.select(from: table, following: reference, where: conditions)).map { $0.split(table, target) }
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
