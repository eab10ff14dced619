// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The application's part of the transactions of ``Auth``.
///
/// ```swift
/// let auth = Auth(
///     store: store,
///     providers: providers,
///     secrets: secrets,
///     hooks: AuthHooks(
///         onSignIn: { signIn, database in
///             guard signIn.isNewUser else { return }
///             try database.execute("INSERT INTO reader (id) VALUES ($1)", [.text(signIn.account.id.rawValue)])
///         },
///         onMerge: { merge, database in
///             let accounts: [StoreValue] = [.text(merge.source.rawValue), .text(merge.target.rawValue)]
///             try database.execute("UPDATE note SET owner = $2 WHERE owner = $1", accounts)
///         }
///     )
/// )
/// ```
///
/// The rows that a hook writes are committed with the operation, or not at all. A hook runs on a thread of the store,
/// while other transactions wait for the account: it only reads and writes rows. If it takes more than five seconds,
/// everything is rolled back. It runs again if the transaction conflicts with others, so it changes nothing else.
///
/// If a hook throws an error, everything is rolled back, and the operation throws ``AuthError`` with the reason
/// ``AuthError/Reason/application(_:)``, which contains the error. An ``AuthError`` is thrown unchanged. After a
/// ``StoreError`` with `busy`, the transaction runs again.
///
/// `Transaction` is the type of the store's transactions: see ``AccountStore/Transaction``. An application that runs
/// with SQLite and with PostgreSQL makes its hooks in a function that is generic over
/// `Transaction: SQLStoreTransaction`.
public struct AuthHooks<Transaction>: Sendable {
    /// Called when a user has signed in and the session is open, before the commit.
    ///
    /// It is called for every sign-in: with a known login, a new one, a password or a phone; for a new account, an
    /// anonymous one included; and after the second factor. It is not called for outcomes without a session, for links
    /// (``onLink``), or when a session continues.
    public var onSignIn: @Sendable (AuthDataResult, Transaction) throws -> Void

    /// Called when a login was linked to the account of an open session, before the commit.
    ///
    /// ``AuthDataResult/identity`` is the linked one; nil for a password or a phone. It is not called for a login that
    /// the account had already, for one that a sign-in added (``onSignIn``), or for those that a merge moves
    /// (``onMerge``).
    public var onLink: @Sendable (AuthDataResult, Transaction) throws -> Void

    /// Called when an account is about to be merged into another, before the accounts' own rows move.
    ///
    /// It moves the application's rows from one account to the other. It is not called for a merge that was done
    /// before.
    public var onMerge: @Sendable (AccountMerge, Transaction) throws -> Void

    /// Creates hooks.
    ///
    /// - Parameters:
    ///   - onSignIn: The application's part of a sign-in.
    ///   - onLink: The application's part of a link.
    ///   - onMerge: The application's part of a merge.
    public init(
        onSignIn: @escaping @Sendable (AuthDataResult, Transaction) throws -> Void = { _, _ in },
        onLink: @escaping @Sendable (AuthDataResult, Transaction) throws -> Void = { _, _ in },
        onMerge: @escaping @Sendable (AccountMerge, Transaction) throws -> Void = { _, _ in }
    ) {
        self.onSignIn = onSignIn
        self.onLink = onLink
        self.onMerge = onMerge
    }
}
