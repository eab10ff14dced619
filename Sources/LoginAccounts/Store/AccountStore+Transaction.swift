// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
