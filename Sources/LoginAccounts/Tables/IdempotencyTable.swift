// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The stored response to a request with an idempotency key.
struct IdempotencyRecord: StoredRecord {
    /// The SHA-256 of the account and of the client's key.
    var key: [UInt8]
    /// The ID of the account.
    var accountID: AccountID
    /// The HMAC of the request.
    var requestHash: [UInt8]
    /// The response, as JSON.
    var response: String
    /// The time at which the response expires.
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
        indexes: [[Column.accountID], [Column.expiresAt]]
    )
}

/// The stored responses to requests that may be repeated.
struct IdempotencyTable {
    let rows: StoreRows

    private typealias Column = IdempotencyRecord.Column

    /// Adds a response.
    func add(_ answer: IdempotencyRecord) throws(StoreError) { try rows.add(answer) }

    /// Reads a response that has not expired; nil if there is none.
    func find(_ key: [UInt8], at now: StoreTime) throws(StoreError) -> IdempotencyRecord? {
        try rows.first(
            where: Column.key.equals(key),
            Column.expiresAt.isAfter(now),
            Column.expiresAt.isAtMost(latest(now))
        )
    }

    /// Deletes a response if it has expired, or was stored in the future by a server whose clock was ahead.
    func removeExpired(_ key: [UInt8], at now: StoreTime) throws(StoreError) {
        for isOver in [
            Column.expiresAt.isAtMost(now.milliseconds), Column.expiresAt.isGreater(than: latest(now)),
        ] { try rows.delete(IdempotencyRecord.self, where: Column.key.equals(key), isOver) }
    }

    /// The latest possible expiry of a response.
    private func latest(_ now: StoreTime) -> Int64 {
        (StoreTime.latestCreation(now) + RepeatableRequests.lifetime).milliseconds
    }

    /// Deletes the responses of an account that expire first, so that there is room for another one.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - maximum: The maximum number of responses with the other one.
    /// - Throws: ``StoreError``
    func makeRoom(of account: AccountID, maximum: Int) throws(StoreError) {
        // There may be more from the time before there was a maximum: they expire within a day.
        let first = try first(of: account, limit: maximum)
        if first.count >= maximum, let oldest = first.first { try remove(oldest) }
    }

    /// Deletes some responses of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - limit: The number of responses.
    /// - Returns: The number of responses that were deleted, at most the limit.
    /// - Throws: ``StoreError``
    func removeSome(of account: AccountID, limit: Int) throws(StoreError) -> Int {
        let some = try first(of: account, limit: limit)
        for response in some { try remove(response) }
        return some.count
    }

    private func first(of account: AccountID, limit: Int) throws(StoreError) -> [IdempotencyRecord] {
        guard limit > 0 else { return [] }
        return try rows.all(
            where: Column.accountID.equals(account),
            order: .ascending(Column.expiresAt, then: Column.key),
            limit: limit
        )
    }

    private func remove(_ response: IdempotencyRecord) throws(StoreError) {
        try rows.delete(IdempotencyRecord.self, where: Column.key.equals(response.key))
    }
}
