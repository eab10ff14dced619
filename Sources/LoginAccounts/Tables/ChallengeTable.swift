// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code that was sent to a phone, as a second factor or to enroll it.
struct ChallengeRecord: ExpiringRecord {
    /// The SHA-256 of the token.
    var hash: [UInt8]
    /// The ID of the account.
    var accountID: AccountID
    /// The ID of the factor.
    var factorID: String
    /// The hash of the pending sign-in that the code is for; nil for a session.
    var pendingHash: [UInt8]? = nil
    /// The session that the code is for: to step up or to enroll; nil for a sign-in.
    var sessionID: SessionID? = nil
    /// The HMAC of the code.
    var codeHash: [UInt8]
    /// The number of guesses that are left.
    var attemptsLeft: Int64
    /// The time at which the code was sent.
    var createdAt: StoreTime
    /// The time at which the code expires.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let accountID = StoreColumn.text("account_id")
        static let factorID = StoreColumn.text("factor_id")
        static let pendingHash = StoreColumn.bytes("pending_hash").orNull
        static let sessionID = StoreColumn.text("session_id").orNull
        static let codeHash = StoreColumn.bytes("code_hash")
        static let attemptsLeft = StoreColumn.integer("attempts_left")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_challenge",
        ChallengeRecord.init,
        (Column.hash, \.hash),
        (Column.accountID, \.accountID),
        (Column.factorID, \.factorID),
        (Column.pendingHash, \.pendingHash),
        (Column.sessionID, \.sessionID),
        (Column.codeHash, \.codeHash),
        (Column.attemptsLeft, \.attemptsLeft),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.hash],
        indexes: [[Column.accountID], [Column.factorID], [Column.pendingHash], [Column.expiresAt]],
        references: [
            StoreReference(columns: [Column.factorID], table: FactorRecord.table.name, target: [FactorRecord.Column.id])
        ]
    )
}

/// The codes that were sent to phones as second factors.
struct ChallengeTable {
    let rows: StoreRows

    private typealias Column = ChallengeRecord.Column

    /// Adds a code.
    func add(_ challenge: ChallengeRecord) throws(StoreError) { try rows.add(challenge) }

    /// Reads a code of an account, expired or not; nil if there is none.
    func find(_ hash: [UInt8], of account: AccountID) throws(StoreError) -> ChallengeRecord? {
        try rows.first(where: Column.hash.equals(hash), Column.accountID.equals(account))
    }

    /// Counts a guess at a code.
    ///
    /// - Returns: Whether there was one left.
    func countGuess(_ hash: [UInt8]) throws(StoreError) -> Bool {
        let counted: [ChallengeRecord] = try rows.update(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(hash),
            Column.attemptsLeft.isGreater(than: 0)
        )
        return !counted.isEmpty
    }

    /// Takes a code.
    ///
    /// It can be taken once.
    ///
    /// - Returns: Whether it was taken.
    func take(_ hash: [UInt8]) throws(StoreError) -> Bool {
        try !rows.delete(ChallengeRecord.self, where: Column.hash.equals(hash)).isEmpty
    }

    /// Removes the codes of a sign-in.
    func removeAll(of signIn: PendingSignInRecord) throws(StoreError) {
        try rows.delete(ChallengeRecord.self, where: Column.pendingHash.equals(signIn.hash))
    }

    /// Removes the codes of a factor.
    func removeAll(of factor: FactorRecord) throws(StoreError) {
        try rows.delete(ChallengeRecord.self, where: Column.factorID.equals(factor.id))
    }

    /// Removes the codes of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(ChallengeRecord.self, where: Column.accountID.equals(account))
    }
}
