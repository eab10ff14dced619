// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginAccounts

// Checks that values are returned unchanged, and that invalid values are refused.
extension AccountStoreContract {
    private typealias Rows = ContractRows

    /// Texts that some databases treat as equal, or modify.
    private static let texts = [
        "", " ", "a", "A", "a ", " a", "\u{E9}", "e\u{301}", "ß", "ss", "SS", "ﬁ", "fi", "İ", "i", "ı", "😀",
        "\u{FEFF}a", "a\u{200D}",
        "'", "\"", "\\", "\\x00", "%", "_", "$1", "?1", ";--", "\n", "\r\n", "\t", "\u{1}", "\u{7F}", "null", "0", "00",
        "1e0", "1",
        "\u{10FFFF}", "\u{D7FF}",
    ]

    @Sendable static func checkTexts(_ run: ContractRun) async throws {
        let large = String(repeating: "é", count: 1_000)
        let all = texts + [large]
        let written = try await run.transaction { rows in
            var written = 0
            for (index, text) in all.enumerated()
            where try rows.insert(Rows.budget(text, Int64(index)), into: Rows.budget) {
                written += 1
            }
            return written
        }
        run.expect(written == all.count, "texts that differ in a byte are different keys")
        for (index, text) in all.enumerated() {
            let found = try await run.transaction { rows in
                try rows.select(from: Rows.budget, where: [Rows.key.equals(text)], order: nil, limit: nil)
            }
            run.expect(
                found.map { $0[Rows.count] } == [.integer(Int64(index))] && found.first?[Rows.key] == .text(text),
                "text \(index) is found by its bytes, and is returned unchanged"
            )
        }
        await run.expectRefusal(.constraint, "a text with a NUL is refused") { rows in
            try rows.insert(Rows.budget("a\u{0}b"), into: Rows.budget)
        }
        await run.expectRefusal(.constraint, "a change to a text with a NUL is refused") { rows in
            try rows.update(Rows.budget, set: [Rows.key.becomes("a\u{0}b")], where: [Rows.key.equals("a")])
        }
        let cut = try await run.transaction { rows in
            try rows.select(from: Rows.budget, where: [Rows.key.equals("a\u{0}b")], order: nil, limit: nil)
        }
        run.expect(cut.isEmpty, "a text with a NUL does not match its prefix before the NUL")
    }

    @Sendable static func checkBytes(_ run: ContractRun) async throws {
        // The maximum length of a key: a page of a PostgreSQL index must hold three.
        let all: [[UInt8]] = [
            [], [0], [0, 0], Array("a".utf8), [0xFF, 0xFE], Array(0...255), [UInt8](repeating: 0x5C, count: 2_000),
        ]
        try await run.transaction { rows in
            for bytes in all { _ = try rows.insert(Rows.attempt(bytes), into: Rows.attempt) }
        }
        for bytes in all {
            let found = try await run.transaction { rows in
                try rows.select(from: Rows.attempt, where: [Rows.hash.equals(bytes)], order: nil, limit: nil)
            }
            run.expect(found.map { $0[Rows.hash] } == [.bytes(bytes)], "\(bytes.count) bytes come back as they were")
        }
    }

    /// Checks large values outside keys, because every database limits the size of keys.
    @Sendable static func checkLargeValues(_ run: ContractRun) async throws {
        let table = StoreSchema.table("login_idempotency")
        let text = StoreValue.text(String(repeating: "é\u{1}", count: 300_000))
        let bytes = StoreValue.bytes(Array(repeating: Array(0...255), count: 4096).flatMap { $0 })
        let found = try await run.transaction { rows in
            _ = try rows.insert(Rows.row(of: table, ["request_hash": bytes, "response": text]), into: table)
            return try rows.select(from: table, where: [], order: nil, limit: nil)
        }
        run.expect(found.map { $0[table["response"]] } == [text], "a text of a million bytes is returned unchanged")
        run.expect(found.map { $0[table["request_hash"]] } == [bytes], "a million bytes are returned unchanged")
    }

