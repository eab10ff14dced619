// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
import GRDB
import LoginAccounts
import LoginTesting
import TestSupport
import Testing

@testable import LoginStoreSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct SQLiteAccountStoreTests {
    /// A temporary directory, removed when the test ends.
    final class Directory: Sendable {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.appendingPathComponent("sqlite-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var accounts: String { path + "/accounts" }
    }

    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private static func write(_ key: String, to store: SQLiteAccountStore) async throws {
        try await store.migrate()
        _ = try await store.transaction { rows in
            try rows.insert(StoreRows.budget(key), into: StoreSchema.table("login_budget"))
        }
    }

    private static func keys(of store: SQLiteAccountStore) async throws -> [StoreValue] {
        // A read-only connection, as most requests use: closing it does not write the log into the file.
        try await store.read { rows in
            try rows.select(from: StoreSchema.table("login_budget"), where: [], order: nil, limit: nil)
                .map { $0.values["key"] ?? .null }
        }
    }

    @Test(.rule("STORE-8")) func `a store that was shut down leaves one complete file`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        #expect(try await Self.keys(of: store) == [.text("a")])
        // Reads and writes in progress are completed.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask { _ = try? await Self.keys(of: store) }
                group.addTask { try? await Self.write("b\(number)", to: store) }
            }
            group.addTask { await store.shutdown() }
            group.addTask { await store.shutdown() }
            try await group.waitForAll()
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["accounts"])
        let copy = directory.path + "/copy"
        try FileManager.default.copyItem(atPath: directory.accounts, toPath: copy)
        #expect(try await Self.keys(of: SQLiteAccountStore(path: copy)).contains(.text("a")))
        let error = await #expect(throws: StoreError.self) { try await store.transaction { _ in } }
        #expect(error?.code == .unavailable && error?.detail.contains("shut down") == true)
        let reading = await #expect(throws: StoreError.self) { try await Self.keys(of: store) }
        #expect(reading?.code == .unavailable)
        await store.shutdown()
    }

    @Test(.rule("STORE-8"), arguments: ["-wal", "-shm"])
    func `a database with a -wal or -shm file that others can read is refused`(suffix: String) async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        let beside = directory.accounts + suffix
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: beside)
        let error = #expect(throws: StoreError.self) { try SQLiteAccountStore(path: directory.accounts) }
        #expect(error?.code == .unavailable && error?.detail.contains("\(suffix) is open to others") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: beside)
        #expect(try await Self.keys(of: SQLiteAccountStore(path: directory.accounts)) == [.text("a")])
    }

    @Test(.rule("STORE-8")) func `the database files are accessible only to their owner`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            #expect(try Self.mode(of: directory.path + "/" + name) == 0o600, "\(name)")
        }
    }

    @Test(.rule("STORE-8")) func `a backup and a check complete while every reader is busy`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        let latch = Latch()
        let (begins, began) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<SnapshotReaders.most {
                group.addTask {
                    try await store.read { _ in
                        began.yield()
                        return latch.wait()
                    }
                }
            }
            for await _ in begins.prefix(SnapshotReaders.most) {}
            async let faults = store.integrityCheck()
            try await store.backup(to: directory.path + "/copy")
            let found = try await faults
            #expect(found == [])
            for _ in 0..<SnapshotReaders.most { latch.open() }
            for try await wasOpened in group { #expect(wasOpened, "the backup waited for the readers") }
        }
    }

    @Test(.rule("STORE-8"), arguments: ["missing", "replaced", "emptied"])
    func `a file that is no longer in place takes no writes, and is not ready, while reads continue`(change: String)
        async throws
    {
        let directory = try Directory()
        let (here, there) = (
            try SQLiteAccountStore(path: directory.accounts), try SQLiteAccountStore(path: directory.accounts)
        )
        try await Self.write("a", to: here)
        for store in [here, there] { try await store.check() }
        let away = directory.path + "/away"
        try FileManager.default.moveItem(atPath: directory.accounts, toPath: away)
        if change != "missing" {
            let content = change == "replaced" ? try Data(contentsOf: URL(filePath: away)) : Data()
            try content.write(to: URL(filePath: directory.accounts))
        }
        for store in [here, there] {
            let write = await #expect(throws: StoreError.self) { try await Self.write("b", to: store) }
            let check = await #expect(throws: StoreError.self) { try await store.check() }
            #expect(write?.code == .unavailable && check == write && write?.detail.contains("restore it") == true)
            #expect(try await Self.keys(of: store) == [.text("a")])
        }
        if change != "missing" { try FileManager.default.removeItem(atPath: directory.accounts) }
        try FileManager.default.moveItem(atPath: away, toPath: directory.accounts)
        try await Self.write("b", to: there)
        try await here.check()
        #expect(try await Self.keys(of: here).count == 2)
        await here.shutdown()
        await there.shutdown()
    }

    @Test(.rule("STORE-8"), arguments: ["-wal", "-shm"], ["missing", "replaced"])
    func
        `a store whose -wal or -shm file is no longer in place takes no writes, and is not ready, while reads continue`(
            suffix: String,
            change: String
        ) async throws
    {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        try await store.check()
        let (file, away) = (directory.accounts + suffix, directory.path + "/away")
        try FileManager.default.moveItem(atPath: file, toPath: away)
        if change == "replaced" { try FileManager.default.copyItem(atPath: away, toPath: file) }
        let write = await #expect(throws: StoreError.self) { try await Self.write("b", to: store) }
        let check = await #expect(throws: StoreError.self) { try await store.check() }
        #expect(write?.code == .unavailable && check == write && write?.detail.contains("the \(suffix) file") == true)
        #expect(try await Self.keys(of: store) == [.text("a")])
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.moveItem(atPath: away, toPath: file)
        try await Self.write("b", to: store)
        try await store.check()
        await store.shutdown()
    }

    @Test(.rule("STORE-8")) func `a -wal file that another process has emptied is in place`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        let other = try DatabasePool(path: directory.accounts)
        try await other.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        try await Self.write("b", to: store)
        try await store.check()
        #expect(try await Self.keys(of: store).count == 2)
        try other.close()
        await store.shutdown()
    }

    @Test func `written rows are still there after the file is opened again`() async throws {
        let directory = try Directory()
        do { try await Self.write("a", to: SQLiteAccountStore(path: directory.accounts)) }
        #expect(try await Self.keys(of: SQLiteAccountStore(path: directory.accounts)) == [.text("a")])
    }

    @Test(.rule("STORE-8")) func `the connection is configured for durable writes, foreign keys and secure deletion`()
        async throws
    {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        let settings = try await store.transaction { rows in
            let rows = try #require(rows as? any SQLStoreTransaction)
            return try ["synchronous", "journal_mode", "foreign_keys", "secure_delete", "trusted_schema"].map { name in
                try rows.execute("PRAGMA \(name)", []).first?.values[name]
            }
        }
        #expect(settings == [.integer(2), .text("wal"), .integer(1), .integer(1), .integer(0)])
    }

    @Test(.rule("STORE-8"), arguments: [0o644, 0o640, 0o604, 0o660]) func `a file that others can access is refused`(
        mode: Int
    ) throws {
        let directory = try Directory()
        _ = FileManager.default.createFile(atPath: directory.accounts, contents: nil)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.accounts)
        let error = #expect(throws: StoreError.self) { try SQLiteAccountStore(path: directory.accounts) }
        #expect(error?.code == .unavailable)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.accounts)
        #expect(throws: Never.self) { try SQLiteAccountStore(path: directory.accounts) }
    }

    @Test(.rule("STORE-8")) func `a symbolic link, a directory and an invalid path are refused`() throws {
        let directory = try Directory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.accounts,
            withDestinationPath: directory.path + "/b"
        )
        for path in [directory.accounts, directory.path, "", "a\u{0}b", directory.path + "/none/accounts"] {
            let error = #expect(throws: StoreError.self) { try SQLiteAccountStore(path: path) }
            #expect(error?.code == .unavailable)
        }
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/b"))
    }

    @Test(.rule("STORE-8")) func `a file that is not a database is refused as damaged`() throws {
        let directory = try Directory()
        try Data(repeating: 0x61, count: 8192).write(to: URL(fileURLWithPath: directory.accounts))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.accounts)
        let error = #expect(throws: StoreError.self) { try SQLiteAccountStore(path: directory.accounts) }
        #expect(error?.code == .damaged)
    }

    @Test func `a backup is complete, does not contain later writes, and never replaces a file`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        let path = directory.path + "/copy"
        try await store.backup(to: path)
        try await Self.write("b", to: store)
        #expect(try Self.mode(of: path) == 0o600)
        let copy = try SQLiteAccountStore(path: path)
        #expect(try await Self.keys(of: copy) == [.text("a")])
        #expect(try await copy.integrityCheck() == [])
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: path) }
        #expect(error?.code == .unavailable)
        #expect(try await Self.keys(of: copy) == [.text("a")])
    }

    @Test func `a file without tables of accounts is not backed up, and leaves no copy`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        let path = directory.path + "/copy"
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: path) }
        #expect(error?.code == .schema && error?.detail.contains("no tables of accounts") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
        try await Self.write("a", to: store)
        try await store.backup(to: path)
        #expect(try await Self.keys(of: SQLiteAccountStore(path: path)) == [.text("a")])
    }

    @Test func `a file that lacks a table of its migrations is not backed up, and leaves no copy`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        _ = try await store.withTransaction { rows in try rows.execute("DROP TABLE login_outbox", []) }
        let path = directory.path + "/copy"
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: path) }
        #expect(error?.code == .schema && error?.detail.contains("login_outbox is missing") == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a file with a damaged page is not backed up, and leaves no copy`() async throws {
        let directory = try Directory()
        let first = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: first)
        await first.shutdown()
        let file = URL(fileURLWithPath: directory.accounts)
        let content = try Data(contentsOf: file)
        try (content.dropLast(4096) + Data(repeating: 0xFF, count: 4096)).write(to: file)
        let store = try SQLiteAccountStore(path: directory.accounts)
        let path = directory.path + "/copy"
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: path) }
        #expect(error?.code == .damaged)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `each fault of a damaged file is a fault of its own, in a backup and in the integrity check`()
        async throws
    {
        let directory = try Directory()
        let first = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: first)
        await first.shutdown()
        // Two pages that nothing uses; the number of pages is in the header.
        let file = URL(fileURLWithPath: directory.accounts)
        var content = try Data(contentsOf: file) + Data(count: 2 * 4096)
        let pages = content.count / 4096
        content.replaceSubrange(28..<32, with: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: pages >> $0) })
        try content.write(to: file)
        let store = try SQLiteAccountStore(path: directory.accounts)
        let error = await #expect(throws: StoreError.self) { try await store.backup(to: directory.path + "/copy") }
        for faults in [try #require(error).faults, try await store.integrityCheck()] {
            #expect(faults.count == 2 && faults.allSatisfy { $0.contains("never used") }, "\(faults)")
        }
    }

    @Test func `a file with a missing reference is backed up, and the backup names it`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        let path = directory.path + "/copy"
        #expect(try await store.backup(to: path) == [])
        try await Self.loseReference(in: directory.accounts)
        let faults = try await store.backup(to: path + "-later")
        #expect(faults == ["a row of login_email refers to a missing row of login_account"])
        #expect(FileManager.default.fileExists(atPath: path + "-later"))
    }

    /// Writes a row that refers to none.
    private static func loseReference(in path: String) async throws {
        let other = try DatabaseQueue(path: path)
        try await other.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF")
            try database.execute(sql: "INSERT INTO login_email (email, account_id) VALUES ('ada@example.com', 'none')")
        }
    }

    @Test func `the integrity check reports a missing reference`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("a", to: store)
        #expect(try await store.integrityCheck() == [])
        try await Self.loseReference(in: directory.accounts)
        let faults = try await store.integrityCheck()
        #expect(faults == ["a row of login_email refers to a missing row of login_account"])
    }

    @Test func `an application's own tables are part of the transaction`() async throws {
        struct Refused: Error {}
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await store.transaction { rows in
            let rows = try #require(rows as? SQLiteTransaction)
            try rows.database.execute(sql: "CREATE TABLE note (owner TEXT, text TEXT)")
            try rows.execute("INSERT INTO note VALUES ($2, $1)", [.text("of Ada, for $1"), .text("ada")])
        }
        await #expect(throws: Refused.self) {
            try await store.transaction { rows in
                try #require(rows as? SQLiteTransaction).database.execute(sql: "DELETE FROM note")
                throw Refused()
            }
        }
        let notes = try await store.transaction { rows in
            try #require(rows as? any SQLStoreTransaction).execute(
                "SELECT owner, text FROM note WHERE owner = $1",
                [.text("ada")]
            )
        }
        #expect(notes == [StoreRow(["owner": .text("ada"), "text": .text("of Ada, for $1")])])
    }

    @Test(arguments: [
        ("SELECT $1, $12", "SELECT ?1, ?12"),
        ("SELECT '$1', \"$2\", `$3`, [$4], $5", "SELECT '$1', \"$2\", `$3`, [$4], ?5"),
        ("SELECT 'it''s $1', $1", "SELECT 'it''s $1', ?1"), ("SELECT 1 -- $1\n, $1", "SELECT 1 -- $1\n, ?1"),
        ("SELECT 1 /* $1 */ + $1", "SELECT 1 /* $1 */ + ?1"), ("SELECT $a, $0", "SELECT $a, $0"),
        ("SELECT '$1", "SELECT '$1"),
        ("", ""), ("$", "$"), ("$1", "?1"), ("/*$1", "/*$1"), ("é$1", "é?1"),
    ])
    func `placeholders are converted, except in quotes and comments`(statement: String, expected: String) {
        #expect(SQLiteTransaction.numbered(statement) == expected)
    }

    @Test(.rule("STORE-9")) func `error messages contain no values`() async throws {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await Self.write("secret", to: store)
        let statements = [
            "INSERT INTO login_budget (key, count, ends_at) VALUES ($1, 1, 1)",
            "INSERT INTO login_budget (count) VALUES ($1)",
            "SELECT nonsense($1)", "SELECT $1 FROM none",
        ]
        for statement in statements {
            let error = await #expect(throws: StoreError.self) {
                try await store.transaction { rows in
                    try #require(rows as? any SQLStoreTransaction).execute(statement, [.text("secret")])
                }
            }
            #expect(error.map { !"\($0)".contains("secret") } == true)
            #expect([.constraint, .schema].contains(error?.code))
        }
    }

    @Test func `a write that waits too long for another process is a busy error, and a read does not wait`()
        async throws
    {
        let directory = try Directory()
        let store = try SQLiteAccountStore(path: directory.accounts)
        try await store.migrate()
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.accounts, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        let began = ContinuousClock.now
        let error = await #expect(throws: StoreError.self) { try await Self.write("a", to: store) }
        #expect(error?.code == .busy)
        #expect(ContinuousClock.now - began >= .seconds(4))
        // Readers do not wait.
        #expect(try await store.read { _ in true })
        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await Self.write("a", to: store)
    }
}
#endif
