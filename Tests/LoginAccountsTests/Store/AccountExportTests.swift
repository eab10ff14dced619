// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import Synchronization
import TestSupport
import Testing

@testable import LoginAccounts

@Suite struct AccountExportTests {
    /// Adds two accounts with an identity and a session each, and values that are easily corrupted.
    private static func fill(_ store: any AccountStore) async throws {
        try await store.fill([
            ("login_account", StoreRows.account("A", ["display_name": .text("Ada \"\\\u{1}\n\u{7F} é e\u{301} 😀")])),
            (
                "login_account",
                StoreRows.account(
                    "B",
                    [
                        "created_at": .integer(StoreTime.range.upperBound),
                        "updated_at": .integer(StoreTime.range.lowerBound),
                    ]
                )
            ),
            ("login_identity", StoreRows.identity("1", of: "A")), ("login_identity_key", StoreRows.key(of: "1")),
            ("login_identity", StoreRows.identity("2", of: "B")), ("login_identity_key", StoreRows.key(of: "2")),
        ])
        try await store.fill(StoreRows.session("S", of: "A", ["token_hash": .bytes(Array(0...255))]))
        try await store.fill(StoreRows.session("T", of: "B", ["token_hash": .bytes([])]))
    }

    private static func export(_ store: any AccountStore) async throws -> [[UInt8]] {
        let lines = Lines()
        try await AccountExport.write(store) { lines.add($0) }
        return lines.all
    }

    private static func read(_ pieces: [[UInt8]], into store: any AccountStore, isDryRun: Bool = false) async throws
        -> [String: Int]
    {
        let lines = Lines(pieces)
        return try await AccountExport.read(into: store, isDryRun: isDryRun) { lines.next() }
    }

    private final class Lines: Sendable {
        private let lines: Mutex<[[UInt8]]>

        init(_ lines: [[UInt8]] = []) { self.lines = Mutex(lines) }

        var all: [[UInt8]] { lines.withLock { $0 } }
        func add(_ line: [UInt8]) { lines.withLock { $0.append(line) } }
        func next() -> [UInt8]? { lines.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    @Test(.rule("STORE-10"), arguments: StoreUnderTest.all, StoreUnderTest.all)
    func `an export of one store imports into another with identical rows, including sessions`(
        from: StoreUnderTest,
        to: StoreUnderTest
    ) async throws {
        let (old, new) = (try await from.make(), try await to.make())
        try await Self.fill(old)
        let lines = try await Self.export(old)
        let counts = try await Self.read(lines, into: new)
        #expect(counts["login_account"] == 2 && counts["login_session"] == 2 && counts["login_email"] == 0)
        #expect(try await Self.export(new) == lines)
        for table in StoreSchema.tables {
            let (first, second) = (try await Self.rows(of: table, in: old), try await Self.rows(of: table, in: new))
            #expect(first == second, "\(table.name)")
        }
    }

    private static func rows(of table: StoreTable, in store: any AccountStore) async throws -> Set<[StoreValue]> {
        try await store.transaction { rows in
            Set(
                try rows.select(from: table, where: [], order: nil, limit: nil).map { row in
                    table.columns.map { row[$0] }
                }
            )
        }
    }

    private static func isEmpty(_ store: any AccountStore) async throws -> Bool {
        for table in StoreSchema.tables where try await !rows(of: table, in: store).isEmpty { return false }
        return true
    }

    @Test(arguments: [1, 7, 4096, 1 << 20]) func `an export can be read in pieces of any size`(size: Int) async throws {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let bytes = Array(try await Self.export(old).joined())
        let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
        let new = InMemoryAccountStore()
        #expect(try await Self.read(pieces, into: new)["login_identity"] == 2)
    }

    @Test(.rule("STORE-11"), arguments: StoreUnderTest.all)
    func `a dry run checks everything and writes nothing`(kind: StoreUnderTest) async throws {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let lines = try await Self.export(old)
        let new = try await kind.make()
        #expect(try await Self.read(lines, into: new, isDryRun: true)["login_account"] == 2)
        #expect(try await Self.isEmpty(new))
        let torn = try Self.changed(lines, table: "login_account") { _ in [] }
        let error = await #expect(throws: StoreError.self) { try await Self.read(torn, into: new, isDryRun: true) }
        #expect(error?.code == .constraint)
    }

    @Test(.rule("STORE-11"), arguments: StoreUnderTest.all)
    func `rows with a missing reference are refused, and nothing is written`(kind: StoreUnderTest) async throws {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let torn = try Self.changed(try await Self.export(old), table: "login_account") { _ in [] }
        let new = try await kind.make()
        let error = await #expect(throws: StoreError.self) { try await Self.read(torn, into: new) }
        #expect(error?.code == .constraint)
        #expect(try await Self.isEmpty(new))
    }

    @Test(.rule("STORE-11")) func `an import into a store that is not empty is refused`() async throws {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let lines = try await Self.export(old)
        let error = await #expect(throws: StoreError.self) { try await Self.read(lines, into: old) }
        #expect(error?.code == .constraint)
    }

    @Test(.rule("STORE-11")) func `a truncated export is refused, and nothing is written`() async throws {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let lines = try await Self.export(old)
        let bytes = Array(lines.joined())
        for count in 0..<lines.count { try await Self.expectDamage(Array(lines.prefix(count))) }
        for count in stride(from: 0, to: bytes.count, by: 61) {
            try await Self.expectDamage([Array(bytes.prefix(count))])
        }
    }

    @Test(.rule("STORE-11")) func `an export with one changed byte is refused, and nothing is written`()
        async throws
    {
        let old = InMemoryAccountStore()
        try await Self.fill(old)
        let bytes = Array(try await Self.export(old).joined())
        for index in stride(from: 0, to: bytes.count, by: 13) {
            for change: UInt8 in [0x01, 0x20, 0x80] {
                var changed = bytes
                changed[index] ^= change
                try await Self.expectDamage([changed], codes: [.damaged, .schema])
            }
        }
    }

    @Test(.rule("STORE-11", "STORE-16")) func `malformed lines and values are refused`() async throws {
        let old = InMemoryAccountStore()
        let lines = try await Self.export(old)
        let text = { (line: String) in Array((line + "\n").utf8) }
        let long = [UInt8](repeating: 0x61, count: AccountExport.lineBytes + 1)
        let hostile: [[[UInt8]]] = [
            [long], [[0x5B], long, long], Array(repeating: text("[]"), count: 10), [text("{}")], [text("null")],
            [text("")],
            [text("[" + String(repeating: "[", count: 100_000))], lines + [text("{}")], lines + lines,
            [lines[0], lines[1], text("[1]")] + lines.dropFirst(2),
        ]
        for pieces in hostile { try await Self.expectDamage(pieces) }
        // Each kind of value in place of another, with a valid checksum.
        let columns = StoreSchema.table("login_budget").columns.map(\.kind)
        let good = columns.map { if case .integer = $0 { "1" } else { "\"a\"" } }
        for index in good.indices {
            for value in ["null", "true", "1.5", "99999999999999999999", "{}", "\"\\u0000\"", "\"!\"", "[]"] {
                if value == "\"!\"", case .text = columns[index] { continue }
                var row = good
                row[index] = value
                let line = text("[" + row.joined(separator: ",") + "]")
                let pieces = try Self.changed(lines, table: "login_budget") { _ in [line] }
                try await Self.expectDamage(pieces, codes: [.damaged, .constraint])
            }
        }
        // Times outside the supported years.
        for time in [StoreTime.range.upperBound + 1, StoreTime.range.lowerBound - 1, .max, .min] {
            let line = text("[" + (good.dropLast() + ["\(time)"]).joined(separator: ",") + "]")
            try await Self.expectDamage(Self.changed(lines, table: "login_budget") { _ in [line] })
        }
        let line = text("[" + good.joined(separator: ",") + "]")
        try await Self.expectDamage(Self.changed(lines, table: "login_budget") { _ in [line, line] })
        let store = InMemoryAccountStore()
        #expect(
            try await Self.read(Self.changed(lines, table: "login_budget") { _ in [line] }, into: store)["login_budget"]
                == 1
        )
    }

