// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts

// Checks of a transaction's operations.
extension AccountStoreContract {
    private typealias Rows = ContractRows

    @Sendable static func checkKeys(_ run: ContractRun) async throws {
        let written = try await run.transaction { rows in
            [
                try rows.insert(Rows.budget("a", 1), into: Rows.budget),
                try rows.insert(Rows.budget("a", 2), into: Rows.budget),
                try rows.insert(Rows.budget("b", 3), into: Rows.budget),
            ]
        }
        run.expect(written == [true, false, true], "within a transaction, a second insertion of a key returns false")
        let again = try await run.transaction { try $0.insert(Rows.budget("a", 4), into: Rows.budget) }
        run.expect(!again, "an insertion of an existing key returns false")
        run.expect(
            try await counts(run) == ["a": 1, "b": 3],
            "an insertion of an existing key does not change its row"
        )
        let freed = try await run.transaction { rows in
            _ = try rows.delete(from: Rows.budget, where: [Rows.key.equals("a")])
            return try rows.insert(Rows.budget("a", 5), into: Rows.budget)
        }
        run.expect(freed, "a key can be inserted again after its row was removed")
        let unique = try await run.transaction { rows in
            _ = try rows.insert(Rows.account("A"), into: Rows.account)
            return [
                try rows.insert(Rows.identity("1", of: "A", singleKey: "p"), into: Rows.identity),
                try rows.insert(Rows.identity("2", of: "A", singleKey: "p"), into: Rows.identity),
                try rows.insert(Rows.identity("3", of: "A", singleKey: "q"), into: Rows.identity),
            ]
        }
        run.expect(unique == [true, false, true], "a unique constraint is enforced like a primary key")
    }

    @Sendable static func checkNullKeys(_ run: ContractRun) async throws {
        let written = try await run.transaction { rows in
            _ = try rows.insert(Rows.account("A"), into: Rows.account)
            return [
                try rows.insert(Rows.identity("1", of: "A"), into: Rows.identity),
                try rows.insert(Rows.identity("2", of: "A"), into: Rows.identity),
            ]
        }
        run.expect(written == [true, true], "rows with a null in a unique constraint never conflict")
    }

    @Sendable static func checkConditions(_ run: ContractRun) async throws {
        try await run.transaction { rows in
            for count: Int64 in 0..<5 { _ = try rows.insert(Rows.budget("\(count)", count), into: Rows.budget) }
            _ = try rows.insert(Rows.attempt([1], usedAt: 7), into: Rows.attempt)
            _ = try rows.insert(Rows.attempt([2], usedAt: nil), into: Rows.attempt)
        }
        let cases: [(String, [StoreCondition], Set<Int64>)] = [
            ("none", [], [0, 1, 2, 3, 4]),
            ("equal", [Rows.count.equals(2)], [2]),
            ("not equal", [Rows.count.differs(from: 2)], [0, 1, 3, 4]),
            ("less", [Rows.count.isLess(than: 2)], [0, 1]),
            ("at most", [Rows.count.isAtMost(2)], [0, 1, 2]),
            ("greater", [Rows.count.isGreater(than: 2)], [3, 4]),
            ("at least", [Rows.count.isAtLeast(2)], [2, 3, 4]),
            ("two", [Rows.count.isAtLeast(1), Rows.count.isLess(than: 3)], [1, 2]),
            ("of two columns", [Rows.key.equals("3"), Rows.count.equals(3)], [3]),
            ("that contradict", [Rows.key.equals("3"), Rows.count.equals(4)], []),
            ("a missing text", [Rows.key.equals("9")], []),
        ]
        for (name, conditions, expected) in cases {
            let found = try await run.transaction { rows in
                try rows.select(from: Rows.budget, where: conditions, order: nil, limit: nil).map {
                    integer($0[Rows.count])
                }
            }
            run.expect(
                Set(found) == expected && found.count == expected.count,
                "a query returns exactly the matching rows: \(name)"
            )
        }
        let nulls: [(String, StoreCondition, [UInt8]?)] = [
            ("null is null", Rows.usedAt.isNull, [2]), ("a value is not null", Rows.usedAt.isNotNull, [1]),
            ("null does not equal null", Rows.usedAt.equals(.null), nil),
            ("null does not differ from a number", Rows.usedAt.differs(from: 8), [1]),
            ("null is not less than a number", Rows.usedAt.isLess(than: 8), [1]),
            ("null is not greater than a number", Rows.usedAt.isGreater(than: 6), [1]),
        ]
        for (name, condition, expected) in nulls {
            let found = try await run.transaction { rows in
                try rows.select(from: Rows.attempt, where: [condition], order: nil, limit: nil).map { $0[Rows.hash] }
            }
            run.expect(found == (expected.map { [.bytes($0)] } ?? []), name)
        }
    }

