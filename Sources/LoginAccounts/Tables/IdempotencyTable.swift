// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The answer to a request that may come again.
struct IdempotencyRecord: StoredRecord {
    /// The SHA-256 of the key of the request, and of who sent it.
    var key: [UInt8]
    /// Whose it is.
    var accountID: AccountID
    /// The SHA-256 of what was asked.
    var requestHash: [UInt8]
    /// The answer, as JSON.
    var response: String
    /// When it is forgotten.
    var expiresAt: StoreTime

    enum Column {
        static let key = StoreColumn.bytes("key")
        static let accountID = StoreColumn.text("account_id")
        static let requestHash = StoreColumn.bytes("request_hash")
        static let response = StoreColumn.text("response")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_idempotency",
        IdempotencyRecord.init,
        (Column.key, \.key),
        (Column.accountID, \.accountID),
        (Column.requestHash, \.requestHash),
        (Column.response, \.response),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.key],
        indexes: [[Column.expiresAt]]
    )
}

/// The stored answers to requests that may be repeated.
struct IdempotencyTable {
    let rows: StoreRows

    private typealias Column = IdempotencyRecord.Column

    /// Adds an answer.
    func add(_ answer: IdempotencyRecord) throws(StoreError) { try rows.add(answer) }

    /// Reads an answer that has not expired; nil if there is none.
    func find(_ key: [UInt8], at now: StoreTime) throws(StoreError) -> IdempotencyRecord? {
        try rows.first(where: Column.key.equals(key), Column.expiresAt.isAfter(now))
    }

    /// Removes an answer if it has expired.
    func removeExpired(_ key: [UInt8], at now: StoreTime) throws(StoreError) {
        try rows.delete(
            IdempotencyRecord.self,
            where: Column.key.equals(key),
            Column.expiresAt.isAtMost(now.milliseconds)
        )
    }

    /// Removes the answers of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(IdempotencyRecord.self, where: Column.accountID.equals(account))
    }
}
