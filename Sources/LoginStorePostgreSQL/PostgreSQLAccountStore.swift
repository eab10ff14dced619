// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
public import LoginAccounts

/// An account store in PostgreSQL, for any number of servers.
///
/// ```swift
/// let store = try PostgreSQLAccountStore("postgresql://login@db.example.com/login?sslmode=verify-full")
/// try await store.migrate()
/// let auth = Auth(store: store, providers: providers, secrets: secrets)
/// // … and when the server ends:
/// await store.shutdown()
/// ```
///
/// The database is given by libpq's [connection string](https://www.postgresql.org/docs/current/libpq-connect.html), in
/// either of its forms. Missing parameters come from libpq's environment variables and from `~/.pgpass`, which is a
/// better place for a password than a string in a program. **Across a network, use `sslmode=verify-full`** (and
/// `sslrootcert=system`, or the path of your CA certificate): libpq's default accepts any certificate, or none at all.
/// If the string contains several hosts, add `target_session_attrs=read-write`, so that a promoted standby is found.
///
/// The tables are in one schema, `public` by default. Their names begin with `login_`, so that they can share it with
/// yours. The role needs to own them, and `USAGE` on the schema, without which every transaction is refused.
/// ``migrate()`` creates a missing schema if the role has the privilege. The encoding of the database must be UTF8.
/// Values in a key or an index may have some 2,600 bytes; other values have no limit of their own.
///
/// Each transaction is `READ COMMITTED` and waits until its commit is on disk, whatever the server's defaults. It holds
/// a connection while it runs. Connections are opened when they are needed, and discarded when they break. Failed
/// attempts are repeated after some milliseconds at first and then less often, so that a restarted server is found
/// without restarting this program. Do not put a proxy with transaction pooling between the store and the server,
/// because prepared statements and session settings belong to a connection.
public final class PostgreSQLAccountStore: AccountStore {
    /// The type of the transactions.
    public typealias Transaction = PostgreSQLTransaction

    private let pool: ConnectionPool
    private let schema: String

    /// Creates a store on a PostgreSQL database.
    ///
    /// It does not connect before the first transaction.
    ///
    /// - Parameters:
    ///   - connection: The libpq connection string: `postgresql://…`, or `host=… dbname=… user=…`. It may be empty if
    ///     environment variables contain all parameters.
    ///   - schema: The schema of the tables: 1 … 63 bytes, without NUL; not one of PostgreSQL's own.
    ///   - connections: The maximum number of concurrent transactions, each on its own connection: 1 … 100. The
    ///     server's `max_connections` must suffice for all your servers.
    ///   - timeouts: The timeouts.
    /// - Throws: ``StoreError``: `unavailable` if the connection string cannot be parsed; `schema` for a name that
    ///   PostgreSQL reserves (`pg_…`, `information_schema`). The error contains no part of the string.
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

