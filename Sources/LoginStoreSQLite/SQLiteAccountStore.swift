// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
internal import Dispatch
internal import GRDB
public import LoginAccounts

/// An account store in one SQLite file: for one machine, and any number of processes on it.
///
/// ```swift
/// let store = try SQLiteAccountStore(path: "/var/lib/app/accounts.sqlite")
/// try await store.migrate()
/// // … and when the server ends:
/// await store.shutdown()
/// ```
///
/// Only the user of the process has access to the file. SQLite keeps two further files with the suffixes `-wal` and
/// `-shm` beside it, until the last process closes it. A transaction is on disk when it returns.
///
/// One write transaction runs at a time, which excludes deadlocks. It waits at most five seconds for earlier
/// transactions of this process, and then at most five seconds for another process that writes; after that it throws
/// `busy`. ``Auth`` runs a busy transaction up to five times, but not again after 15 seconds, so that a request waits
/// for 25 seconds at most. Transactions that only read do not wait for writers.
///
/// If the file is moved, deleted, emptied or replaced while it is open, or its `-wal` or `-shm` file moved, deleted or
/// replaced, transactions that write throw `unavailable`, and ``check()`` does: their writes would be lost with the open
/// file, or damage what another process writes. Reads continue.
///
/// Do not use a network file system: SQLite cannot rely on its locks.
public final class SQLiteAccountStore: AccountStore {
    /// The type of the transactions.
    public typealias Transaction = SQLiteTransaction

    /// The absolute path.
    public let path: String

    private let pool: DatabasePool
    /// The file that is open.
    private let file: SQLiteFile.Identity?
    /// The files beside it that are open, which the pool has created.
    private let companions: [(suffix: String, identity: SQLiteFile.Identity)]
    private let readers: SnapshotReaders
    private let users = StoreUsers()

    /// Opens the file, or creates it.
    ///
    /// - Parameter path: The path. Its directory must exist, and should be writable only by the user of the process.
    /// - Throws: ``StoreError``: `unavailable` if the file cannot be opened, belongs to another user, is accessible to
    ///   others, or is a symbolic link; `damaged` if it is not a database; `schema` if the system's SQLite is older
    ///   than 3.37.
    public init(path: String) throws(StoreError) {
        self.path = try SQLiteFile.prepared(path)
        do {
            pool = try DatabasePool(path: self.path, configuration: Self.configuration)
            try pool.writeWithoutTransaction { database in
                // The pool opens its writer with NORMAL, which can lose the last transactions after a power failure.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try Self.checkVersion(of: database)
            }
        } catch {
            throw StoreError(sqlite: error)
        }
        let place = self.path
        file = SQLiteFile.Identity(ofFileAt: place)
        companions = SQLiteFile.companions.compactMap { suffix in
            SQLiteFile.Identity(of: suffix, besideFileAt: place).map { (suffix, $0) }
        }
        readers = SnapshotReaders(pool)
    }

    /// Runs `body` as one transaction, while no other writes.
    ///
    /// If the task is cancelled, a transaction that has begun runs to its end.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let end = ContinuousClock.now + Self.busyTimeout
        try users.enter()
        defer { users.leave() }
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                // Earlier transactions may have waited for another process, each up to its timeout. These waits must
                // not add up.
                guard ContinuousClock.now < end else {
                    let error = StoreError(.busy, "SQLite: timeout waiting for earlier transactions")
                    return continuation.resume(throwing: error)
                }
                let result = Result { try self.checkPlace() }
                continuation.resume(with: result.flatMap { SQLiteTransaction.run(body, on: database) })
            }
        }
    }

    /// Checks that the files at the path are the open ones, and that the tables of this version are there.
    public func check() async throws(StoreError) {
        let result: Result<Void, StoreError> = await withCheckedContinuation { continuation in
            // A file system that does not respond blocks, so this runs on a thread that may.
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(StoreError) in try self.checkPlace() })
            }
        }
        try result.get()
        try await checkMigrations(.sqlite)
    }

    private func checkPlace() throws(StoreError) {
        guard let file, SQLiteFile.Identity(ofFileAt: path) == file else {
            throw StoreError(
                .unavailable,
                "SQLite: the file was moved, deleted, emptied or replaced while it was open; restore it, and restart"
            )
        }
        for (suffix, identity) in companions
        where SQLiteFile.Identity(of: suffix, besideFileAt: path) != identity {
            throw StoreError(
                .unavailable,
                "SQLite: the \(suffix) file was moved, deleted or replaced while it was open; restart"
            )
        }
    }

    /// Runs `body` on a snapshot of the file, concurrently with writers.
    ///
    /// The number of concurrent reads is that of the processors, two at least and five at most; further reads wait.
    /// While a snapshot is read, later writes stay in the `-wal` file.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try users.enter()
        defer { users.leave() }
        return try await withCheckedThrowingContinuation { continuation in
            readers.run(.snapshot) { database in
                continuation.resume(with: SQLiteTransaction.run(body, reading: database))
            }
        }
    }

    /// Runs `body`, which reads with one statement, without a transaction.
    public func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try users.enter()
        defer { users.leave() }
        return try await withCheckedThrowingContinuation { continuation in
            readers.run(.statement) { database in
                continuation.resume(with: SQLiteTransaction.run(body, reading: database, isOnce: true))
            }
        }
    }

    /// Creates the tables, or migrates them to this version.
    ///
    /// It waits for another process that does the same.
    @discardableResult
    public func migrate() async throws(StoreError) -> [String] {
        do {
            return try await transaction { rows in
                guard let rows = rows as? SQLiteTransaction else { return [] }
                return try StoreMigration.migrate(rows, dialect: .sqlite)
            }
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Closes the file after the running transactions have ended.
    ///
    /// Afterwards the content of `-wal` is in the file.
    ///
    /// Further transactions throw `unavailable`. It may be called twice.
    public func shutdown() async {
        await users.end()
        await withCheckedContinuation { continuation in
            // This may block, so it runs on a thread that may.
            DispatchQueue.global().async { [pool] in
                // The writer must close the file last, because a reader cannot move the content of `-wal` into the
                // file. The barrier waits until each reader is back in the pool.
                try? pool.barrierWriteWithoutTransaction { _ in }
                pool.invalidateReadOnlyConnections()
                // A connection that cannot be closed now is closed when the process ends.
                try? pool.close()
                continuation.resume()
            }
        }
    }

    /// The timeout for earlier transactions, and for another process that writes.
    private static let busyTimeout = Duration.seconds(5)

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "limited-login accounts"
        configuration.busyMode = .timeout(Double(busyTimeout.components.seconds))
        configuration.foreignKeysEnabled = true
        // A backup and a check have connections of their own, so that reads and they do not wait for each other.
        configuration.maximumReaderCount = SnapshotReaders.most + 2
        configuration.prepareDatabase { database in
            // The schema of a file that another program has created must not run functions.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            // Deleted data is overwritten in the file, not only removed from the tables.
            if !database.configuration.readonly { try database.execute(sql: "PRAGMA secure_delete = ON") }
        }
        return configuration
    }

    /// Checks the version of SQLite: STRICT tables require 3.37.
    private static func checkVersion(of database: Database) throws {
        let version = try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? ""
        let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
        guard !numbers.lexicographicallyPrecedes([3, 37]) else {
            throw StoreError(.schema, "SQLite \(version) is too old: 3.37 or later is needed")
        }
    }
}

