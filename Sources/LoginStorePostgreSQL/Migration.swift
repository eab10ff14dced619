// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts

/// Brings the tables of a schema to what this version needs, one server at a time.
struct Migration {
    private let transaction: PostgreSQLTransaction
    private let schema: String

    init(_ transaction: PostgreSQLTransaction, schema: String) {
        self.transaction = transaction
        self.schema = schema
    }

    /// - Returns: The names of the steps that were taken.
    func run() throws(StoreError) -> [String] {
        // A table with many rows takes longer than a sign-in may, and who waits for another server waits for all its steps.
        transaction.isPatient = true
        try transaction.execute("SET LOCAL statement_timeout = '1h'", [])
        try transaction.execute("SET LOCAL lock_timeout = '5min'", [])
        // By the name of the schema, since several may stand in one database; the number is arbitrary, but always this one.
        try transaction.execute(
            "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 4912390570512740021))",
            [.text(schema)]
        )
        // Only if it is missing: even `IF NOT EXISTS` asks for the right to make one.
        if try transaction.execute("SELECT 1 AS there FROM pg_catalog.pg_namespace WHERE nspname = $1", [.text(schema)])
            .isEmpty
        {
            try transaction.execute("CREATE SCHEMA \(ConnectionSettings.quoted(schema))", [])
        }
        return try StoreMigration.migrate(transaction, dialect: .postgreSQL)
    }
}
#endif
