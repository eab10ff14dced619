// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A store of accounts, identities, second factors and sessions: in memory, in one SQLite file, or in PostgreSQL.
///
/// A store reads and writes rows of tables. Their meaning is defined by ``Auth``, so that another kind of store is
/// small; `AccountStoreContract` of LoginTesting tests it.
public protocol AccountStore: Sendable {
    /// The type of the transactions that ``AuthHooks`` get: `any StoreTransaction`, unless the store declares a more
    /// precise one.
    ///
    /// Every transaction that ``transaction(_:)`` passes to its body has this type.
    associatedtype Transaction = any StoreTransaction

    /// Runs `body` as one transaction: either all of its writes are committed, or none.
    ///
    /// A transaction in which an operation has thrown is rolled back, even if `body` continues: it throws that error at
    /// its end.
    ///
    /// The writes are on disk when this returns. Two transactions that touch the same row run one after the other from
    /// there on: the second waits, and sees the committed writes of the first. `body` runs on a thread that may block;
    /// it performs no long computations and no network requests.
    ///
    /// - Parameter body: The operations of the transaction. The caller may run it again after ``StoreError/Code/busy``.
    /// - Returns: The result of `body`, once its writes are committed.
    /// - Throws: The error of `body`, after everything is rolled back; ``StoreError`` otherwise, and no other error.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on a snapshot of the rows, and writes nothing.
    ///
    /// In a store that supports it, this neither waits for transactions that write, nor do they wait for it; in other
    /// stores it is a ``transaction(_:)`` that refuses to write. Each write is refused with `constraint`, even if
    /// `body` continues.
    ///
    /// - Parameter body: The operations that read. The caller may run it again after ``StoreError/Code/busy``.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; ``StoreError`` otherwise, and no other error.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body`, which reads with one statement.
    ///
    /// A SQL store need not begin a transaction for it: a statement sees one snapshot by itself. By default this is
    /// ``read(_:)``.
    ///
    /// - Parameter body: A statement that begins with `SELECT` and calls no function that writes. Others may be refused
    ///   with `constraint`, as a second one may. The caller may run it again after ``StoreError/Code/busy``, and the store if the connection to its server was lost.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; ``StoreError`` otherwise, and no other error.
    func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value

    /// Creates the tables, or migrates them to this version.
    ///
    /// Several servers may call this at once: one migrates, the others wait.
    ///
    /// - Returns: The names of the migration steps that were run; none if the tables were up to date.
    /// - Throws: ``StoreError``
    @discardableResult
    func migrate() async throws(StoreError) -> [String]

    /// Checks that the store can be used: it responds, has the tables of this version, and is the one that was opened.
    ///
    /// Readiness checks call it every few seconds, so it writes nothing and does not wait for transactions that write.
    /// The default selects from each table with a condition that no row meets, which a database refuses if the table or
    /// one of its columns is missing.
    ///
    /// - Throws: ``StoreError``: `schema` if a migration of this version was not run, or a table, a column or a unique
    ///   key of this version is missing; migrations of a newer version are ignored. `unavailable` if the store does not
    ///   respond, or is no longer the one that was opened.
    func check() async throws(StoreError)

    /// Closes the store after the running transactions have ended. Further transactions throw `unavailable`.
    ///
    /// Call it when your server ends, for example after the `run()` of its service group. It may be called twice. A
    /// store that has nothing to close does nothing.
    func shutdown() async
}

extension AccountStore {
    /// Does nothing.
    public func shutdown() async {}

    /// Checks that the store responds, and has the tables and columns of this version.
    public func check() async throws(StoreError) {
        try await checking { rows throws(StoreError) in
            for table in StoreSchema.tables {
                // No row meets it, so that a store reads none.
                let none = table.primaryKey.map { $0.equals(.null) }
                _ = try rows.select(from: table, where: none, order: nil, limit: 1)
            }
        }
    }

    /// Checks that all migrations of this version were run, and that its tables are there.
    ///
    /// - Parameter dialect: The SQL dialect of the store.
    /// - Throws: ``StoreError``: the errors of ``check()``.
    package func checkMigrations(_ dialect: SQLDialect) async throws(StoreError) {
        try await checking { rows throws(StoreError) in
            guard let rows = rows as? any SQLStoreTransaction else {
                throw StoreError(.schema, "the store has no transactions with SQL")
            }
            try StoreMigration.check(rows, dialect: dialect)
        }
    }

    private func checking(
        _ check: @escaping @Sendable (any StoreTransaction) throws(StoreError) -> Void
    ) async throws(StoreError) {
        do {
            try await read { rows in try check(rows) }
        } catch {
            throw error as? StoreError ?? StoreError(.unavailable, "the tables cannot be read")
        }
    }
}

