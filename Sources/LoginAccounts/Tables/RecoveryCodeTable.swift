// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A recovery code.
struct RecoveryCodeRecord: StoredRecord {
    /// The ID of the account.
    var accountID: AccountID
    /// The SHA-256 of the code.
    var hash: [UInt8]
    /// The ID of the batch in which the code was generated.
    var batch: String
    /// The time at which it was used.
    var usedAt: StoreTime? = nil
    /// The time at which it was generated.
    var createdAt: StoreTime

    enum Column {
        static let accountID = StoreColumn.text("account_id")
        static let hash = StoreColumn.bytes("hash")
        static let batch = StoreColumn.text("batch")
        static let usedAt = StoreColumn.integer("used_at").orNull
        static let createdAt = StoreColumn.integer("created_at")
    }

    static let schema = RecordSchema(
        "login_recovery_code",
        RecoveryCodeRecord.init,
        (Column.accountID, \.accountID),
        (Column.hash, \.hash),
        (Column.batch, \.batch),
        (Column.usedAt, \.usedAt),
        (Column.createdAt, \.createdAt),
        primaryKey: [Column.accountID, Column.hash],
        references: [
            StoreReference(
                columns: [Column.accountID],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id]
            )
        ]
    )
}

/// The recovery codes, as hashes.
struct RecoveryCodeTable {
    let rows: StoreRows

    private typealias Column = RecoveryCodeRecord.Column

    /// Returns the number of unused codes of an account.
    func remaining(of account: AccountID) throws(StoreError) -> Int {
        let codes: [RecoveryCodeRecord] = try rows.all(
            where: Column.accountID.equals(account),
            Column.usedAt.isNull
        )
        return codes.count
    }

    /// Adds a code.
    func add(_ code: RecoveryCodeRecord) throws(StoreError) { try rows.add(code) }

    /// Uses up a code.
    ///
    /// It can be used once.
    ///
    /// - Returns: Whether the account has such a code, and it was not used before.
    func use(_ hash: [UInt8], of account: AccountID, at now: StoreTime) throws(StoreError) -> Bool {
        let used: [RecoveryCodeRecord] = try rows.update(
            set: Column.usedAt.becomes(now),
            where: Column.accountID.equals(account),
            Column.hash.equals(hash),
            Column.usedAt.isNull
        )
        return !used.isEmpty
    }

    /// Moves the codes of an account to another.
    func move(from source: AccountID, to target: AccountID) throws(StoreError) {
        try rows.update(
            RecoveryCodeRecord.self,
            set: Column.accountID.becomes(target),
            where: Column.accountID.equals(source)
        )
    }

    /// Removes the codes of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(RecoveryCodeRecord.self, where: Column.accountID.equals(account))
    }
}
