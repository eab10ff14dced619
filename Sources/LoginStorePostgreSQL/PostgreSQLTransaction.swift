// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
public import LoginAccounts

/// A transaction of a ``PostgreSQLAccountStore``, also for the application's own tables.
///
/// ```swift
/// let hooks = AuthHooks<PostgreSQLTransaction>(onSignIn: { signIn, database in
///     try database.execute("INSERT INTO visit (account) VALUES ($1)", [.text(signIn.account.id.rawValue)])
/// })
/// ```
public final class PostgreSQLTransaction: SQLStoreTransaction {
    private let connection: Connection
    private let scope: Connection.Scope
    private var hasEnded = false

    /// The first error of a statement.
    ///
    /// PostgreSQL rolls back everything after it, so no later statement may appear to succeed.
    private(set) var failure: StoreError?

    /// Whether statements may take an hour.
    ///
    /// The server's timeout is raised separately.
    var isPatient = false

    init(_ connection: Connection, _ scope: Connection.Scope = .write) {
        (self.connection, self.scope) = (connection, scope)
    }

    /// Runs one statement.
    ///
    /// The server prepares it the first time.
    ///
    /// A text value takes the type of its place in the statement, like a literal: `$1::uuid`, or a column of any type.
    /// In the result, `smallint`, `integer` and `bigint` are integers, `boolean` is 1 or 0, `bytea` is bytes, and every
    /// other type is the text that PostgreSQL writes for it.
    ///
    /// - Parameters:
    ///   - statement: One statement, with the placeholders `$1`, `$2` … It must not begin or end a transaction, nor
    ///     change a setting beyond it (use `SET LOCAL`), because other transactions will use the connection. A
    ///     statement that takes five seconds longer than ``PostgreSQLTimeouts/statement`` is abandoned, whatever the
    ///     settings; a read of one statement without a transaction after ``PostgreSQLTimeouts/connecting``. Input is
    ///     never part of it.
    ///   - values: The values, 64 MiB at most in total. A text with NUL is refused with `constraint`, because
    ///     PostgreSQL does not support it.
    /// - Returns: The rows of the result. If two columns have the same name, the last one is used.
    /// - Throws: ``StoreError``, for this statement and every later one.
    @discardableResult
    public func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow] {
        guard !hasEnded || scope == .statement else { throw StoreError(.constraint, "the transaction has ended") }
        if let failure { throw failure }
        do throws(StoreError) {
            guard scope != .statement else { return try runAlone(statement, values) }
            let rows = try connection.run(
                statement,
                values,
                within: isPatient ? .seconds(3600) + Connection.cancellationMargin : nil
            )
            guard connection.isInTransaction else {
                // The response may have arrived just before the connection was lost.
                guard connection.isConnected else {
                    throw StoreError(.unavailable, "the connection to the server was lost")
                }
                throw StoreError(.constraint, "a statement has ended the transaction that it ran in")
            }
            return rows
        } catch {
            fail(error)
            throw error
        }
    }

    /// Runs a statement without a transaction.
    ///
    /// No transaction has begun that would show whether the connection still works, so the answer must be prompt.
    private func runAlone(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow] {
        guard !hasEnded else { throw StoreError(.constraint, "a second statement needs a transaction") }
        guard statement.hasPrefix("SELECT") else {
            throw StoreError(.constraint, "a read-only transaction cannot write")
        }
        hasEnded = true
        return try connection.run(statement, values, within: connection.promptTimeout)
    }

    /// Marks the transaction as failed: each further statement throws the error, and nothing is written.
    ///
    /// - Parameter error: The error. Only the first is kept.
    public func fail(_ error: StoreError) {
        if failure == nil { failure = error }
    }

    /// Refuses further statements.
    func end() {
        hasEnded = true
    }
}
#endif