    @Sendable static func checkIntegers(_ run: ContractRun) async throws {
        let all: [Int64] = [.min, .min + 1, -(1 << 53) - 1, -1, 0, 1, 1 << 31, 1 << 32, (1 << 53) + 1, .max - 1, .max]
        try await run.transaction { rows in
            for (index, number) in all.enumerated() {
                _ = try rows.insert(Rows.attempt([UInt8(index)], usedAt: number), into: Rows.attempt)
            }
        }
        for (index, number) in all.enumerated() {
            let found = try await run.transaction { rows in
                try rows.select(from: Rows.attempt, where: [Rows.usedAt.equals(number)], order: nil, limit: nil)
            }
            run.expect(
                found.map { $0[Rows.hash] } == [.bytes([UInt8(index)])]
                    && found.first?[Rows.usedAt] == .integer(number),
                "the number \(number) is found, and is returned unchanged"
            )
        }
        await run.expectRefusal(.constraint, "an overflow of a number is refused") { rows in
            try rows.update(Rows.attempt, set: [Rows.usedAt.grows(by: 1)], where: [Rows.usedAt.equals(Int64.max)])
        }
    }

    @Sendable static func checkKinds(_ run: ContractRun) async throws {
        let wrong: [(String, StoreRow)] = [
            ("a text for a number", Rows.row(of: Rows.budget, ["count": .text("1")])),
            ("bytes for a text", Rows.row(of: Rows.budget, ["key": .bytes([97])])),
            ("a number for a text", Rows.row(of: Rows.budget, ["key": .integer(1)])),
            ("null for a required value", Rows.row(of: Rows.budget, ["key": .null])),
            ("a row without a required value", StoreRow(["key": .text("a")])),
            (
                "an unknown column",
                StoreRow(Rows.budget("a").values.merging(["other": .integer(1)]) { first, _ in first })
            ),
        ]
        for (name, row) in wrong {
            await run.expectRefusal(.constraint, "\(name) is refused") { try $0.insert(row, into: Rows.budget) }
        }
        _ = try await run.transaction { try $0.insert(Rows.budget("a"), into: Rows.budget) }
        await run.expectRefusal(.constraint, "setting a required column to null is refused") { rows in
            try rows.update(Rows.budget, set: [Rows.count.becomes(.null)], where: [])
        }
        await run.expectRefusal(.constraint, "an update to a value of another type is refused") { rows in
            try rows.update(Rows.budget, set: [Rows.count.becomes("1")], where: [])
        }
        await run.expectRefusal(.constraint, "a condition on an unknown column is refused") { rows in
            try rows.select(from: Rows.budget, where: [Rows.hash.isNull], order: nil, limit: nil)
        }
    }

    @Sendable static func checkReferences(_ run: ContractRun) async throws {
        await run.expectRefusal(.constraint, "a row that refers to a missing row is refused") { rows in
            try rows.insert(Rows.identity("1", of: "A"), into: Rows.identity)
        }
        try await run.transaction { rows in
            _ = try rows.insert(Rows.identity("1", of: "A"), into: Rows.identity)
            _ = try rows.insert(Rows.account("A"), into: Rows.account)
        }
        run.expect(try await run.all(Rows.identity).count == 1, "references are checked at the end of the transaction")
        await run.expectRefusal(.constraint, "the deletion of a row with references is refused") { rows in
            try rows.delete(from: Rows.account, where: [])
        }
        let (id, state) = (Rows.account["id"], Rows.account["state"])
        await run.expectRefusal(.constraint, "the update of a key with references is refused") { rows in
            try rows.update(Rows.account, set: [state.becomes("deleted")], where: [id.equals("A")])
        }
        await run.expectRefusal(.constraint, "changing a reference to a row that does not exist is refused") { rows in
            try rows.update(Rows.identity, set: [Rows.identity["account_id"].becomes("B")], where: [])
        }
        try await run.transaction { rows in
            _ = try rows.delete(from: Rows.account, where: [])
            _ = try rows.delete(from: Rows.identity, where: [])
        }
        run.expect(try await run.all(Rows.account).isEmpty, "rows that refer to each other can be deleted in any order")
    }

    @Sendable static func checkMigration(_ run: ContractRun) async throws {
        _ = try await run.transaction { try $0.insert(Rows.budget("a", 1), into: Rows.budget) }
        let steps = try await run.atOnce(4) { _ in try await run.store.migrate() }
        run.expect(steps.allSatisfy(\.isEmpty), "a second migration has no steps")
        run.expect(try await counts(run) == ["a": 1], "a second migration keeps all rows")
    }
}
