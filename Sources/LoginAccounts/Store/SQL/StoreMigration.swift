// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A migration to the current tables.
///
/// The statements of a migration are literal and never change after a release, because databases that have run it do
/// not run it again. Changes need a further migration. A test compares the tables that all migrations create with
/// ``StoreSchema/tables``.
package struct StoreMigration: Sendable {
    /// The name of the migration.
    package let name: String

    private let templates: [String]

    init(_ name: String, _ templates: [String]) {
        self.name = name
        self.templates = templates
    }

    /// The table of the migrations that were run.
    package static let table = "login_migration"

    /// All migrations, in order.
    package static let all: [Self] = [.accounts, .proofs, .service, .dpop]

    /// Returns the statements of the migration in a SQL dialect.
    package func statements(for dialect: SQLDialect) -> [String] {
        templates.map { template in
            dialect.words.reduce(template) { text, word in
                text.split(separator: word.token, omittingEmptySubsequences: false).joined(separator: word.meaning)
            }
        }
    }

    /// Runs all migrations that were not run yet.
    ///
    /// The caller ensures that no other connection migrates until the transaction ends.
    ///
    /// - Parameters:
    ///   - rows: A transaction.
    ///   - dialect: The SQL dialect of the database.
    /// - Returns: The names of the migrations that were run.
    /// - Throws: ``StoreError``; `schema` if the database has run migrations that this version does not know, or lacks
    ///   a table or a column afterwards.
    package static func migrate(_ rows: some SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) -> [String] {
        // This check comes first, so that a database role without permission to create tables suffices after the first
        // migration.
        if try rows.execute(dialect.hasMigrationTable, []).isEmpty {
            let table = Self(
                "",
                ["CREATE TABLE \(Self.table) (name {text} PRIMARY KEY, applied_at {integer} NOT NULL){strict}"]
            )
            for statement in table.statements(for: dialect) { try rows.execute(statement, []) }
        }
        let taken = try names(in: rows)
        guard taken.isSubset(of: all.map(\.name)) else {
            throw StoreError(
                .schema,
                "the database was migrated by a newer version"
            )
        }
        // A migration that is missing before one that was run would be run in the wrong order.
        let missing = all.filter { !taken.contains($0.name) }
        guard all.dropFirst(taken.count).map(\.name) == missing.map(\.name) else {
            throw StoreError(.schema, "the database lacks a migration that precedes one it has run")
        }
        for step in missing {
            for statement in step.statements(for: dialect) { try rows.execute(statement, []) }
            try rows.execute(
                "INSERT INTO \(Self.table) (name, applied_at) VALUES ($1, \(dialect.now))",
                [.text(step.name)]
            )
        }
        try requireTables(rows, dialect)
        try requireColumns(rows)
        return missing.map(\.name)
    }

    /// Requires that all tables exist where other transactions will look for them: a table may have been dropped since
    /// its migration, or created elsewhere.
    private static func requireTables(_ rows: some SQLStoreTransaction, _ dialect: SQLDialect) throws(StoreError) {
        var found: Set<String> = []
        for row in try rows.execute(dialect.permanentTables, []) { found.insert(try row.value(.text("name"))) }
        for name in [table] + StoreSchema.tables.map(\.name) where !found.contains(name) {
            throw StoreError(.schema, "the table \(name) is missing after the migration")
        }
    }

    /// Requires the columns of this version: a table that another build created may lack one, and a table may
    /// have been dropped since its migration.
    private static func requireColumns(_ rows: any SQLStoreTransaction) throws(StoreError) {
        for table in StoreSchema.tables {
            do throws(StoreError) {
                try rows.execute(table.sql.select + " WHERE 1 = 0", [])
            } catch {
                guard error.code == .schema else { throw error }
                let state = "the table \(table.name) cannot be read with the columns of this version"
                throw StoreError(.schema, "\(state): \(error.detail)")
            }
        }
    }

    /// Checks that all migrations of this version were run, and that the tables have its columns.
    ///
    /// A newer version may have run more: the instances of this version continue to work while they are replaced.
    ///
    /// - Parameter rows: A transaction.
    /// - Throws: ``StoreError``; `schema` if one was not run, or a table or a column is missing.
    package static func check(_ rows: any SQLStoreTransaction) throws(StoreError) {
        let taken = try names(in: rows)
        if let missing = all.first(where: { !taken.contains($0.name) }) {
            throw StoreError(.schema, "the database lacks the migration \(missing.name)")
        }
        try requireColumns(rows)
    }

    /// Returns whether any migration was run.
    ///
    /// - Parameters:
    ///   - rows: A transaction.
    ///   - dialect: The SQL dialect of the database.
    /// - Returns: Whether at least one was run.
    /// - Throws: ``StoreError``
    package static func hasRun(_ rows: any SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) -> Bool {
        guard try !rows.execute(dialect.hasMigrationTable, []).isEmpty else { return false }
        return try !names(in: rows).isEmpty
    }

    private static func names(in rows: any SQLStoreTransaction) throws(StoreError) -> Set<String> {
        var names: Set<String> = []
        for row in try rows.execute("SELECT name FROM \(table)", []) {
            names.insert(try row.value(.text("name")))
        }
        return names
    }
}

/// The differences of SQL dialects in the creation of tables.
package enum SQLDialect: Sendable {
    /// SQLite, version 3.37 or later.
    case sqlite
    /// PostgreSQL.
    case postgreSQL

    /// The replacements of the tokens in migrations.
    ///
    /// Texts in PostgreSQL are compared byte by byte, independent of the server's locale.
    fileprivate var words: [(token: String, meaning: String)] {
        switch self {
        case .sqlite: [("{text}", "TEXT"), ("{integer}", "INTEGER"), ("{bytes}", "BLOB"), ("{strict}", " STRICT")]
        case .postgreSQL:
            [("{text}", "TEXT COLLATE \"C\""), ("{integer}", "BIGINT"), ("{bytes}", "BYTEA"), ("{strict}", "")]
        }
    }

    /// The query that returns a row if the table of migrations exists.
    fileprivate var hasMigrationTable: String {
        switch self {
        case .sqlite: "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = '\(StoreMigration.table)'"
        case .postgreSQL: "SELECT 1 AS found WHERE to_regclass('\(StoreMigration.table)') IS NOT NULL"
        }
    }

    /// The query for the names of the permanent tables of the store.
    fileprivate var permanentTables: String {
        switch self {
        case .sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table'"
        case .postgreSQL:
            """
            SELECT c.relname::pg_catalog.text AS name
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = pg_catalog.current_schema() AND c.relpersistence <> 't'
            """
        }
    }

    /// The expression for the database's time in milliseconds since 1970.
    ///
    /// It is for display only.
    fileprivate var now: String {
        switch self {
        case .sqlite: "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
        case .postgreSQL: "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"
        }
    }
}
