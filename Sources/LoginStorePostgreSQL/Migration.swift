// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts

/// The migration of a schema to the current version, by one server at a time.
struct Migration {
    private let transaction: PostgreSQLTransaction
    private let schema: String

    init(_ transaction: PostgreSQLTransaction, schema: String) {
        self.transaction = transaction
        self.schema = schema
    }

    /// Runs the migrations.
    ///
    /// - Returns: The names of the migrations that were run.
    func run() throws(StoreError) -> [String] {
        // A migration of a table with many rows may take longer than a sign-in, and another server waits for all
        // migrations.
        transaction.isPatient = true
        try transaction.execute("SET LOCAL statement_timeout = '1h'", [])
        try transaction.execute("SET LOCAL lock_timeout = '5min'", [])
        // The lock is named after the schema, because a database may contain several. The seed is arbitrary, but
        // constant.
        try transaction.execute(
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 4912390570512740021))",
            [.text(schema)]
        )
        // It is created only if it is missing, because `IF NOT EXISTS` requires the privilege to create one in any
        // case.
        if try transaction.execute("SELECT 1 AS there FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(schema)])
            .isEmpty
        {
            try transaction.execute("CREATE SCHEMA \(ConnectionSettings.quoted(schema))", [])
        }
        try refuseTablesOfOthers()
        return try StoreMigration.migrate(transaction, dialect: .postgreSQL)
    }

    /// Refuses tables of an unrelated role: their triggers would run with our privileges, and their owner could read
    /// everything.
    ///
    /// Accepted owners are roles that we belong to, superusers, and the owners of the schema and of the database.
    private func refuseTablesOfOthers() throws(StoreError) {
        let names = [StoreMigration.table] + StoreSchema.tables.map(\.name)
        let foreign = try transaction.execute(
            """
            SELECT c.relname::pg_catalog.text AS name
            FROM pg_catalog.pg_class c
            JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_catalog.pg_roles r ON r.oid = c.relowner
            JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()
            WHERE n.nspname = $1 AND c.relname = ANY (pg_catalog.string_to_array($2, ','))
                AND NOT pg_catalog.pg_has_role(r.oid, 'USAGE')
                AND NOT r.rolsuper AND r.oid <> n.nspowner AND r.oid <> d.datdba
            ORDER BY c.relname
            """,
            [.text(schema), .text(names.joined(separator: ","))]
        )
        guard case .text(let name) = foreign.first?.values["name"] else { return }
        throw StoreError(.schema, "the schema holds \(name) of another role: find out whose it is, and drop it")
    }
}
#endif