    /// Runs `body` as one transaction, on a thread that may block.
    ///
    /// Its argument is a ``PostgreSQLTransaction``, which also gives access to your own tables. After a statement has
    /// failed, the transaction can only end: each further statement throws the same error, and nothing is written, even
    /// if `body` returns.
    ///
    /// A task that is cancelled while it waits for a connection stops waiting. A transaction that has begun runs to its
    /// end.
    ///
    /// - Parameter body: The operations of the transaction. The caller may run it again after `busy`.
    /// - Returns: The result of `body`, after the server has committed it to disk.
    /// - Throws: Rethrows errors of `body`; ``StoreError``: `busy` after a deadlock, or if a lock was not available in
    ///   time; `unavailable` without a server, a connection, or a response. If the response to the commit was lost, the
    ///   transaction may have been committed, and the error says so.
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.transaction { transaction in try body(transaction) }
    }

    /// Runs `body` on a snapshot of the tables: `REPEATABLE READ READ ONLY`.
    ///
    /// It waits for no row lock, and no transaction waits for it. A statement that writes is refused with `constraint`.
    /// While it runs, the server cannot reclaim deleted rows.
    ///
    /// - Parameter body: The operations that read.
    /// - Returns: The result of `body`.
    /// - Throws: Rethrows errors of `body`; ``StoreError``: the errors of ``transaction(_:)``.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.transaction(.read) { transaction in try body(transaction) }
    }

    /// Runs `body`, which reads with one statement, without a transaction: one round trip instead of three.
    ///
    /// A connection that has broken while it was idle is replaced, and `body` runs again.
    public func readOnce<Value: Sendable>(
        _ body: @escaping @Sendable (any StoreTransaction) throws -> Value
    ) async throws -> Value {
        try await pool.transaction(.statement) { transaction in try body(transaction) }
    }

    /// Creates the schema and the tables, or migrates them to this version.
    ///
    /// Several servers may call this at once: the first takes an advisory lock; the others wait, and find nothing to
    /// do.
    ///
    /// - Returns: The names of the migrations that were run; none if the tables were up to date.
    /// - Throws: ``StoreError``: `schema` if the role lacks a privilege, a table is not in the schema afterwards, or
    ///   the tables are of a newer version.
    @discardableResult
    public func migrate() async throws(StoreError) -> [String] {
        do {
            let schema = schema
            return try await pool.transaction(.migration) { transaction in
                try Migration(transaction, schema: schema).run()
            }
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.unavailable, "migrating threw \(type(of: error))")
        }
    }

    /// Checks that the tables of this version are there, with their columns and keys.
    ///
    /// - Throws: ``StoreError``: `schema` if they are not; `unavailable` if the server does not respond.
    public func check() async throws(StoreError) { try await checkMigrations(.postgreSQL) }

    /// Closes all connections after the running transactions have ended.
    ///
    /// Further transactions throw `unavailable`. Call it when your server ends, for example after the `run()` of its
    /// service group. It may be called twice.
    public func shutdown() async {
        await pool.shutdown()
    }
}

/// The timeouts of a ``PostgreSQLAccountStore``.
///
/// The server itself enforces those for locks, statements and idle transactions.
public struct PostgreSQLTimeouts: Sendable, Hashable {
    /// The timeout for a free connection if all are in use; then `unavailable`.
    ///
    /// The default is 5 seconds.
    public var freeConnection: Duration

    /// The timeout for connecting to the server; then `unavailable`.
    ///
    /// The default is 5 seconds.
    ///
    /// libpq uses whole seconds, at least two. A `connect_timeout` in the connection string takes precedence. The
    /// same timeout limits `BEGIN`, `ROLLBACK`, and a read of one statement without a transaction, on an open connection.
    public var connecting: Duration

    /// The timeout for a row or key that another transaction has locked; then `busy`.
    ///
    /// The default is 2 seconds.
    public var lock: Duration

    /// The timeout for a statement, including its waits for locks; then `unavailable`.
    ///
    /// The default is 10 seconds.
    ///
    /// If the server does not respond even five seconds after that, the connection is abandoned.
    public var statement: Duration

    /// The timeout for the next statement of a transaction, so that a stalled client does not hold locks; then
    /// `unavailable`.
    ///
    /// The default is 10 seconds.
    public var idleTransaction: Duration

    /// Creates timeouts, each from 1 ms to 1 h.
    ///
    /// - Parameters:
    ///   - freeConnection: The timeout for a free connection.
    ///   - connecting: The timeout for connecting to the server.
    ///   - lock: The timeout for a row or key that another transaction has locked.
    ///   - statement: The timeout for a statement.
    ///   - idleTransaction: The timeout for the next statement of a transaction.
    public init(
        freeConnection: Duration = .seconds(5),
        connecting: Duration = .seconds(5),
        lock: Duration = .seconds(2),
        statement: Duration = .seconds(10),
        idleTransaction: Duration = .seconds(10)
    ) {
        for timeout in [freeConnection, connecting, lock, statement, idleTransaction] {
            precondition(timeout >= .milliseconds(1) && timeout <= .seconds(3600), "a timeout is 1 ms … 1 h")
        }
        self.freeConnection = freeConnection
        self.connecting = connecting
        self.lock = lock
        self.statement = statement
        self.idleTransaction = idleTransaction
    }
}
#endif