/// The operations of a transaction.
///
/// Updates and deletions have conditions, and return the rows that met them.
///
/// A transaction is used within its body, and nowhere else. No stored text contains a NUL, since not every database
/// supports it: such a row or change is refused, and a condition with such a text is met by no row.
public protocol StoreTransaction {
    /// Inserts a row, unless a row with its primary key or one of its unique keys exists.
    ///
    /// If another transaction has written the same key and has not ended, this waits for its end.
    ///
    /// - Parameters:
    ///   - row: The row, with a value for each column that is not nullable.
    ///   - table: The table.
    /// - Returns: Whether the row was inserted.
    /// - Throws: ``StoreError``
    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool

    /// Reads rows.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - conditions: The conditions that a row must meet, all of them.
    ///   - order: The order, in which texts and bytes are compared by their bytes, and null comes before every value;
    ///     nil for any.
    ///   - limit: The maximum number of rows.
    /// - Returns: The rows.
    /// - Throws: ``StoreError``
    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]

    /// Reads rows, each with the row that it refers to.
    ///
    /// The default implementation selects the rows and then, one by one, those that they refer to. A store that can
    /// join tables reads both at once.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - reference: The reference to follow: one of ``StoreTable/references`` of the table.
    ///   - conditions: The conditions that a row of the table must meet, all of them.
    /// - Returns: The rows, in any order. A row that refers to none is left out.
    /// - Throws: ``StoreError``
    func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]

    /// Updates rows. If another transaction has changed a row, this waits for its end and checks the conditions again.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - changes: The changes, of at least one column.
    ///   - conditions: The conditions that a row must meet when it is updated, all of them.
    /// - Returns: The updated rows, as they are now.
    /// - Throws: ``StoreError``; `constraint` if a key would exist twice.
    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]

    /// Deletes rows. If another transaction has changed a row, this waits for its end and checks the conditions again.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - conditions: The conditions that a row must meet when it is deleted, all of them.
    /// - Returns: The deleted rows.
    /// - Throws: ``StoreError``
    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow]
}

extension StoreTransaction {
    /// Reads rows, and then the row that each of them refers to.
    public func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]
    {
        let target = StoreSchema.table(reference.table)
        var found: [(row: StoreRow, referenced: StoreRow)] = []
        for row in try select(from: table, where: conditions, order: nil, limit: nil) {
            // A null equals nothing, so it refers to no row.
            let isReferenced = zip(reference.target, reference.columns).map { $0.equals(row[$1]) }
            guard let referenced = try select(from: target, where: isReferenced, order: nil, limit: 1).first else {
                continue
            }
            found.append((row, referenced))
        }
        return found
    }
}

/// A transaction of a SQL database, for the application's own tables beside the accounts.
///
/// ```swift
/// func moveNotes(_ merge: AccountMerge, _ database: any SQLStoreTransaction) throws {
///     let accounts: [StoreValue] = [.text(merge.source.rawValue), .text(merge.target.rawValue)]
///     try database.execute("UPDATE note SET owner = $2 WHERE owner = $1", accounts)
/// }
/// ```
///
/// ``AuthHooks`` pass it to the application.
public protocol SQLStoreTransaction: StoreTransaction {
    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - statement: The statement, with the placeholders `$1`, `$2` … Input is never part of it.
    ///   - values: The values of the placeholders.
    /// - Returns: The rows of the result.
    /// - Throws: ``StoreError``. After any error, the transaction is rolled back, even if its body continues.
    @discardableResult
    func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow]

    /// Marks the transaction as failed, by a statement or before one: it is rolled back, even if its body continues.
    ///
    /// - Parameter error: The error. The transaction throws the first one at its end, unless its body throws another.
    func fail(_ error: StoreError)
}

extension AccountStore {
    /// Runs `body` as one transaction, with the type that ``AuthHooks`` get: for the application's own tables.
    ///
    /// ```swift
    /// try await store.withTransaction { database in
    ///     try database.execute("CREATE TABLE IF NOT EXISTS reader (id TEXT PRIMARY KEY)", [])
    /// }
    /// ```
    ///
    /// The rules of ``transaction(_:)`` apply to `body`.
    ///
    /// - Parameter body: The operations of the transaction. The caller may run it again after ``StoreError/Code/busy``.
    /// - Returns: The result of `body`, once its writes are committed.
    /// - Throws: The error of `body`, after everything is rolled back; ``StoreError`` otherwise: `schema` if the
    ///   store's transactions have another type than it declares.
    public func withTransaction<Value: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await transaction { rows in
            guard let rows = rows as? Transaction else {
                throw StoreError(.schema, "the store declares \(Transaction.self), but has \(type(of: rows))")
            }
            return try body(rows)
        }
    }
}
