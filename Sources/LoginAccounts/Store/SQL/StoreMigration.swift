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

    /// The names of the tables that the migration creates.
    package let tables: [String]

    private let templates: [String]

    init(_ name: String, tables: [String], _ templates: [String]) {
        self.name = name
        self.tables = tables
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
    ///   a table, a column or a unique key afterwards.
    package static func migrate(_ rows: some SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) -> [String] {
        // This check comes first, so that a database role without permission to create tables suffices after the first
        // migration.
        if try rows.execute(dialect.hasMigrationTable, []).isEmpty {
            let table = Self(
                "",
                tables: [Self.table],
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
        try requireSchema(rows, dialect)
        return missing.map(\.name)
    }

    /// Requires the tables, keys and columns of this version.
    private static func requireSchema(_ rows: any SQLStoreTransaction, _ dialect: SQLDialect) throws(StoreError) {
        var required = [RequiredTable(name: table, keys: [["name"]])]
        for table in StoreSchema.tables {
            let keys = ([table.primaryKey] + table.uniques).map { Set($0.map(\.name)) }
            required.append(RequiredTable(name: table.name, keys: keys))
        }
        try require(required, rows, dialect)
        try requireColumns(rows)
    }

    /// A table that must exist, and the columns of each of its unique keys.
    private struct RequiredTable {
        var name: String
        var keys: [Set<String>] = []
    }

    /// Requires that tables exist where other transactions will look for them, with their keys: a table may have been
    /// dropped since its migration, or created elsewhere, and a restore that was interrupted leaves tables without keys.
    private static func require(
        _ tables: [RequiredTable],
        _ rows: any SQLStoreTransaction,
        _ dialect: SQLDialect
    ) throws(StoreError) {
        var keysByTable: [String: [Set<String>]] = [:]
        for row in try rows.execute(dialect.permanentTables, []) {
            let name: String = try row.value(.text("name"))
            let columns: String = try row.value(.text("key_columns"), at: 1)
            keysByTable[name, default: []].append(Set(columns.split(separator: ",").map { String($0) }))
        }
        for table in tables {
            guard let found = keysByTable[table.name] else {
                throw StoreError(.schema, "the table \(table.name) is missing, or is no permanent table")
            }
            guard let missing = table.keys.first(where: { !found.contains($0) }) else { continue }
            throw StoreError(
                .schema,
                """
                the table \(table.name) lacks its unique key (\(missing.sorted().joined(separator: ", "))), so that a \
                login could get several accounts: \(dialect.restoration)
                """
            )
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

    /// Checks that all migrations of this version were run, and that the tables have its columns and keys.
    ///
    /// A newer version may have run more: the instances of this version continue to work while they are replaced.
    ///
    /// - Parameters:
    ///   - rows: A transaction.
    ///   - dialect: The SQL dialect of the database.
    /// - Throws: ``StoreError``; `schema` if one was not run, or a table, a column or a unique key is missing.
    package static func check(_ rows: any SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) {
        let taken = try names(in: rows)
        if let missing = all.first(where: { !taken.contains($0.name) }) {
            throw StoreError(.schema, "the database lacks the migration \(missing.name)")
        }
        try requireSchema(rows, dialect)
    }

    /// Checks that a migration was run, and that the tables of those that were run exist.
    ///
    /// An earlier version may have run fewer migrations than this one has.
    ///
    /// - Parameters:
    ///   - rows: A transaction.
    ///   - dialect: The SQL dialect of the database.
    /// - Throws: ``StoreError``; `schema` if none was run, or a table is missing.
    package static func checkRun(_ rows: any SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) {
        guard try hasRun(rows, dialect: dialect) else {
            throw StoreError(.schema, "the file has no tables of accounts")
        }
        let taken = try names(in: rows)
        let run = all.filter { taken.contains($0.name) }
        try require(run.flatMap(\.tables).map { RequiredTable(name: $0) }, rows, dialect)
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

    /// The remedy for tables that were restored incompletely.
    fileprivate var restoration: String {
        switch self {
        case .sqlite: "put a complete backup in place of the file, while no server uses it"
        case .postgreSQL: "restore a backup completely, with pg_restore --exit-on-error --single-transaction"
        }
    }

    /// The query that returns a row if the table of migrations exists.
    fileprivate var hasMigrationTable: String {
        switch self {
        case .sqlite: "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = '\(StoreMigration.table)'"
        case .postgreSQL: "SELECT 1 AS found WHERE to_regclass('\(StoreMigration.table)') IS NOT NULL"
        }
    }

    /// The query for the permanent tables of the store: a row for each unique key of a table, with the names of its
    /// columns, separated by commas, and one without names if there is no key.
    ///
    /// An index of a part of the rows, of an expression, or that PostgreSQL has not completed, is no key.
    fileprivate var permanentTables: String {
        switch self {
        case .sqlite:
            """
            SELECT t.name AS name, coalesce((
                SELECT group_concat(coalesce(c.name, '?')) FROM pragma_index_info(k.name) c
            ), '') AS key_columns
            FROM sqlite_schema t LEFT JOIN pragma_index_list(t.name) k ON k."unique" = 1 AND k.partial = 0
            WHERE t.type = 'table'
            """
        case .postgreSQL:
            """
            SELECT t.relname::pg_catalog.text AS name, coalesce((
                SELECT pg_catalog.string_agg(c.attname::pg_catalog.text, ',') FROM pg_catalog.pg_attribute c
                WHERE c.attrelid = t.oid AND c.attnum = ANY (k.indkey)
            ), '') AS key_columns
            FROM pg_catalog.pg_class t
            JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
            LEFT JOIN pg_catalog.pg_index k ON k.indrelid = t.oid
                AND k.indisunique AND k.indisvalid AND k.indisready AND k.indimmediate
                AND k.indpred IS NULL AND k.indexprs IS NULL AND k.indnkeyatts = k.indnatts
            WHERE n.nspname = pg_catalog.current_schema() AND t.relkind IN ('r', 'p') AND t.relpersistence = 'p'
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
