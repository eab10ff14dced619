// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import LoginStoreSQLite
import TestSupport
import Testing

#if PostgreSQL
import LoginStorePostgreSQL
#endif

/// Transactions of an application on its own tables.
struct ApplicationTransactionTests {
    private struct Refusal: Error, Equatable {}

    /// A store whose transactions do not have the type that it declares.
    private struct UndeclaredStore: AccountStore {
        struct Transaction {}

        let base = InMemoryAccountStore()

        func transaction<Value: Sendable>(
            _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
        ) async throws -> Value {
            try await base.transaction(body)
        }

        func read<Value: Sendable>(
            _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
        ) async throws -> Value {
            try await base.read(body)
        }

        func migrate() async throws(StoreError) -> [String] { try await base.migrate() }
    }

    /// Creates a table, writes one row, fails to write another, and reads the table.
    private func notes<Store: AccountStore>(in store: Store) async throws -> [StoreRow]
    where Store.Transaction: SQLStoreTransaction {
        try await store.withTransaction { database in
            try database.execute("CREATE TABLE note (text TEXT NOT NULL)", [])
            try database.execute("INSERT INTO note (text) VALUES ($1)", [.text("kept")])
        }
        await #expect(throws: Refusal()) {
            try await store.withTransaction { database in
                try database.execute("INSERT INTO note (text) VALUES ($1)", [.text("undone")])
                throw Refusal()
            }
        }
        return try await store.withTransaction { try $0.execute("SELECT text FROM note", []) }
    }

    @Test(arguments: StoreUnderTest.databases)
    func `a transaction has the transaction type of the store, and an error rolls it back`(_ store: StoreUnderTest)
        async throws
    {
        let made = try await store.make()
        let base = (made as? PassingStore)?.base ?? made
        var found: [StoreRow] = []
        #if SQLite
        if let store = base as? SQLiteAccountStore { found = try await notes(in: store) }
        #endif
        #if PostgreSQL
        if let store = base as? PostgreSQLAccountStore { found = try await notes(in: store) }
        #endif
        #expect(found.map(\.values) == [["text": .text("kept")]])
        #expect(found.first?["text"].text == "kept" && found.first?["text"].integer == nil)
        #expect(found.first?["another"] == .null)
        withExtendedLifetime(made) {}
    }

    @Test func `a store whose transactions have another type than it declares is refused`() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await UndeclaredStore().withTransaction { _ in }
        }
        #expect(error?.code == .schema)
    }
}
