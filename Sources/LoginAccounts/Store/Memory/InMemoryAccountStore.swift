// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A store in the memory of this process, for tests and experiments.
///
/// Its content is lost at a restart. It enforces the constraints of a database: keys, references, and atomic
/// transactions.
public final class InMemoryAccountStore: AccountStore {
    private let tables: Mutex<InMemoryTables>

    /// Creates an empty store.
    ///
    /// - Parameter capacity: The maximum number of rows in all tables. Further rows are refused with `unavailable`.
    public init(capacity: Int = 1_000_000) {
        precondition(capacity > 0, "capacity must be at least 1")
        tables = Mutex(InMemoryTables(capacity: capacity))
    }

    /// Runs `body` as one transaction, while no other runs.
    ///
    /// It runs on the calling thread of Swift's pool, and other callers block theirs. That takes microseconds, unless
    /// `body` waits for something.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try tables.withLock { tables in
            // The tables are moved rather than shared: two references would copy them with the first write.
            let transaction = InMemoryTransaction(tables)
            tables = InMemoryTables(capacity: 0)
            defer { tables = transaction.tables }
            do {
                let value = try body(transaction)
                try transaction.finish()
                return value
            } catch {
                transaction.undo()
                throw error
            }
        }
    }

    /// Returns no steps, because memory needs no migration.
    public func migrate() async throws(StoreError) -> [String] { [] }
}

/// The changes of a transaction, with a journal to roll them back.
final class InMemoryTransaction: StoreTransaction {
    var tables: InMemoryTables

    private var journal: [InMemoryChange] = []

    /// The first error of an operation.
    ///
    /// The transaction fails with it, even if its body has caught it.
    private var failure: StoreError?

    init(_ tables: InMemoryTables) {
        self.tables = tables
    }

    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool {
        try noting { () throws(StoreError) in
            try table.check(row)
            guard try tables.insert(row, into: table.name, journal: &journal) else { return false }
            return true
        }
    }

    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]
    {
        try noting { () throws(StoreError) in
            try table.check(conditions)
            var found = try tables.find(in: table.name, where: conditions).map(\.row)
            if let order { found.sort { order.isBefore($0, $1) } }
            return Array(found.prefix(max(0, limit ?? .max)))
        }
    }

    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]
    {
        try noting { () throws(StoreError) in
            try table.check(changes)
            try table.check(conditions)
            var changed: [StoreRow] = []
            for (number, old) in try tables.find(in: table.name, where: conditions) {
                let new = try old.applying(changes)
                try tables.replace(number, with: new, in: table.name, journal: &journal)
                changed.append(new)
            }
            return changed
        }
    }

    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow] {
        try noting { () throws(StoreError) in
            try table.check(conditions)
            let found = try tables.find(in: table.name, where: conditions)
            for (number, _) in found { tables.remove(number, from: table.name, journal: &journal) }
            return found.map(\.row)
        }
    }

    /// Checks the constraints at the end of a transaction.
    func finish() throws(StoreError) {
        if let failure { throw failure }
        try tables.checkReferences(after: journal)
    }

    func undo() {
        for change in journal.reversed() { tables.undo(change) }
        journal = []
    }

    private func noting<Value>(_ verb: () throws(StoreError) -> Value) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try verb()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}

extension StoreRow {
    fileprivate func applying(_ changes: [StoreChange]) throws(StoreError) -> StoreRow {
        var row = self
        for change in changes {
            switch change.operation {
            case .set(let value): row[change.column] = value
            case .add(let amount):
                // As in SQL, adding to null yields null.
                guard case .integer(let value) = self[change.column] else { continue }
                let (sum, isTooMuch) = value.addingReportingOverflow(amount)
                guard !isTooMuch else { throw StoreError(.constraint, "\(change.column.name) exceeds its range") }
                row[change.column] = .integer(sum)
            }
        }
        return row
    }
}

extension StoreOrder {
    fileprivate func isBefore(_ first: StoreRow, _ second: StoreRow) -> Bool {
        let (former, latter) = isDescending ? (second[column], first[column]) : (first[column], second[column])
        if former != latter { return former.precedes(latter) }
        guard let tieBreaker else { return false }
        return first[tieBreaker].precedes(second[tieBreaker])
    }
}

extension StoreValue {
    fileprivate func precedes(_ other: Self) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (.integer(let first), .integer(let second)): first < second
        case (.text(let first), .text(let second)): first.utf8.lexicographicallyPrecedes(second.utf8)
        case (.bytes(let first), .bytes(let second)): first.lexicographicallyPrecedes(second)
        default: false
        }
    }
}
