// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A change of one row, which can be undone.
struct InMemoryChange {
    let table: String
    let number: Int
    /// The row before the change; nil if there was none.
    let old: StoreRow?
    /// The row after the change; nil if there is none.
    let new: StoreRow?
}

/// The tables in memory: rows by number, and lookups by key.
struct InMemoryTables {
    private var tables: [String: InMemoryTable]
    private var room: Int
    private var nextNumber = 0

    /// The tables that refer to each table.
    private static let referring: [String: [(table: String, reference: StoreReference)]] = {
        var referring: [String: [(table: String, reference: StoreReference)]] = [:]
        for table in StoreSchema.tables {
            for reference in table.references {
                referring[reference.table, default: []].append((table.name, reference))
            }
        }
        return referring
    }()

    /// Creates empty tables.
    ///
    /// - Parameter capacity: The maximum number of rows.
    init(capacity: Int) {
        room = capacity
        tables =
            capacity == 0
            ? [:] : Dictionary(StoreSchema.tables.map { ($0.name, InMemoryTable($0)) }) { first, _ in first }
    }

    func find(in name: String, where conditions: [StoreCondition]) throws(StoreError) -> [(number: Int, row: StoreRow)]
    {
        guard let table = tables[name] else { throw StoreError(.schema, "there is no table \(name)") }
        return table.find(conditions)
    }

    mutating func insert(_ row: StoreRow, into name: String, journal: inout [InMemoryChange]) throws(StoreError) -> Bool
    {
        guard let isTaken = tables[name]?.isTaken(row) else { throw StoreError(.schema, "there is no table \(name)") }
        guard !isTaken else { return false }
        guard room > 0 else { throw StoreError(.unavailable, "the store in memory is full") }
        room -= 1
        nextNumber += 1
        tables[name]?.put(row, at: nextNumber)
        journal.append(InMemoryChange(table: name, number: nextNumber, old: nil, new: row))
        return true
    }

    mutating func replace(_ number: Int, with row: StoreRow, in name: String, journal: inout [InMemoryChange])
        throws(StoreError)
    {
        guard let old = tables[name]?.take(number) else { return }
        guard tables[name]?.isTaken(row) == false else {
            tables[name]?.put(old, at: number)
            throw StoreError(.constraint, "duplicate key in \(name)")
        }
        tables[name]?.put(row, at: number)
        journal.append(InMemoryChange(table: name, number: number, old: old, new: row))
    }

    mutating func remove(_ number: Int, from name: String, journal: inout [InMemoryChange]) {
        guard let old = tables[name]?.take(number) else { return }
        room += 1
        journal.append(InMemoryChange(table: name, number: number, old: old, new: nil))
    }

    mutating func undo(_ change: InMemoryChange) {
        if tables[change.table]?.take(change.number) != nil { room += 1 }
        guard let old = change.old else { return }
        tables[change.table]?.put(old, at: change.number)
        room -= 1
    }

    /// Checks that every changed row has the rows to which it refers, and that rows which others refer to still exist.
    func checkReferences(after journal: [InMemoryChange]) throws(StoreError) {
        for change in journal {
            if let row = tables[change.table]?.row(change.number) {
                for reference in tables[change.table]?.schema.references ?? [] {
                    try check(row, of: change.table, reference)
                }
            }
            guard let old = change.old else { continue }
            for (table, reference) in Self.referring[change.table] ?? [] {
                let key = reference.target.map { old[$0] }
                guard tables[change.table]?.has(key, in: reference.target) == false,
                    tables[table]?.has(key, in: reference.columns) == true
                else { continue }
                throw Self.missing(table, reference)
            }
        }
    }

    private func check(_ row: StoreRow, of table: String, _ reference: StoreReference) throws(StoreError) {
        let key = reference.columns.map { row[$0] }
        guard !key.contains(.null), tables[reference.table]?.has(key, in: reference.target) != true else { return }
        throw Self.missing(table, reference)
    }

    private static func missing(_ table: String, _ reference: StoreReference) -> StoreError {
        StoreError(.constraint, "a row of \(table) refers to a missing row of \(reference.table)")
    }
}

/// A table in memory.
struct InMemoryTable {
    let schema: StoreTable

    private var rows: [Int: StoreRow] = [:]
    private var lookups: [Lookup] = []

