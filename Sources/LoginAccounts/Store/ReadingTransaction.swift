// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A transaction that refuses to write, for stores without read-only transactions of their own.
final class ReadingTransaction: StoreTransaction {
    private let base: any StoreTransaction

    /// The first refusal.
    ///
    /// The transaction throws it at its end, even if its body has caught it.
    private(set) var failure: StoreError?

    init(_ base: any StoreTransaction) {
        self.base = base
    }

    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool {
        throw refusal()
    }

    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]
    {
        try base.select(from: table, where: conditions, order: order, limit: limit)
    }

    func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]
    {
        try base.select(from: table, following: reference, where: conditions)
    }

    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]
    {
        throw refusal()
    }

    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow] {
        throw refusal()
    }

    private func refusal() -> StoreError {
        let error = StoreError(.constraint, "a read-only transaction cannot write")
        failure = failure ?? error
        return error
    }
}

extension AccountStore {
    /// Runs `body` as a transaction that refuses to write.
    ///
    /// It takes the locks of a transaction. A store with read-only transactions implements this itself.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await transaction { rows in
            let reading = ReadingTransaction(rows)
            let value = try body(reading)
            if let failure = reading.failure { throw failure }
            return value
        }
    }

    /// Runs `body` as ``read(_:)`` does.
    public func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await read(body)
    }
}
