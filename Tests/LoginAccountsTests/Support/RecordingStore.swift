// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import Synchronization

/// A store that records its transactions: whether each may write, and the SQL statements that it hands to the database.
///
/// ```swift
/// let store = RecordingStore(try await kind.make())
/// let fixture = try await AuthFixture(store)
/// store.forget()
/// // …
/// #expect(store.statements == ["SELECT login_session login_account"])
/// ```
///
/// Every statement of a SQL store passes through `SQLStoreTransaction.execute`, except those that begin and end the
/// transaction. A store without SQL has no statements.
final class RecordingStore: AccountStore {
    /// A transaction, from its beginning.
    struct Transaction: Sendable, Hashable {
        /// Whether it may write.
        let mayWrite: Bool
        /// The first word of each statement, and the tables that it names.
        var statements: [String] = []
    }

    private let base: any AccountStore
    private let before: @Sendable (String) -> Void
    private let recorded = Mutex<[Transaction]>([])
    private let executed = Mutex<[String: [StoreValue]]>([:])

    /// Creates a store that records.
    ///
    /// - Parameters:
    ///   - base: The store that runs the transactions.
    ///   - before: Called before each statement, on a thread that may block.
    init(_ base: any AccountStore, before: @escaping @Sendable (String) -> Void = { _ in }) {
        (self.base, self.before) = (base, before)
    }

    /// The transactions since the last ``forget()``, in the order in which they began.
    var transactions: [Transaction] { recorded.withLock { $0 } }

    /// The statements of these transactions.
    var statements: [String] { transactions.flatMap(\.statements) }

    /// Each distinct statement of these transactions as it is executed, with the values of its last execution.
    var distinctStatements: [String: [StoreValue]] { executed.withLock { $0 } }

    /// Whether one of these transactions may write.
    var hasWritingTransaction: Bool { transactions.contains(where: \.mayWrite) }

    /// Removes all records.
    func forget() {
        recorded.withLock { $0 = [] }
        executed.withLock { $0 = [:] }
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.transaction { rows in try body(self.recording(rows, mayWrite: true)) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.read { rows in try body(self.recording(rows, mayWrite: false)) }
    }

    func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await base.readOnce { rows in try body(self.recording(rows, mayWrite: false)) }
    }

    func migrate() async throws(StoreError) -> [String] { try await base.migrate() }

    func shutdown() async { await base.shutdown() }

    private func recording(_ rows: any StoreTransaction, mayWrite: Bool) -> any StoreTransaction {
        let number = recorded.withLock { recorded in
            recorded.append(Transaction(mayWrite: mayWrite))
            return recorded.count - 1
        }
        guard let rows = rows as? any SQLStoreTransaction else { return rows }
        return RecordingTransaction(rows) { [self] statement, values in
            let words = statement.split { $0 == " " || $0 == "\n" }
            let summary = (words.prefix(1) + words.filter { $0.hasPrefix("login_") }).joined(separator: " ")
            before(summary)
            executed.withLock { $0[statement] = values }
            recorded.withLock { recorded in
                guard recorded.indices.contains(number) else { return }
                recorded[number].statements.append(summary)
            }
        }
    }
}

/// A SQL transaction that reports each statement before it runs it.
private final class RecordingTransaction: SQLStoreTransaction {
    private let base: any SQLStoreTransaction
    private let report: (String, [StoreValue]) -> Void

    init(_ base: any SQLStoreTransaction, report: @escaping (String, [StoreValue]) -> Void) {
        (self.base, self.report) = (base, report)
    }

    func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow] {
        report(statement, values)
        return try base.execute(statement, values)
    }

    func fail(_ error: StoreError) { base.fail(error) }
}
