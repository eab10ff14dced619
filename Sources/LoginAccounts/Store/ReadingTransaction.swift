// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A transaction of which two verbs are left: for a store that knows no other way to see that a reading writes nothing.
final class ReadingTransaction: StoreTransaction {
    private let base: any StoreTransaction

    /// What was refused first: whoever swallows it must not believe that it was written.
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
        let error = StoreError(.constraint, "what only reads cannot write")
        failure = failure ?? error
        return error
    }
}

extension AccountStore {
    /// Runs `body` as a transaction that is refused what it would write.
    ///
    /// It takes what a transaction takes; a store that has something better for reading says so itself.
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
}
