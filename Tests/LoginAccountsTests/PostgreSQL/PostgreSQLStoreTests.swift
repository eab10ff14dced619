// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import LoginAccounts
import LoginStorePostgreSQL
import TestSupport
import Testing

@Suite struct PostgreSQLPresenceTests {
    @Test func `a PostgreSQL server is available to its tests`() {
        #expect(PostgreSQLServer.connection != nil, "say: scripts/postgresql run swift test …")
    }
}

/// Retains a transaction beyond its end, which is a programming error.
private final class Kept: @unchecked Sendable {
    var rows: PostgreSQLTransaction?
}

@Suite(.enabled(if: PostgreSQLServer.connection != nil)) struct PostgreSQLStoreTests {
    @Test(.rule("STORE-7")) func `tables that another role owns are refused`() async throws {
        let server = try #require(PostgreSQLServer.connection)
        let name = "r\(UInt32.random(in: 0 ... .max))"
        let (app, stranger, schema) = ("app_\(name)", "stranger_\(name)", "foreign_\(name)")
        try await PostgreSQLServer.withStore { admin async throws in
            for statement in [
                "CREATE ROLE \(app) LOGIN", "CREATE ROLE \(stranger)", "CREATE SCHEMA \(schema)",
                "GRANT USAGE, CREATE ON SCHEMA \(schema) TO \(app), \(stranger)",
                """
                CREATE TABLE \(schema).login_migration (name text PRIMARY KEY, applied_at bigint NOT NULL)
                """,
                "GRANT ALL ON \(schema).login_migration TO public",
                "ALTER TABLE \(schema).login_migration OWNER TO \(stranger)",
            ] { try await admin.sql(statement) }
            let store = try PostgreSQLAccountStore(
                "\(server) user=\(app)",
                schema: schema,
                connections: 1,
                timeouts: .patient()
            )
            let error = await #expect(throws: StoreError.self) { try await store.migrate() }
            #expect(error?.code == .schema && error?.detail.contains("login_migration of another role") == true)
            // A table owned by the schema's owner is accepted.
            try await admin.sql("ALTER TABLE \(schema).login_migration OWNER TO CURRENT_USER")
            #expect(try await store.migrate().count == StoreMigration.all.count)
            #expect(try await store.migrate().isEmpty)
            await store.shutdown()
            for statement in [
                "DROP SCHEMA \(schema) CASCADE", "DROP OWNED BY \(app), \(stranger)",
                "DROP ROLE \(app), \(stranger)",
            ] { try await admin.sql(statement) }
        }
    }

    @Test(.rule("STORE-7"))
    func `a role without USAGE on the schema is refused by name, and creates no temporary tables`()
        async throws
    {
        try await withRole { admin, schema, connect in
            // The everyday mistake: the schema is an administrator's, and the grant is missing.
            try await admin.sql("CREATE SCHEMA \(schema)")
            let store = try connect(schema)
            let migrating = await #expect(throws: StoreError.self) { try await store.migrate() }
            let using = await #expect(throws: StoreError.self) { try await store.sql("SELECT 1") }
            for error in [migrating, using] {
                #expect(error?.code == .schema && error?.detail.contains("USAGE on the schema \"\(schema)\"") == true)
            }
            #expect(try await Self.tables(admin) == 0)
            await store.shutdown()
            try await admin.sql("GRANT USAGE ON SCHEMA \(schema) TO public")
            let allowed = try connect(schema)
            let creating = await #expect(throws: StoreError.self) { try await allowed.migrate() }
            #expect(creating?.code == .schema && creating?.detail.contains("privilege") == true)
            #expect(try await Self.tables(admin) == 0)
            await allowed.shutdown()
            try await admin.sql("GRANT CREATE ON SCHEMA \(schema) TO public")
            let complete = try connect(schema)
            #expect(try await complete.migrate().count == StoreMigration.all.count)
            await complete.shutdown()
            #expect(try await Self.tables(admin, in: schema) == Int64(StoreSchema.tables.count + 1))
        }
    }

    @Test(.rule("STORE-7")) func `a missing schema is refused except by the migration that creates it`() async throws {
        try await withRole { admin, schema, connect in
            let server = try #require(PostgreSQLServer.connection)
            let store = try PostgreSQLAccountStore(server, schema: schema, connections: 1, timeouts: .patient())
            let error = await #expect(throws: StoreError.self) { try await store.sql("SELECT 1") }
            #expect(error?.code == .schema && error?.detail.contains("\"\(schema)\" is missing") == true)
            await store.shutdown()
            let creating = try PostgreSQLAccountStore(server, schema: schema, connections: 1, timeouts: .patient())
            #expect(try await creating.migrate().count == StoreMigration.all.count)
            #expect(try await creating.sql("SELECT count(*) AS n FROM login_account").integer("n") == 0)
            await creating.shutdown()
            // A role that may not create a schema.
            let lacking = try connect("no\(schema)")
            let refused = await #expect(throws: StoreError.self) { try await lacking.migrate() }
            #expect(refused?.code == .schema)
            await lacking.shutdown()
        }
    }

    @Test(
        .rule("STORE-7"),
        arguments: [
            ("login_account", "ALTER TABLE login_account DROP COLUMN display_name_source"),
            ("login_session", "DROP TABLE login_session CASCADE"),
        ]
    )
    func `a database that lacks a column or a table is not usable, and a migration refuses it`(
        table: String,
        statement: String
    ) async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.migrate()
            try await store.check()
            _ = try await store.sql(statement)
            let check = await #expect(throws: StoreError.self) { try await store.check() }
            let migration = await #expect(throws: StoreError.self) { try await store.migrate() }
            for error in [check, migration] {
                #expect(error?.code == .schema && error?.detail.contains("the table \(table) ") == true)
            }
        }
    }

    @Test(
        .rule("STORE-7"),
        arguments: [
            ("login_email", "lacks its unique key (email)", ["DROP CONSTRAINT login_email_pkey"]),
            ("login_email", "pg_restore --exit-on-error --single-trans", ["DROP CONSTRAINT login_email_pkey"]),
            (
                "login_identity", "lacks its unique key (account_id, single_key)",
                ["DROP CONSTRAINT login_identity_account_id_single_key_key"]
            ),
            (
                "login_email", "lacks its unique key (email)",
                ["DROP CONSTRAINT login_email_pkey", "ADD PRIMARY KEY (email) DEFERRABLE"]
            ),
            ("login_budget", "is no permanent table", ["SET UNLOGGED"]),
        ]
    )
    func `a database with a table that is not permanent, or lacks a unique key, is refused`(
        table: String,
        words: String,
        changes: [String]
    ) async throws {
        try await refused(table, words, after: changes.map { "ALTER TABLE \(table) \($0)" })
    }

    @Test(.rule("STORE-7"), arguments: ["VIEW", "MATERIALIZED VIEW"])
    func `a database with a view in the place of a table is refused`(kind: String) async throws {
        try await refused(
            "login_budget",
            "is no permanent table",
            after: [
                "ALTER TABLE login_budget RENAME TO kept", "CREATE \(kind) login_budget AS SELECT * FROM kept",
            ]
        )
    }

    /// Expects that a check and a migration refuse a database after statements.
    private func refused(_ table: String, _ words: String, after statements: [String]) async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.migrate()
            try await store.check()
            for statement in statements { try await store.sql(statement) }
            let check = await #expect(throws: StoreError.self) { try await store.check() }
            let migration = await #expect(throws: StoreError.self) { try await store.migrate() }
            for error in [check, migration] {
                #expect(error?.code == .schema && error?.detail.contains("the table \(table) ") == true)
                #expect(error?.detail.contains(words) == true)
            }
        }
    }

    @Test(.rule("STORE-7"), arguments: ["pg_toast", "pg_catalog", "pg_temp", "pg_temp_3", "information_schema"])
    func `a schema of PostgreSQL's own is refused before a connection`(schema: String) throws {
        let error = try #require(throws: StoreError.self) { try PostgreSQLAccountStore("", schema: schema) }
        #expect(error.code == .schema && error.detail.contains(schema))
    }

    /// Calls `body` with an administrator's store, the name of a schema, and a function that opens a store of a schema
    /// as a role without privileges.
    private func withRole(
        _ body: (PostgreSQLAccountStore, String, (String) throws -> PostgreSQLAccountStore) async throws -> Void
    ) async throws {
        let server = try #require(PostgreSQLServer.connection)
        let name = "r\(UInt32.random(in: 0 ... .max))"
        let (role, schema) = ("app_\(name)", "own_\(name)")
        try await PostgreSQLServer.withStore { admin async throws in
            try await admin.sql("CREATE ROLE \(role) LOGIN")
            try await body(admin, schema) { schema in
                try PostgreSQLAccountStore(
                    "\(server) user=\(role)",
                    schema: schema,
                    connections: 1,
                    timeouts: .patient()
                )
            }
            for statement in [
                "DROP SCHEMA IF EXISTS \(schema) CASCADE", "DROP OWNED BY \(role)", "DROP ROLE \(role)",
            ] { try await admin.sql(statement) }
        }
    }

    /// Returns the number of tables of accounts in a schema, or among the temporary tables of all roles.
    private static func tables(_ admin: PostgreSQLAccountStore, in schema: String? = nil) async throws -> Int64? {
        try await admin.sql(
            "SELECT count(*) AS n FROM pg_catalog.pg_tables WHERE tablename LIKE 'login%' AND schemaname LIKE $1",
            .text(schema ?? "pg\\_temp%")
        ).integer("n")
    }

    @Test func `every value round-trips byte for byte`() async throws {
        let texts = [
            "", " ", "é", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\\x00", "\\", "NULL",
            "\u{FFFD}\u{10FFFF}\u{1}\r\n\t",
            String(repeating: "ß", count: 1 << 19),
        ]
        let bytes: [[UInt8]] = [[], [0], Array(0...255), Array("\\x41".utf8), Array(repeating: 0xA5, count: 1 << 20)]
        let integers = [0, 1, -1, Int64.min, .max]
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT, t TEXT, b BYTEA)")
            for value in texts.map(StoreValue.text) + bytes.map(StoreValue.bytes) + integers.map(StoreValue.integer) {
                let column =
                    switch value {
                    case .text: "t"
                    case .bytes: "b"
                    default: "n"
                    }
                let back = try await store.sql("INSERT INTO kept (\(column)) VALUES ($1) RETURNING *", value)
                #expect(back.first?.values[column] == value)
                #expect(back.first?.values.values.count { $0 == .null } == 2)
                let found = try await store.sql("SELECT count(*) AS n FROM kept WHERE \(column) = $1", value)
                #expect(found.integer("n") == 1)
            }
            // Two Unicode spellings of one letter are different texts.
            let spellings = try await store.sql(
                "SELECT count(DISTINCT t) AS n FROM kept WHERE t IN ($1, $2)",
                .text("é"),
                .text("e\u{301}")
            )
            #expect(spellings.integer("n") == 2)
        }
    }

    @Test func `column types of an application's own tables are read as integers, bytes or text`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            let row = try await store.sql(
                """
                SELECT 1::smallint AS small, -2::integer AS middle, true AS yes, false AS no, NULL::bigint AS nothing,
                    $1::uuid AS id, $2::jsonb AS json, $3::timestamptz AT TIME ZONE 'UTC' AS time, 1.50::numeric AS price,
                    $4 AS bytes, $5 AS integer, $6 AS text, $7::integer AS null
                """,
                .text("0B5F9E0C-0000-7000-8000-00000000000A"),
                .text("{\"a\" :1}"),
                .text("2026-01-02T03:04:05Z"),
                .bytes([0, 255]),
                .integer(7),
                .text("words"),
                .null
            )
            #expect(
                row.first?.values == [
                    "small": .integer(1), "middle": .integer(-2), "yes": .integer(1), "no": .integer(0),
                    "nothing": .null,
                    "id": .text("0b5f9e0c-0000-7000-8000-00000000000a"), "json": .text("{\"a\": 1}"),
                    "time": .text("2026-01-02 03:04:05"), "price": .text("1.50"),
                    "bytes": .bytes([0, 255]), "integer": .integer(7), "text": .text("words"), "null": .null,
                ]
            )
        }
    }

    @Test(arguments: [
        "'; DROP TABLE kept; --", "$1", "' OR '1'='1", "\\'; SELECT 1", "\u{2019} OR 1=1", "%s%n", "$$;COMMIT;$$",
        "\"kept\"",
    ])
    func `a parameter is stored as a value, whatever SQL it contains`(words: String) async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (t TEXT PRIMARY KEY)")
            try await store.sql("INSERT INTO kept (t) VALUES ($1)", .text(words))
            let found = try await store.sql("SELECT t FROM kept WHERE t = $1", .text(words))
            #expect(found.text("t") == words)
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 1)
        }
    }

    @Test func `a text with NUL is refused, and nothing is stored`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (t TEXT)")
            let fault = try await store.fault("INSERT INTO kept (t) VALUES ($1)", .text("before\0after"))
            #expect(fault.code == .constraint)
            #expect(!fault.description.contains("before"))
            #expect(try await store.fault("SELECT 1\0").code == .constraint)
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test func `a transaction with a failed statement is rolled back, even if the error is ignored`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
            let fault = try await store.fault { rows in
                try rows.sql("INSERT INTO kept VALUES (1)")
                _ = try? rows.sql("INSERT INTO kept VALUES (1)")
                _ = try? rows.sql("INSERT INTO kept VALUES (2)")
            }
            #expect(fault.code == .constraint)
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test func `a transaction whose body throws is rolled back, and the error is rethrown`() async throws {
        struct Mine: Error {}
        try await PostgreSQLServer.withStore { store async throws in
            try await store.sql("CREATE TABLE kept (n BIGINT PRIMARY KEY)")
            await #expect(throws: Mine.self) {
                try await store.transaction { rows in
                    try rows.sql("INSERT INTO kept VALUES (1)")
                    throw Mine()
                }
            }
            #expect(try await store.sql("SELECT count(*) AS n FROM kept").integer("n") == 0)
        }
    }

    @Test(arguments: ["COMMIT", "ROLLBACK"])
    func `a COMMIT or ROLLBACK statement in a transaction is an error`(statement: String) async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            #expect(try await store.fault(statement).code == .constraint)
            #expect(try await store.sql("SELECT 1 AS n").integer("n") == 1)
        }
    }

    @Test func `a transaction cannot be used after its end`() async throws {
        try await PostgreSQLServer.withStore { store async throws in
            let kept = Kept()
            try await store.transaction { rows in kept.rows = rows as? PostgreSQLTransaction }
            let rows = kept.rows
            #expect { try rows?.execute("SELECT 1 AS n", []) } throws: { ($0 as? StoreError)?.code == .constraint }
        }
    }

    @Test func `whatever the server's defaults, a transaction is read committed, synchronous and in its schema`()
        async throws
    {
        try await PostgreSQLServer.withStore(timeouts: .patient(lock: .milliseconds(1500))) {
            store async throws in
            let row = try await store.sql(
                """
                SELECT current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS commit,
                    current_setting('lock_timeout') AS lock, current_setting('search_path') AS path,
                    current_setting('client_encoding') AS encoding
                """
            )
            #expect(row.text("isolation") == "read committed")
            #expect(row.text("commit") == "on")
            #expect(row.text("lock") == "1500ms")
            #expect(row.text("path")?.hasSuffix("\", pg_temp") == true)
            #expect(row.text("encoding") == "UTF8")
        }
        let server = try #require(PostgreSQLServer.connection)
        let options = "options='-c synchronous_commit=off -c default_transaction_isolation=serializable'"
        try await PostgreSQLServer.withStore(on: "\(server) \(options)") { store async throws in
            let row = try await store.sql(
                "SELECT current_setting('transaction_isolation') AS isolation, current_setting('synchronous_commit') AS commit"
            )
            #expect(row.text("isolation") == "read committed")
            #expect(row.text("commit") == "on")
        }
    }

    @Test func `of concurrent migrations exactly one runs, in a schema that it creates`() async throws {
        let server = try #require(PostgreSQLServer.connection)
        let number = UInt32.random(in: 0 ... .max)
        let schema = "Many \"servers\" \(number)"
        var stores: [PostgreSQLAccountStore] = []
        for _ in 0..<6 {
            stores.append(try PostgreSQLAccountStore(server, schema: schema, connections: 1, timeouts: .patient()))
        }
        let steps = try await withThrowingTaskGroup(of: [String].self) { group in
            for store in stores { group.addTask { try await store.migrate() } }
            return try await group.reduce(into: [[String]]()) { $0.append($1) }
        }
        #expect(steps.count { !$0.isEmpty } == 1)
        let made = try await stores[0].sql(
            "SELECT count(*) AS n FROM pg_catalog.pg_tables WHERE schemaname = $1",
            .text(schema)
        )
        #expect(try #require(made.integer("n")) >= Int64(StoreSchema.tables.count))
        _ = try await stores[0].sql("DROP SCHEMA \"Many \"\"servers\"\" \(number)\" CASCADE")
        for store in stores { await store.shutdown() }
    }

    @Test func `a connection caches at most 256 prepared statements`() async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            for number in 0..<600 { try await store.sql("SELECT \(number % 300) AS n") }
            for _ in 0..<20 { #expect(try await store.sql("SELECT 299 AS n").integer("n") == 299) }
            let kept = try await store.sql("SELECT count(*) AS n FROM pg_catalog.pg_prepared_statements")
            #expect(try #require(kept.integer("n")) == 256)
        }
    }

    @Test func `a statement with parameters of other types is a separate prepared statement`() async throws {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            let statement = "SELECT $1 AS it"
            #expect(try await store.sql(statement, .integer(5)).first?.values["it"] == .integer(5))
            #expect(try await store.sql(statement, .text("5")).first?.values["it"] == .text("5"))
            #expect(try await store.sql(statement, .bytes([5])).first?.values["it"] == .bytes([5]))
            #expect(try await store.sql(statement, .null).first?.values["it"] == .null)
        }
    }

    @Test func `a prepared statement is busy once after its table changed, and then reads the new columns`()
        async throws
    {
        try await PostgreSQLServer.withStore(connections: 1) { store async throws in
            try await store.sql("CREATE TABLE kept (n INTEGER)")
            try await store.sql("INSERT INTO kept VALUES (1)")
            for _ in 0..<3 { try await store.sql("SELECT * FROM kept") }
            try await store.sql("ALTER TABLE kept ADD COLUMN t TEXT DEFAULT 'new'")
            #expect(try await store.fault("SELECT * FROM kept").code == .busy)
            #expect(try await store.sql("SELECT * FROM kept").text("t") == "new")
        }
    }
}
#endif