extension SQLiteAccountStore {
    /// Writes a copy of the accounts from one snapshot, concurrently with writers.
    ///
    /// Copying the file alone while it is in use is not sufficient, because a part of its content is in the `-wal`
    /// file.
    ///
    /// - Parameter path: The path of the copy. No file may exist there. The new file is accessible only to its owner.
    /// - Returns: The rows of the copy, as of the store, that refer to missing rows, without any value of a row.
    /// - Throws: ``StoreError``; `schema` if the file has no tables of accounts, or lacks one of them; `damaged` if the
    ///   copy is damaged, with each fault in ``StoreError/faults``. No copy is left after an error.
    @discardableResult
    public func backup(to path: String) async throws(StoreError) -> [String] {
        let target = try SQLiteFile.new(path)
        do {
            try await onReader { database in
                try Self.requireTables(in: database)
                let copy = try DatabaseQueue(path: target)
                try copy.writeWithoutTransaction { try database.backup(to: $0) }
                try copy.close()
            }
            return try await Self.checkCopy(target)
        } catch {
            SQLiteFile.remove(target)
            throw error
        }
    }

    /// Checks a copy, after the snapshot of the store has ended.
    private static func checkCopy(_ path: String) async throws(StoreError) -> [String] {
        do {
            let copy = try DatabaseQueue(path: path)
            let lost = try await copy.read { database in
                try requireTables(in: database)
                // Comparing each index with its table would take several times as long.
                let faults = try damage(in: database, by: "quick_check")
                guard faults.isEmpty else { throw StoreError(.damaged, faults: faults) }
                return try lostReferences(in: database)
            }
            try copy.close()
            return lost
        } catch {
            throw error as? StoreError ?? StoreError(sqlite: error)
        }
    }

    /// Requires the tables of the migrations that were run: a copy without them is no backup.
    private static func requireTables(in database: Database) throws {
        let check: Result<Void, any Error> = SQLiteTransaction.run(
            { rows in
                guard let rows = rows as? SQLiteTransaction else { return }
                try StoreMigration.checkRun(rows, dialect: .sqlite)
            },
            reading: .success(database)
        )
        try check.get()
    }

    /// Checks the whole file for damage.
    ///
    /// - Returns: The faults, without any value of a row; empty if there are none.
    /// - Throws: ``StoreError`` if the file cannot be read.
    public func integrityCheck() async throws(StoreError) -> [String] {
        try await onReader { database in
            try Self.damage(in: database, by: "integrity_check") + Self.lostReferences(in: database)
        }
    }

    private static func damage(in database: Database, by check: String) throws -> [String] {
        // A row has several lines: all faults in the pages of the file, below a heading.
        let lines = try String.fetchAll(database, sql: "PRAGMA \(check)(100)").flatMap { $0.split(separator: "\n") }
        return lines.filter { $0 != "ok" && !$0.hasPrefix("***") }.map { String($0) }
    }

    private static func lostReferences(in database: Database) throws -> [String] {
        try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").prefix(100).map { row in
            let (table, parent): (String?, String?) = (row["table"], row["parent"])
            return "a row of \(table ?? "?") refers to a missing row of \(parent ?? "?")"
        }
    }

    private func onReader<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value)
        async throws(StoreError)
        -> Value
    {
        try users.enter()
        defer { users.leave() }
        do {
            return try await withCheckedThrowingContinuation { continuation in
                pool.asyncRead { database in
                    continuation.resume(with: Result { try body(database.get()) })
                }
            }
        } catch {
            throw StoreError(sqlite: error)
        }
    }
}
#endif
