// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
public import LoginAccounts

/// Accounts in PostgreSQL, for any number of servers at once.
///
/// ```swift
/// let store = try PostgreSQLAccountStore("postgresql://login@db.example.com/login?sslmode=verify-full")
/// try await store.migrate()
/// let auth = Auth(store: store, providers: providers, secrets: secrets)
/// // … and when the server ends:
/// await store.shutdown()
/// ```
///
/// What says where the database is, is libpq's [connection string](https://www.postgresql.org/docs/current/libpq-connect.html), in
/// either of its forms; what is not in it comes from libpq's environment variables and from `~/.pgpass`, which is a better place for
/// a password than a string in a program. **Across a network, say `sslmode=verify-full`** (and `sslrootcert=system`, or where the
/// certificate of your authority is): libpq's own default takes any certificate, or none at all. With several hosts in it, add
/// `target_session_attrs=read-write`, and what was a standby yesterday is found again today.
///
/// The tables stand in one schema, `public` unless you name another, and their names begin with `login_`, so that they may stand
/// beside yours. The role needs no more than to own them; a schema that is not there is made by ``migrate()`` if the role may do that.
/// The database must be of the encoding UTF8. What stands in a key or an index may have some 2,600 bytes, everything else any number.
///
/// Each transaction is `READ COMMITTED` and waits for its commit to be on disk, whatever the server's defaults. Each holds a connection
/// for itself while it runs; connections are made when they are needed, thrown away when they break, and tried again, at first after
/// some milliseconds and then seldom, so that a server that was started anew is found without starting this program anew. Between
/// this and the server may stand no proxy that gives out connections by the transaction, since prepared statements and settings
/// belong to a connection.
public final class PostgreSQLAccountStore: AccountStore {
    /// The type of the transactions.
    public typealias Transaction = PostgreSQLTransaction

    private let pool: ConnectionPool
    private let schema: String

    /// Accounts in a PostgreSQL database.
    ///
    /// It is not asked for anything before the first transaction.
    ///
    /// - Parameters:
    ///   - connection: libpq's connection string: `postgresql://…`, or `host=… dbname=… user=…`. It may be empty, if the environment
    ///     says it all.
    ///   - schema: In which schema the tables are: 1 … 63 bytes, without NUL.
    ///   - connections: How many transactions run at once, each on a connection of its own: 1 … 100. The server's `max_connections`
    ///     must do for this many of every server of yours.
    ///   - timeouts: How long to wait, and for what.
    /// - Throws: ``StoreError``: `unavailable` where the connection string cannot be read; nothing of it is in the error.
    public init(
        _ connection: String,
        schema: String = "public",
        connections: Int = 8,
        timeouts: PostgreSQLTimeouts = PostgreSQLTimeouts()
    ) throws(StoreError) {
        precondition((1...100).contains(connections), "1 … 100 connections")
        precondition(
            (1...63).contains(schema.utf8.count) && !schema.utf8.contains(0),
            "a schema's name has 1 … 63 bytes"
        )
        let settings = ConnectionSettings(connection: connection, schema: schema, timeouts: timeouts)
        try settings.check()
        self.schema = schema
        pool = ConnectionPool(settings, size: connections)
    }

    /// Runs `body` as one transaction, on a thread that may wait.
    ///
    /// What it is given is a ``PostgreSQLTransaction`` too, for tables of yours. Once one of its statements has failed, the transaction
    /// can only end: each further one throws the same, and nothing is written, even if `body` returns.
    ///
    /// A task that is cancelled while it waits for a connection leaves; a transaction that has begun goes on to its end.
    ///
    /// - Parameter body: What to do. It may be run again after `busy`, by whoever called.
    /// - Returns: What `body` returned, once the server has it on disk.
    /// - Throws: What `body` throws, or ``StoreError``: `busy` after a deadlock, or when a lock was not to be had in time;
    ///   `unavailable` where there is no server, no connection, or no answer. If the answer to the commit itself was lost, it
    ///   may have been written, and the error says so.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.transaction { transaction in try body(transaction) }
    }

    /// Runs `body` on the tables as they were when it began: `REPEATABLE READ READ ONLY`.
    ///
    /// It waits for no row that another has changed, and nobody waits for it. A statement that would write is refused with
    /// `constraint`. What is read for long keeps the server from clearing away what was deleted meanwhile.
    ///
    /// - Parameter body: What to read.
    /// - Returns: What `body` returned.
    /// - Throws: What `body` throws, or ``StoreError``, as ``transaction(_:)``.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.transaction(isReading: true) { transaction in try body(transaction) }
    }

    /// Makes the schema and the tables, or brings them to what this version needs.
    ///
    /// Several servers may begin at once: the first takes an advisory lock, the others wait and find nothing to do.
    ///
    /// - Returns: The names of the steps that were taken; none where all was there.
    /// - Throws: ``StoreError``: `schema` where the role may not make what is missing, or the tables are of a newer version.
    @discardableResult
    public func migrate() async throws(StoreError) -> [String] {
        do {
            let schema = schema
            return try await pool.transaction { transaction in try Migration(transaction, schema: schema).run() }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.unavailable, "migrating threw \(type(of: error))")
        }
    }

    /// Ends all connections, after the transactions that run have ended.
    ///
    /// Who asks for a transaction from now on gets `unavailable`.
    ///
    /// Call it where your server ends, for example after the `run()` of its service group. It may be called twice.
    public func shutdown() async {
        await pool.shutdown()
    }
}

/// How long ``PostgreSQLAccountStore`` waits, and for what.
///
/// Locks, statements and idle transactions are ended by the server itself.
public struct PostgreSQLTimeouts: Sendable, Hashable {
    /// For a free connection, if all are in use; then `unavailable`.
    public var connection: Duration

    /// For the server to let us in; then `unavailable`.
    ///
    /// libpq counts in whole seconds, two at least. A `connect_timeout` in the connection
    /// string comes first.
    public var connecting: Duration

    /// For a row or key that another transaction holds; then `busy`.
    public var lock: Duration

    /// For a statement, its waiting for locks included; then `unavailable`.
    ///
    /// A server that does not even say that is waited for five seconds more, and the connection is given up.
    public var statement: Duration

    /// For the next statement of a transaction that has begun, so that a server that hangs cannot keep its rows from others; then
    /// `unavailable`.
    public var idle: Duration

    /// Timeouts, each from 1 ms to 1 h.
    ///
    /// - Parameters:
    ///   - connection: For a free connection.
    ///   - connecting: For the server to let us in.
    ///   - lock: For a row or key that another transaction holds.
    ///   - statement: For a statement.
    ///   - idle: For the next statement of a transaction.
    public init(
        connection: Duration = .seconds(5),
        connecting: Duration = .seconds(5),
        lock: Duration = .seconds(2),
        statement: Duration = .seconds(10),
        idle: Duration = .seconds(10)
    ) {
        for timeout in [connection, connecting, lock, statement, idle] {
            precondition(timeout >= .milliseconds(1) && timeout <= .seconds(3600), "a timeout is 1 ms … 1 h")
        }
        self.connection = connection
        self.connecting = connecting
        self.lock = lock
        self.statement = statement
        self.idle = idle
    }
}
#endif
