// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// Accounts in the memory of this process: for tests, and to try things out.
///
/// A restart forgets everything. It keeps the promises of a database: keys, references, and all or nothing.
public final class InMemoryAccountStore: AccountStore {
    private let tables: Mutex<InMemoryTables>

    /// An empty store.
    ///
    /// - Parameter capacity: How many rows it holds, of all tables together; what would be one more is refused as `unavailable`.
    public init(capacity: Int = 1_000_000) {
        precondition(capacity > 0, "a store holds something")
        tables = Mutex(InMemoryTables(capacity: capacity))
    }

    /// Runs `body` while nobody else runs one.
    ///
    /// It runs where this is called, on a thread of Swift's, and others wait for it on theirs: it takes microseconds, unless `body` waits
    /// for something.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try tables.withLock { tables in
            // Moved, not copied: what two hold is copied with the first write.
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

    /// There is nothing to migrate.
    public func migrate() async throws(StoreError) -> [String] { [] }
}

/// What one transaction does, and how to undo it.
final class InMemoryTransaction: StoreTransaction {
    var tables: InMemoryTables

    private var journal: [InMemoryChange] = []

    /// What a verb has thrown first: whoever swallows it must not believe that the rest was kept.
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

    /// What is looked at when a transaction ends.
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
                // As in SQL, nothing and something is nothing.
                guard case .integer(let value) = self[change.column] else { continue }
                let (sum, isTooMuch) = value.addingReportingOverflow(amount)
                guard !isTooMuch else { throw StoreError(.constraint, "\(change.column.name) grows out of its range") }
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