    @Sendable static func checkOrder(_ run: ContractRun) async throws {
        let keys = ["b", "a", "Z", "é", "", "aa", "😀", "\u{FFFD}"]
        try await run.transaction { rows in
            for (index, key) in keys.enumerated() {
                _ = try rows.insert(Rows.budget(key, Int64(index % 2)), into: Rows.budget)
            }
            for (hash, usedAt) in [([3], 5), ([1], nil), ([2], -5)] as [([UInt8], Int64?)] {
                _ = try rows.insert(Rows.attempt(hash, usedAt: usedAt), into: Rows.attempt)
            }
        }
        func read(_ table: StoreTable, _ column: StoreColumn, _ order: StoreOrder, _ limit: Int? = nil) async throws
            -> [StoreValue]
        {
            try await run.transaction { rows in
                try rows.select(from: table, where: [], order: order, limit: limit).map { $0[column] }
            }
        }
        let sorted = keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { StoreValue.text($0) }
        let ascending = try await read(Rows.budget, Rows.key, .ascending(Rows.key))
        run.expect(ascending == sorted, "texts are ordered by their bytes")
        let descending = try await read(Rows.budget, Rows.key, .descending(Rows.key))
        run.expect(descending == sorted.reversed(), "descending order returns the greatest value first")
        for limit in [0, 1, 3, 100] {
            let first = try await read(Rows.budget, Rows.key, .ascending(Rows.key), limit)
            run.expect(first == Array(sorted.prefix(limit)), "a limit returns the first \(limit) rows")
        }
        let even = sorted.filter { value in
            keys.enumerated().contains { $0.offset % 2 == 0 && .text($0.element) == value }
        }
        let odd = sorted.filter { !even.contains($0) }
        let tied = try await read(Rows.budget, Rows.key, .descending(Rows.count, then: Rows.key))
        run.expect(tied == odd + even, "rows that are equal in the first column are ordered by the second, ascending")
        let nullsFirst = try await read(Rows.attempt, Rows.usedAt, .ascending(Rows.usedAt))
        run.expect(nullsFirst == [.null, .integer(-5), .integer(5)], "in ascending order, null comes first")
        let nullsLast = try await read(Rows.attempt, Rows.usedAt, .descending(Rows.usedAt))
        run.expect(
            nullsLast == [.integer(5), .integer(-5), .null],
            "in descending order, null comes last"
        )
        let bytes = try await read(Rows.attempt, Rows.hash, .ascending(Rows.hash))
        run.expect(bytes == [.bytes([1]), .bytes([2]), .bytes([3])], "bytes are ordered")
    }

    @Sendable static func checkFollowing(_ run: ContractRun) async throws {
        let reference = Rows.identity.references[0]
        /// Returns the IDs of the selected rows, each with the ID of the row it references.
        @Sendable func follow(_ rows: any StoreTransaction, _ conditions: [StoreCondition]) throws -> [[StoreValue]] {
            let found = try rows.select(from: Rows.identity, following: reference, where: conditions)
            for (table, row) in found.flatMap({ [(Rows.identity, $0.row), (Rows.account, $0.referenced)] }) {
                let isRow = table["id"].equals(row[table["id"]])
                let alone = try rows.select(from: table, where: [isRow], order: nil, limit: nil)
                run.expect(alone == [row], "a row has the same values in a join as in a simple query")
            }
            return found.map { [$0.row[Rows.identity["id"]], $0.referenced[Rows.account["id"]]] }
        }
        try await run.transaction { rows in
            for id in ["A", "B"] { _ = try rows.insert(Rows.account(id), into: Rows.account) }
            for (id, account) in [("1", "A"), ("2", "B"), ("3", "B"), ("4", "C")] {
                _ = try rows.insert(Rows.identity(id, of: account), into: Rows.identity)
            }
            let all = try Set(follow(rows, []))
            let expected: Set<[StoreValue]> = [
                [.text("1"), .text("A")], [.text("2"), .text("B")], [.text("3"), .text("B")],
            ]
            run.expect(all == expected, "a join returns each row with the row that it refers to, or without")
            _ = try rows.delete(from: Rows.identity, where: [Rows.identity["id"].equals("4")])
        }
        for isReading in [true, false] {
            let body: @Sendable (any StoreTransaction) throws -> [[[StoreValue]]] = { rows in
                [
                    try follow(rows, [Rows.identity["id"].equals("2")]),
                    try follow(rows, [Rows.identity["account_id"].equals("B"), Rows.identity["id"].equals("3")]),
                    try follow(rows, [Rows.identity["id"].equals("B")]),
                ]
            }
            let found = try await isReading ? run.store.read(body) : run.transaction(body)
            run.expect(
                found == [[[.text("2"), .text("B")]], [[.text("3"), .text("B")]], []],
                "conditions of a join apply to the referring rows"
            )
        }
        let alone = try await run.store.readOnce { rows in
            try rows.select(from: Rows.identity, following: reference, where: [Rows.identity["id"].equals("2")])
        }
        run.expect(alone.count == 1, "a statement without a transaction reads")
        let write: @Sendable () async throws -> Void = {
            _ = try await run.store.readOnce { rows in try rows.insert(Rows.account("C"), into: Rows.account) }
        }
        do {
            try await write()
            run.expect(false, "a statement without a transaction cannot write")
        } catch let error as StoreError {
            run.expect(error.code == .constraint, "a write without a transaction is refused with `constraint`")
        }
    }

