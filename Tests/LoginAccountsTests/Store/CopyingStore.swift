// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Synchronization

@testable import LoginAccounts

/// A store whose transactions each work on a copy: the last commit wins, and the updates of the others are lost.
final class CopyingStore: AccountStore {
    private let tables = Mutex(InMemoryTables(capacity: 100_000))

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let transaction = InMemoryTransaction(tables.withLock { $0 })
        let value = try body(transaction)
        try transaction.finish()
        let result = transaction.tables
        tables.withLock { $0 = result }
        return value
    }

    func migrate() async throws(StoreError) -> [String] { [] }
}
