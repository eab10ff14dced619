// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
internal import Dispatch
internal import GRDB
public import LoginAccounts

/// Accounts in one SQLite file: for one machine, and any number of processes on it.
///
/// ```swift
/// let store = try SQLiteAccountStore(path: "/var/lib/app/accounts.sqlite")
/// try await store.migrate()
/// // … and when the server ends:
/// await store.shutdown()
/// ```
///
/// The file belongs to the user that the process runs as, and is open to nobody else; beside it SQLite keeps two more of the same
/// name with `-wal` and `-shm`, until the last process that has it open closes it. What was written is on the disk when a transaction
/// returns. One transaction runs at a time, so that a lock is never waited for in a circle; those who came first are waited for, and then
/// another process that writes, five seconds each at most, after which the transaction is `busy`. ``Auth`` tries one that is busy five
/// times, and no more once 15 seconds are over, so that a request waits for 25 seconds at most. Who only reads waits for nobody.
///
/// It is no place for a file system of the network, whose locks SQLite cannot rely on.
public final class SQLiteAccountStore: AccountStore {
    /// The type of the transactions.
    public typealias Transaction = SQLiteTransaction

    /// The path, absolute.
    public let path: String

    private let pool: DatabasePool
    private let users = StoreUsers()

    /// Opens the file, or makes it.
    ///
    /// - Parameter path: The path. The directory must exist; choose one that nobody else may write to.
    /// - Throws: ``StoreError``: `unavailable` if the file cannot be opened, belongs to another user, is open to others or
    ///   a link; `damaged` if it is no database; `schema` if the system's SQLite is older than 3.37.
    public init(path: String) throws(StoreError) {
        self.path = try SQLiteFile.prepared(path)
        do {
            pool = try DatabasePool(path: self.path, configuration: Self.configuration)
            try pool.writeWithoutTransaction { database in
                // A pool opens its writer with NORMAL, which can lose what was last written when the power fails.
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try Self.checkVersion(of: database)
            }
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Runs `body` as one, while nobody else writes.
    ///
    /// Nothing of it is lost or half-done when the task is cancelled: what has begun is finished.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        let end = ContinuousClock.now + Self.patience
        try users.enter()
        defer { users.leave() }
        return try await withCheckedThrowingContinuation { continuation in
            pool.asyncWriteWithoutTransaction { database in
                // Those before have waited for another process, each as long as it may: that does not add up.
                let isTooLate = ContinuousClock.now >= end
                continuation.resume(
                    with: isTooLate
                        ? .failure(StoreError(.busy, "SQLite: those before have waited for too long"))
                        : SQLiteTransaction.run(body, on: database)
                )
            }
        }
    }

    /// Runs `body` on the file as it is at one moment, while others write.
    ///
    /// Five may read at once, others wait for one of them. What is written meanwhile stays in the `-wal` until the last who began
    /// before has ended.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try users.enter()
        defer { users.leave() }
        return try await withCheckedThrowingContinuation { continuation in
            // A reader of the pool is in a deferred transaction, and its connection can do nothing but read.
            pool.asyncRead { database in
                continuation.resume(with: SQLiteTransaction.run(body, reading: database))
            }
        }
    }

    /// Makes the tables, or brings them to what this version needs.
    ///
    /// Another process that does the same is waited for.
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

    /// Closes the file, after the transactions that run have ended: what was in `-wal` is in the file then.
    ///
    /// Whoever asks for a transaction from now on gets `unavailable`. It may be called twice.
    public func shutdown() async {
        await users.end()
        await withCheckedContinuation { continuation in
            // It may wait, so it takes a thread that may.
            DispatchQueue.global().async { [pool] in
                // Who writes has to close the file last: who only reads cannot bring into it what is still in `-wal`. The first waits
                // until each reader is back in the pool.
                try? pool.barrierWriteWithoutTransaction { _ in }
                pool.invalidateReadOnlyConnections()
                // What cannot be closed now is closed when the process ends.
                try? pool.close()
                continuation.resume()
            }
        }
    }

    /// How long another process that writes is waited for, and those who came first.
    private static let patience = Duration.seconds(5)

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "limited-login accounts"
        configuration.busyMode = .timeout(Double(patience.components.seconds))
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            // A file that somebody else has made does not get to run functions from its schema.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            // What an account has deleted is gone from the file, not only from the tables.
            if !database.configuration.readonly { try database.execute(sql: "PRAGMA secure_delete = ON") }
        }
        return configuration
    }

    /// Tables that check their types came with 3.37.
    private static func checkVersion(of database: Database) throws {
        let version = try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? ""
        let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
        guard !numbers.lexicographicallyPrecedes([3, 37]) else {
            throw StoreError(.schema, "SQLite \(version) is too old: 3.37 or later is needed")
        }
    }
}

extension SQLiteAccountStore {
    /// Writes a copy of the accounts as they are at one moment, while others go on writing.
    ///
    /// A copy of the file alone, while it is in use, is none: part of what was written is in the `-wal` beside it.
    ///
    /// - Parameter path: Where to. Nothing may be there; the file is made, open to nobody else.
    /// - Throws: ``StoreError``
    public func backup(to path: String) async throws(StoreError) {
        let target = try SQLiteFile.new(path)
        do {
            try await onReader { database in
                let copy = try DatabaseQueue(path: target)
                try copy.writeWithoutTransaction { try database.backup(to: $0) }
                try copy.close()
            }
        } catch {
            SQLiteFile.remove(target)
            throw error
        }
    }

    /// Looks through the whole file for damage.
    ///
    /// - Returns: What is wrong, without any value of a row, at most 100 lines; empty if all is well.
    /// - Throws: ``StoreError`` if it cannot be read.
    public func integrityCheck() async throws(StoreError) -> [String] {
        try await onReader { database in
            var faults = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            for row in try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").prefix(100) {
                let (table, parent): (String?, String?) = (row["table"], row["parent"])
                faults.append("a row of \(table ?? "?") refers to one of \(parent ?? "?") that is not there")
            }
            return faults
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