    @Sendable static func checkUpdates(_ run: ContractRun) async throws {
        try await run.transaction { rows in
            for count: Int64 in 1...3 { _ = try rows.insert(Rows.budget("\(count)", count), into: Rows.budget) }
            _ = try rows.insert(Rows.attempt([1], usedAt: 1), into: Rows.attempt)
        }
        let changed = try await run.transaction { rows in
            try rows.update(Rows.budget, set: [Rows.count.grows(by: 10)], where: [Rows.count.isAtLeast(2)])
        }
        run.expect(
            Set(changed.map { integer($0[Rows.count]) }) == [12, 13],
            "an update returns the new values"
        )
        run.expect(changed.allSatisfy { $0[Rows.key] != .null }, "an update returns complete rows")
        run.expect(
            try await counts(run) == ["1": 1, "2": 12, "3": 13],
            "an update changes exactly the matching rows"
        )
        let none = try await run.transaction { rows in
            try rows.update(Rows.budget, set: [Rows.count.becomes(Int64(0))], where: [Rows.count.equals(2)])
        }
        run.expect(none.isEmpty, "an update without matching rows returns none")
        let cleared = try await run.transaction { rows in
            try rows.update(Rows.attempt, set: [Rows.usedAt.becomes(.null)], where: [Rows.usedAt.isNotNull])
                + rows.update(Rows.attempt, set: [Rows.usedAt.grows(by: 1)], where: [])
        }
        run.expect(
            cleared.map { $0[Rows.usedAt] } == [.null, .null],
            "a column can be set to null, and adding to null returns null"
        )
        await run.expectRefusal(.constraint, "an update to an existing key is refused") { rows in
            try rows.update(Rows.budget, set: [Rows.key.becomes("1")], where: [Rows.key.equals("2")])
        }
        await run.expectRefusal(.constraint, "an update without changes is refused") { rows in
            try rows.update(Rows.budget, set: [], where: [])
        }
    }

    @Sendable static func checkDeletes(_ run: ContractRun) async throws {
        try await run.transaction { rows in
            for count: Int64 in 1...3 { _ = try rows.insert(Rows.budget("\(count)", count), into: Rows.budget) }
        }
        let removed = try await run.transaction { rows in
            try rows.delete(from: Rows.budget, where: [Rows.count.isAtMost(2)])
        }
        run.expect(Set(removed.map { integer($0[Rows.count]) }) == [1, 2], "a deletion returns the values of the rows")
        run.expect(try await counts(run) == ["3": 3], "a deletion removes exactly the matching rows")
        let again = try await run.transaction { rows in
            try rows.delete(from: Rows.budget, where: [Rows.count.isAtMost(2)])
        }
        run.expect(again.isEmpty, "a second deletion removes nothing")
    }

    @Sendable static func checkReading(_ run: ContractRun) async throws {
        try await run.transaction { rows in
            for count: Int64 in 1...3 { _ = try rows.insert(Rows.budget("\(count)", count), into: Rows.budget) }
        }
        let read = try await run.store.read { rows in
            try rows.select(from: Rows.budget, where: [], order: .descending(Rows.key), limit: 2).map { $0[Rows.key] }
        }
        run.expect(read == [.text("3"), .text("2")], "a read-only transaction sees committed writes")
        let writes: [(String, @Sendable (any StoreTransaction) throws(StoreError) -> Void)] = [
            ("inserted", { rows throws(StoreError) in _ = try rows.insert(Rows.budget("new"), into: Rows.budget) }),
            (
                "changed",
                { rows throws(StoreError) in
                    _ = try rows.update(Rows.budget, set: [Rows.count.grows(by: 1)], where: [])
                }
            ),
            ("removed", { rows throws(StoreError) in _ = try rows.delete(from: Rows.budget, where: []) }),
        ]
        for (name, write) in writes {
            for isSwallowed in [false, true] {
                do {
                    try await run.store.read { rows in
                        do { try write(rows) } catch  where isSwallowed { return }
                    }
                    run.note("violated: a read-only transaction refuses a write that would have \(name)")
                } catch let error as StoreError {
                    run.expect(
                        error.code == .constraint,
                        "a write in a read-only transaction is refused with the code constraint"
                    )
                }
            }
        }
        run.expect(try await counts(run) == ["1": 1, "2": 2, "3": 3], "a read-only transaction changes nothing")
        let written = try await run.transaction { try $0.insert(Rows.budget("new"), into: Rows.budget) }
        run.expect(written, "a write transaction succeeds after a read-only one")
    }

    // MARK: - Helpers

    static func integer(_ value: StoreValue) -> Int64 {
        if case .integer(let integer) = value { integer } else { .min }
    }

    static func counts(_ run: ContractRun) async throws -> [String: Int64] {
        var counts: [String: Int64] = [:]
        for row in try await run.all(Rows.budget) {
            if case .text(let key) = row[Rows.key] { counts[key] = integer(row[Rows.count]) }
        }
        return counts
    }
}