    /// An index of rows by the values of some columns.
    private struct Lookup {
        let columns: [StoreColumn]
        let isUnique: Bool
        /// The numbers of rows by their values.
        ///
        /// A row with a null in one of the columns is not included.
        var numbers: [[StoreValue]: Set<Int>] = [:]

        /// The values of a row; nil if one is null.
        func key(of row: StoreRow) -> [StoreValue]? {
            let key = columns.map { row[$0] }
            return key.contains(.null) ? nil : key
        }

        func isOf(_ columns: [StoreColumn]) -> Bool {
            self.columns.count == columns.count && zip(self.columns, columns).allSatisfy { $0.name == $1.name }
        }
    }

    init(_ schema: StoreTable) {
        self.schema = schema
        add([schema.primaryKey] + schema.uniques, isUnique: true)
        add(schema.indexes + schema.references.map(\.columns), isUnique: false)
        // An index of a database also serves queries by its first column.
        add(lookups.map { Array($0.columns.prefix(1)) }, isUnique: false)
    }

    private mutating func add(_ groups: [[StoreColumn]], isUnique: Bool) {
        for columns in groups where !lookups.contains(where: { $0.isOf(columns) }) {
            lookups.append(Lookup(columns: columns, isUnique: isUnique))
        }
    }

    func row(_ number: Int) -> StoreRow? { rows[number] }

    /// Whether a row with one of the keys of this one exists.
    func isTaken(_ row: StoreRow) -> Bool {
        lookups.contains { lookup in
            guard lookup.isUnique, let key = lookup.key(of: row) else { return false }
            return lookup.numbers[key] != nil
        }
    }

    /// Whether a row has these values in these columns, for which a lookup must exist.
    func has(_ key: [StoreValue], in columns: [StoreColumn]) -> Bool {
        lookups.first { $0.isOf(columns) }?.numbers[key] != nil
    }

    mutating func put(_ row: StoreRow, at number: Int) {
        rows[number] = row
        for index in lookups.indices {
            guard let key = lookups[index].key(of: row) else { continue }
            lookups[index].numbers[key, default: []].insert(number)
        }
    }

    mutating func take(_ number: Int) -> StoreRow? {
        guard let row = rows.removeValue(forKey: number) else { return nil }
        for index in lookups.indices {
            guard let key = lookups[index].key(of: row) else { continue }
            lookups[index].numbers[key]?.remove(number)
            if lookups[index].numbers[key]?.isEmpty == true { lookups[index].numbers[key] = nil }
        }
        return row
    }

    /// Returns the rows that meet the conditions, in the order in which they were written.
    func find(_ conditions: [StoreCondition]) -> [(number: Int, row: StoreRow)] {
        var found: [(number: Int, row: StoreRow)] = []
        for number in candidates(conditions) {
            guard let row = rows[number], conditions.allSatisfy({ $0.holds(for: row) }) else { continue }
            found.append((number, row))
        }
        found.sort { $0.number < $1.number }
        return found
    }

    /// Returns the numbers of possible rows: the fewest that a lookup finds, or all.
    private func candidates(_ conditions: [StoreCondition]) -> [Int] {
        var asked: [String: StoreValue] = [:]
        for condition in conditions {
            guard case .equal(let value) = condition.comparison else { continue }
            asked[condition.column.name] = value
        }
        var fewest: Set<Int>?
        for lookup in lookups {
            let key = lookup.columns.compactMap { asked[$0.name] }
            guard key.count == lookup.columns.count else { continue }
            let numbers = lookup.numbers[key] ?? []
            if numbers.count < fewest?.count ?? .max { fewest = numbers }
        }
        return Array(fewest ?? Set(rows.keys))
    }
}

extension StoreCondition {
    fileprivate func holds(for row: StoreRow) -> Bool {
        let value = row[column]
        let integer: Int64? = if case .integer(let integer) = value { integer } else { nil }
        return switch comparison {
        case .equal(let other): value != .null && value == other
        case .notEqual(let other): integer.map { $0 != other } ?? false
        case .less(let other): integer.map { $0 < other } ?? false
        case .atMost(let other): integer.map { $0 <= other } ?? false
        case .greater(let other): integer.map { $0 > other } ?? false
        case .atLeast(let other): integer.map { $0 >= other } ?? false
        case .null: value == .null
        case .notNull: value != .null
        }
    }
}
