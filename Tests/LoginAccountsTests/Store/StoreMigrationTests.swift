// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
import LoginAccounts
import LoginStoreSQLite
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct StoreMigrationTests {
    /// Returns a store without migrations.
    private static func unmigrated() throws -> PassingStore {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("migration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return PassingStore(try SQLiteAccountStore(path: directory.appendingPathComponent("accounts").path)) {
            try? FileManager.default.removeItem(at: directory)
        }
    }

    private static func execute(_ statement: String, on store: any AccountStore) async throws -> [StoreRow] {
        try await store.transaction { rows in
            try #require(rows as? any SQLStoreTransaction).execute(statement, [])
        }
    }

    @Test(.rule("STORE-7")) func `the migrations create exactly the declared tables`() async throws {
        let store = try Self.unmigrated()
        #expect(try await store.migrate() == StoreMigration.all.map(\.name))
        let made = try await Self.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name",
            on: store
        )
        let declared = Set(StoreSchema.tables.map(\.name) + ["login_migration"])
        #expect(Set(made.map { $0.text("name") }) == declared)
        for table in StoreSchema.tables {
            let shape = try await Self.shape(of: table.name, in: store)
            #expect(shape == TableShape(table), "the steps and the declaration of \(table.name) differ")
        }
    }

    @Test func `each migration creates the tables that it names`() async throws {
        let store = try Self.unmigrated()
        var known: Set<String> = []
        for step in StoreMigration.all {
            for statement in step.statements(for: .sqlite) { _ = try await Self.execute(statement, on: store) }
            let made = try await Self.execute("SELECT name FROM sqlite_schema WHERE type = 'table'", on: store)
            let names = Set(made.map { $0.text("name") })
            #expect(names.subtracting(known) == Set(step.tables), "\(step.name)")
            known = names
        }
    }

    @Test(.rule("STORE-7")) func `a migration with nothing to do refuses a store that lacks a table`() async throws {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        #expect(try await store.migrate().isEmpty)
        _ = try await Self.execute("DROP TABLE login_dpop_proof", on: store)
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.code == .schema && error?.detail.contains("login_dpop_proof") == true)
    }

    @Test(
        .rule("STORE-7"),
        arguments: [
            ("login_account", "ALTER TABLE login_account DROP COLUMN display_name_source"),
            ("login_session", "DROP TABLE login_session"),
        ]
    )
    func `a store that lacks a column or a table is not usable, and a migration refuses it`(
        table: String,
        statement: String
    ) async throws {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        try await store.base.check()
        _ = try await Self.execute(statement, on: store)
        let check = await #expect(throws: StoreError.self) { try await store.base.check() }
        let migration = await #expect(throws: StoreError.self) { try await store.migrate() }
        for error in [check, migration] {
            #expect(error?.code == .schema && error?.detail.contains("the table \(table) ") == true)
        }
    }

    @Test(
        .rule("STORE-7"),
        arguments: ["ALTER TABLE login_account DROP COLUMN display_name_source", "DROP TABLE login_dpop_proof"]
    )
    func `a store without a check of its own is not usable if it lacks a column or a table`(
        statement: String
    ) async throws {
        // The store forwards its transactions, and has the check of the protocol.
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        try await store.check()
        _ = try await Self.execute(statement, on: store)
        let error = await #expect(throws: StoreError.self) { try await store.check() }
        #expect(error?.code == .schema)
    }

    @Test(.rule("STORE-7"), arguments: ["login_migration", "login_budget", "login_email", "login_identity"])
    func `a store that lacks a primary key is not usable, and a migration refuses it`(table: String) async throws {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        for statement in [
            "CREATE TABLE kept AS SELECT * FROM \(table)", "DROP TABLE \(table)", "ALTER TABLE kept RENAME TO \(table)",
            // An index of a part of the rows is no key.
            "CREATE UNIQUE INDEX kept_key ON \(table) (\(Self.key[table] ?? "id")) WHERE 1 = 2",
        ] { _ = try await Self.execute(statement, on: store) }
        let check = await #expect(throws: StoreError.self) { try await store.base.check() }
        let migration = await #expect(throws: StoreError.self) { try await store.migrate() }
        for error in [check, migration] {
            #expect(error?.code == .schema && error?.detail.contains("table \(table) lacks its unique key (") == true)
            // The remedy is that of a file.
            #expect(error?.detail.hasSuffix("in place of the file, while no server uses it") == true)
        }
    }

    /// The primary keys that are not `id`.
    private static let key = ["login_migration": "name", "login_budget": "key", "login_email": "email"]

    @Test(.rule("STORE-7")) func `a store that was not migrated is refused as a schema error`() async throws {
        let store = try Self.unmigrated()
        let error = await #expect(throws: StoreError.self) {
            try await store.transaction { rows in
                try rows.select(from: StoreSchema.tables[0], where: [], order: nil, limit: nil).count
            }
        }
        #expect(error?.code == .schema)
    }

    @Test(.rule("STORE-7")) func `each migration runs once, even if several servers migrate concurrently`() async throws
    {
        let store = try Self.unmigrated()
        let path = try #require(store.base as? SQLiteAccountStore).path
        let taken = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<4 {
                group.addTask { try await SQLiteAccountStore(path: path).migrate() }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken == StoreMigration.all.map(\.name))
    }

    @Test(.rule("STORE-7")) func `a store that a newer version has migrated is refused, and not changed`()
        async throws
    {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        _ = try await Self.execute("INSERT INTO login_migration VALUES ('9999-later', 0)", on: store)
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.code == .schema)
        let steps = try await Self.execute("SELECT name FROM login_migration", on: store)
        #expect(steps.count == StoreMigration.all.count + 1)
    }

    @Test(.rule("STORE-7")) func `a store without the last migration gets it, and keeps its rows`() async throws {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        let last = try #require(StoreMigration.all.last).name
        for statement in [
            "DROP TABLE login_dpop_proof",
            "DELETE FROM login_migration WHERE name = '\(last)'",
            "INSERT INTO login_tweak (id, changed_at, changed_by, revision) VALUES ('a', 0, 'ada', 1)",
        ] {
            _ = try await Self.execute(statement, on: store)
        }
        #expect(try await store.migrate() == [last])
        #expect(try await Self.execute("SELECT id FROM login_tweak", on: store).count == 1)
        #expect(try await Self.execute("SELECT hash FROM login_dpop_proof", on: store).isEmpty)
    }

    @Test(.rule("STORE-7"))
    func `a store is usable if it has the migrations of this version, and those of a newer one`()
        async throws
    {
        let store = try Self.unmigrated()
        let missing = await #expect(throws: StoreError.self) { try await store.base.check() }
        #expect(missing?.code == .schema)
        _ = try await store.migrate()
        try await store.base.check()
        _ = try await Self.execute("INSERT INTO login_migration VALUES ('9999-later', 0)", on: store)
        try await store.base.check()
        let last = try #require(StoreMigration.all.last).name
        _ = try await Self.execute("DELETE FROM login_migration WHERE name = '\(last)'", on: store)
        let lacking = await #expect(throws: StoreError.self) { try await store.base.check() }
        #expect(lacking?.code == .schema && lacking?.detail.contains(last) == true)
        try await InMemoryAccountStore().check()
    }

    @Test(.rule("STORE-7")) func `a store that lacks a migration before one that it has is refused`() async throws {
        let store = try Self.unmigrated()
        _ = try await store.migrate()
        let first = StoreMigration.all[0].name
        _ = try await Self.execute("DELETE FROM login_migration WHERE name = '\(first)'", on: store)
        let error = await #expect(throws: StoreError.self) { try await store.migrate() }
        #expect(error?.code == .schema)
    }

    @Test func `the migrations have the same statements for SQLite and PostgreSQL, each in its dialect`() {
        for step in StoreMigration.all {
            let (lite, postgres) = (step.statements(for: .sqlite), step.statements(for: .postgreSQL))
            #expect(lite.count == postgres.count)
            for statement in lite + postgres {
                #expect(!statement.contains("{") && !statement.contains("}"))
            }
            for statement in postgres {
                #expect(!statement.contains("STRICT") && !statement.contains("BLOB"))
                for line in statement.split(separator: "\n") where line.contains(" TEXT") {
                    #expect(line.contains("TEXT COLLATE \"C\""))
                }
            }
        }
    }

    /// The structure of a table.
    private struct TableShape: Hashable {
        var columns: [String]
        var primaryKey: [String]
        var uniques: Set<[String]>
        var indexes: Set<[String]>
        var references: Set<[String]>

        init(_ table: StoreTable) {
            columns = table.columns.map { column in
                let kind =
                    switch column.kind {
                    case .integer: "INTEGER"
                    case .text: "TEXT"
                    case .bytes: "BLOB"
                    }
                return "\(column.name) \(kind) \(column.isNullable ? "null" : "not null")"
            }
            primaryKey = table.primaryKey.map(\.name)
            uniques = Set(table.uniques.map { $0.map(\.name) })
            indexes = Set(table.indexes.map { $0.map(\.name) })
            references = Set(
                table.references.map { reference in
                    [reference.table] + zip(reference.columns, reference.target).flatMap { [$0.name, $1.name] }
                }
            )
        }
    }

    private static func shape(of table: String, in store: any AccountStore) async throws -> TableShape {
        var shape = TableShape(StoreSchema.tables[0])
        let columns = try await execute("PRAGMA table_info(\(table))", on: store)
        shape.columns = columns.map { row in
            "\(row.text("name")) \(row.text("type")) \(row.integer("notnull") == 1 ? "not null" : "null")"
        }
        shape.primaryKey = columns.filter { $0.integer("pk") > 0 }.sorted { $0.integer("pk") < $1.integer("pk") }
            .map { $0.text("name") }
        shape.uniques = []
        shape.indexes = []
        for index in try await execute("PRAGMA index_list(\(table))", on: store) {
            let names = try await execute("PRAGMA index_info('\(index.text("name"))')", on: store).map {
                $0.text("name")
            }
            switch index.text("origin") {
            case "u": shape.uniques.insert(names)
            case "c": shape.indexes.insert(names)
            default: break
            }
        }
        var references: [Int64: [String]] = [:]
        for row in try await execute("PRAGMA foreign_key_list(\(table))", on: store) {
            references[row.integer("id"), default: [row.text("table")]] += [row.text("from"), row.text("to")]
        }
        shape.references = Set(references.values)
        return shape
    }
}

extension StoreRow {
    fileprivate func text(_ name: String) -> String {
        if case .text(let text)? = values[name] { text } else { "" }
    }

    fileprivate func integer(_ name: String) -> Int64 {
        if case .integer(let integer)? = values[name] { integer } else { 0 }
    }
}
#endif