    @Test(.rule("STORE-11")) func `an export with other tables, or of another version, is a schema error`() async throws
    {
        var lines = try await Self.export(InMemoryAccountStore())
        let head = String(decoding: lines[0], as: UTF8.self)
        for other in [
            head.replacing("\"version\":1", with: "\"version\":2"), head.replacing("0001-", with: "9999-"),
            head.replacing("[\"0001", with: "[\"0000\",\"0001"),
        ] {
            lines[0] = Array(other.utf8)
            try await Self.expectDamage(lines, codes: [.schema])
        }
    }

    @Test func `errors of the source and of the sink are rethrown`() async throws {
        struct Torn: Error {}
        let store = InMemoryAccountStore()
        await #expect(throws: Torn.self) { try await AccountExport.write(store) { _ in throw Torn() } }
        await #expect(throws: Torn.self) { try await AccountExport.read(into: store) { throw Torn() } }
    }

    private static func expectDamage(_ pieces: [[UInt8]], codes: Set<StoreError.Code> = [.damaged]) async throws {
        let store = InMemoryAccountStore()
        let error = await #expect(throws: StoreError.self) { try await read(pieces, into: store) }
        #expect(error.map { codes.contains($0.code) } == true, "\(error.map(\.description) ?? "")")
        #expect(try await isEmpty(store))
    }

    /// Returns the lines with other rows of one table, and a valid checksum.
    private static func changed(_ lines: [[UInt8]], table: String, rows change: ([[UInt8]]) -> [[UInt8]]) throws
        -> [[UInt8]]
    {
        let begin = try #require(lines.firstIndex { $0.starts(with: Array("{\"table\":\"\(table)\"".utf8)) })
        let end = try #require(lines.firstIndex { $0.starts(with: Array("{\"end\":\"\(table)\"".utf8)) })
        let rows = change(Array(lines[(begin + 1)..<end]))
        var digest = ExportDigest()
        for line in [lines[begin]] + rows { digest.add(line) }
        let last = ExportLine.end(of: StoreSchema.table(table), rows: rows.count, digest: digest.bytes)
        return Array(lines[...begin]) + rows + [last] + Array(lines[(end + 1)...])
    }
}
