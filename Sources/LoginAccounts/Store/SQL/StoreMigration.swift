// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A step on the way to the tables of today.
///
/// What a step says is literal and never changes once it was released: databases that took it would not take it again. What
/// changes is said by a further step. A test compares the tables that all of them make with ``StoreSchema/tables``.
package struct StoreMigration: Sendable {
    /// What the step is known by.
    package let name: String

    private let templates: [String]

    init(_ name: String, _ templates: [String]) {
        self.name = name
        self.templates = templates
    }

    /// The steps, in their order.
    package static let all: [Self] = [.accounts, .proofs, .service]

    /// The statements of the step, in the words of one database.
    package func statements(for dialect: SQLDialect) -> [String] {
        templates.map { template in
            dialect.words.reduce(template) { text, word in
                text.split(separator: word.token, omittingEmptySubsequences: false).joined(separator: word.meaning)
            }
        }
    }

    /// Takes all steps that were not taken yet.
    ///
    /// Whoever calls sees to it that nobody else does, until the transaction ends.
    ///
    /// - Parameters:
    ///   - rows: A transaction.
    ///   - dialect: Of which database.
    /// - Returns: The names of the steps that were taken.
    /// - Throws: ``StoreError``; `schema` where the database has taken steps that this version does not know.
    package static func migrate(_ rows: some SQLStoreTransaction, dialect: SQLDialect) throws(StoreError) -> [String] {
        // Asking first spares a server whose database role may not make tables, and need not.
        if try rows.execute(dialect.hasMigrationTable, []).isEmpty {
            let table = Self(
                "",
                ["CREATE TABLE login_migration (name {text} PRIMARY KEY, applied_at {integer} NOT NULL){strict}"]
            )
            for statement in table.statements(for: dialect) { try rows.execute(statement, []) }
        }
        var taken: Set<String> = []
        for row in try rows.execute("SELECT name FROM login_migration", []) {
            taken.insert(try row.value(.text("name")))
        }
        guard taken.isSubset(of: all.map(\.name)) else {
            throw StoreError(
                .schema,
                "the database was migrated by a newer version; this one does not know all its steps"
            )
        }
        // A step that is missing before one that was taken would be taken on top of what follows it.
        let missing = all.filter { !taken.contains($0.name) }
        guard all.dropFirst(taken.count).map(\.name) == missing.map(\.name) else {
            throw StoreError(.schema, "the database lacks a step before one that it has taken")
        }
        for step in missing {
            for statement in step.statements(for: dialect) { try rows.execute(statement, []) }
            try rows.execute(
                "INSERT INTO login_migration (name, applied_at) VALUES ($1, \(dialect.now))",
                [.text(step.name)]
            )
        }
        return missing.map(\.name)
    }
}

/// In which two databases differ where tables are made.
package enum SQLDialect: Sendable {
    /// SQLite, from 3.37 on.
    case sqlite
    /// PostgreSQL.
    case postgreSQL

    /// What a step's tokens mean.
    ///
    /// Texts of PostgreSQL are compared byte by byte, not as the server's locale has it.
    fileprivate var words: [(token: String, meaning: String)] {
        switch self {
        case .sqlite: [("{text}", "TEXT"), ("{integer}", "INTEGER"), ("{bytes}", "BLOB"), ("{strict}", " STRICT")]
        case .postgreSQL:
            [("{text}", "TEXT COLLATE \"C\""), ("{integer}", "BIGINT"), ("{bytes}", "BYTEA"), ("{strict}", "")]
        }
    }

    /// A row if the steps that were taken are written down.
    fileprivate var hasMigrationTable: String {
        switch self {
        case .sqlite: "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'login_migration'"
        case .postgreSQL: "SELECT 1 AS found WHERE to_regclass('login_migration') IS NOT NULL"
        }
    }

    /// The database's time in milliseconds since 1970: only for people to read.
    fileprivate var now: String {
        switch self {
        case .sqlite: "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
        case .postgreSQL: "CAST(extract(epoch FROM now()) * 1000 AS BIGINT)"
        }
    }
}
