// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A sign-in that is pending its second factor.
struct PendingSignInRecord: StoredRecord {
    /// The SHA-256 of the token.
    var hash: [UInt8]
    /// The ID of the account.
    var accountID: AccountID
    /// The sign-in, encrypted with a key that is derived from the token.
    var content: [UInt8]
    /// The number of attempts that are left.
    var attemptsLeft: Int64
    /// The time at which the first factor was verified.
    var createdAt: StoreTime
    /// The time at which the sign-in expires.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let accountID = StoreColumn.text("account_id")
        static let content = StoreColumn.bytes("content")
        static let attemptsLeft = StoreColumn.integer("attempts_left")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_pending_sign_in",
        PendingSignInRecord.init,
        (Column.hash, \.hash),
        (Column.accountID, \.accountID),
        (Column.content, \.content),
        (Column.attemptsLeft, \.attemptsLeft),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.hash],
        indexes: [[Column.accountID], [Column.expiresAt]],
        references: [
            StoreReference(
                columns: [Column.accountID],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id]
            )
        ]
    )
}

/// The sign-ins that are pending their second factor.
struct PendingSignInTable {
    let rows: StoreRows

    private typealias Column = PendingSignInRecord.Column

    /// Adds a sign-in.
    func add(_ signIn: PendingSignInRecord) throws(StoreError) { try rows.add(signIn) }

    /// Reads a sign-in that has not expired and has attempts left; nil if there is none.
    func usable(_ hash: [UInt8], at now: StoreTime) throws(StoreError) -> PendingSignInRecord? {
        try rows.first(
            where: Column.hash.equals(hash),
            Column.attemptsLeft.isGreater(than: 0),
            validAt: now
        )
    }

    /// Counts an attempt at the second factor of a sign-in.
    ///
    /// - Returns: The sign-in as it is now; nil if it was removed, or no attempts are left.
    func countAttempt(_ signIn: PendingSignInRecord) throws(StoreError) -> PendingSignInRecord? {
        try rows.change(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(signIn.hash),
            Column.attemptsLeft.isGreater(than: 0)
        )
    }

    /// Takes a sign-in.
    ///
    /// It can be taken once.
    ///
    /// - Returns: Whether it was taken.
    func take(_ signIn: PendingSignInRecord) throws(StoreError) -> Bool {
        try !rows.delete(PendingSignInRecord.self, where: Column.hash.equals(signIn.hash)).isEmpty
    }

    /// Removes the sign-ins of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(PendingSignInRecord.self, where: Column.accountID.equals(account))
    }
}
