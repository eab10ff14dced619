// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
public import LoginAccounts

/// A transaction of ``PostgreSQLAccountStore``, for what an application keeps beside its accounts.
///
/// ```swift
/// let hooks = AuthHooks<PostgreSQLTransaction>(onSignIn: { signIn, database in
///     try database.execute("INSERT INTO visit (account) VALUES ($1)", [.text(signIn.account.id.rawValue)])
/// })
/// ```
public final class PostgreSQLTransaction: SQLStoreTransaction {
    private let connection: Connection
    private var hasEnded = false

    /// The first fault of a statement.
    ///
    /// PostgreSQL takes back everything after one, so nothing that comes later may look as if it had been done.
    private(set) var failure: StoreError?

    /// Whether statements may take an hour, as the server was told for this transaction.
    var isPatient = false

    init(_ connection: Connection) {
        self.connection = connection
    }

    /// Runs one statement, which is prepared the first time.
    ///
    /// A value that is a text takes the type that the statement has a place for, as a literal does: `$1::uuid`, or a column of any
    /// type. Of what is returned, `smallint`, `integer` and `bigint` are integers, `boolean` is 1 or 0, `bytea` is bytes, and
    /// everything else the text that PostgreSQL writes for it.
    ///
    /// - Parameters:
    ///   - statement: One statement, with `$1`, `$2` … where values go; not one that begins or ends a transaction, nor one that changes
    ///     a setting for longer than it (`SET LOCAL` is right), since others will use the connection; a statement that takes five
    ///     seconds longer than ``PostgreSQLTimeouts/statement`` is given up whatever the settings say. What comes from outside is
    ///     never part of it.
    ///   - values: The values, 64 MiB at most in all. A text with NUL in it is refused with `constraint`: PostgreSQL has none.
    /// - Returns: The rows that it returns. Of two columns of one name the last counts.
    /// - Throws: ``StoreError``, the first time and from then on.
    @discardableResult
    public func execute(_ statement: String, _ values: [StoreValue]) throws(StoreError) -> [StoreRow] {
        guard !hasEnded else { throw StoreError(.constraint, "the transaction has ended") }
        if let failure { throw failure }
        do throws(StoreError) {
            let rows = try connection.run(
                statement,
                values,
                within: isPatient ? .seconds(3600) + Connection.margin : nil
            )
            guard connection.isInTransaction else {
                // The answer may have come just before the server left.
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

    /// Takes note of what has failed: from now on each statement throws it, and nothing is written.
    ///
    /// - Parameter error: Why. The first counts.
    public func fail(_ error: StoreError) {
        if failure == nil { failure = error }
    }

    /// From now on nothing more can be asked.
    func end() {
        hasEnded = true
    }
}
#endif
