// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts

/// The faults that an implementation of a store could have.
enum StoreFault: String, CaseIterable, Sendable {
    case keepsAfterThrow, keepsAfterSwallowedError, otherError, insertAlwaysTrue, insertReplaces, ignoresLimit,
        ignoresOrder,
        ignoresSecondCondition, nullIsLess, returnsOldRows, keepsDeleted, foldsCase, cutsAtNUL, trimsTexts,
        emptyIsNull, losesPrecision, runsTwice, migratesAgain,
        writesWhileReading, swallowsWhileReading, followsToItself
}

/// A store with one of these faults.
final class FaultyStore: AccountStore {
    let base: any AccountStore
    let fault: StoreFault

    init(_ base: any AccountStore, _ fault: StoreFault) {
        self.base = base
        self.fault = fault
    }

    private struct Other: Error {}

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let fault = fault
        switch fault {
        case .keepsAfterThrow:
            // Each operation stays as it is, since a constraint error in the base would roll back the rest.
            return try await base.transaction { rows in Result { try body(rows) } }.get()
        case .otherError:
            do {
                return try await base.transaction(body)
            } catch is StoreError {
                throw StoreError(.unavailable, "")
            } catch {
                throw Other()
            }
        case .runsTwice:
            _ = try await base.transaction(body)
            return try await base.transaction(body)
        default:
            return try await base.transaction { rows in try body(FaultyTransaction(rows, fault)) }
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        switch fault {
        case .writesWhileReading: try await transaction(body)
        case .swallowsWhileReading: try await transaction { rows in try body(RefusingTransaction(rows)) }
        default: try await base.read(body)
        }
    }

    func migrate() async throws(StoreError) -> [String] {
        fault == .migratesAgain ? ["again"] : try await base.migrate()
    }
}

private final class FaultyTransaction: StoreTransaction {
    private let base: any StoreTransaction
    private let fault: StoreFault

    init(_ base: any StoreTransaction, _ fault: StoreFault) {
        self.base = base
        self.fault = fault
    }

    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool {
        // The base never sees a row that is refused here.
        if fault == .keepsAfterSwallowedError { try table.check(row) }
        let row = changed(row)
        let isNew = try base.insert(row, into: table)
        switch fault {
        case .insertAlwaysTrue: return true
        case .insertReplaces where !isNew:
            let key = table.primaryKey.map { $0.equals(row[$0]) }
            guard try !base.delete(from: table, where: key).isEmpty else { return false }
            return try base.insert(row, into: table)
        default: return isNew
        }
    }

    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]
    {
        try base.select(
            from: table,
            where: changed(conditions),
            order: fault == .ignoresOrder ? nil : order,
            limit: fault == .ignoresLimit ? nil : limit
        )
    }

    func select(from table: StoreTable, following reference: StoreReference, where conditions: [StoreCondition])
        throws(StoreError) -> [(row: StoreRow, referenced: StoreRow)]
    {
        let found = try base.select(from: table, following: reference, where: changed(conditions))
        return fault == .followsToItself ? found.map { ($0.row, $0.row) } : found
    }

    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]
    {
        let old = try base.select(from: table, where: changed(conditions), order: nil, limit: nil)
        let new = try base.update(table, set: changes, where: changed(conditions))
        return fault == .returnsOldRows ? old : new
    }

    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow] {
        guard fault == .keepsDeleted, conditions.count == 1 else {
            return try base.delete(from: table, where: changed(conditions))
        }
        return try base.select(from: table, where: conditions, order: nil, limit: nil)
    }

    private func changed(_ value: StoreValue) -> StoreValue {
        switch (fault, value) {
        case (.foldsCase, .text(let text)): .text(text.lowercased())
        case (.cutsAtNUL, .text(let text)): .text(String(text.prefix { $0 != "\u{0}" }))
        case (.trimsTexts, .text(let text)) where text.hasSuffix(" "): .text(String(text.dropLast()))
        case (.losesPrecision, .integer(let integer)): .integer(Int64(exactly: Double(integer)) ?? .max)
        default: value
        }
    }

    private func changed(_ row: StoreRow) -> StoreRow {
        var values = row.values.mapValues(changed)
        if fault == .emptyIsNull, values["used_at"] == .integer(0) { values["used_at"] = .null }
        return StoreRow(values)
    }

    private func changed(_ conditions: [StoreCondition]) -> [StoreCondition] {
        let changed = conditions.compactMap { condition in
            switch condition.comparison {
            case .equal(let value): condition.column.equals(self.changed(value))
            case .less where fault == .nullIsLess: nil
            default: condition
            }
        }
        return fault == .ignoresSecondCondition ? Array(changed.prefix(1)) : changed
    }
}

/// A transaction that refuses every write, and is not marked as failed.
private final class RefusingTransaction: StoreTransaction {
    private let base: any StoreTransaction

    init(_ base: any StoreTransaction) { self.base = base }

    private static var refusal: StoreError { StoreError(.constraint, "") }

    func insert(_ row: StoreRow, into table: StoreTable) throws(StoreError) -> Bool { throw Self.refusal }

    func select(from table: StoreTable, where conditions: [StoreCondition], order: StoreOrder?, limit: Int?)
        throws(StoreError) -> [StoreRow]
    {
        try base.select(from: table, where: conditions, order: order, limit: limit)
    }

    func update(_ table: StoreTable, set changes: [StoreChange], where conditions: [StoreCondition]) throws(StoreError)
        -> [StoreRow]
    { throw Self.refusal }

    func delete(from table: StoreTable, where conditions: [StoreCondition]) throws(StoreError) -> [StoreRow] {
        throw Self.refusal
    }
}
