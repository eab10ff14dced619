// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code that was sent to a phone as second factor, or to enrol it.
struct ChallengeRecord: StoredRecord {
    /// The SHA-256 of its token.
    var hash: [UInt8]
    /// Whose it is.
    var accountID: AccountID
    /// Which factor.
    var factorID: String
    /// The sign-in that it belongs to; nil for an enrolment.
    var pendingHash: [UInt8]? = nil
    /// The session that it belongs to, for an enrolment.
    var sessionID: SessionID? = nil
    /// What the key of this server makes of the code.
    var codeHash: [UInt8]
    /// How many more codes are looked at.
    var attemptsLeft: Int64
    /// When it was sent.
    var createdAt: StoreTime
    /// When it ends.
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

    static let table = StoreTable(
        "login_challenge",
        columns: [
            Column.hash,
            Column.accountID,
            Column.factorID,
            Column.pendingHash,
            Column.sessionID,
            Column.codeHash,
            Column.attemptsLeft,
            Column.createdAt,
            Column.expiresAt,
        ],
        primaryKey: [Column.hash],
        indexes: [[Column.accountID], [Column.factorID], [Column.expiresAt]],
        references: [
            StoreReference(columns: [Column.factorID], table: FactorRecord.table.name, target: [FactorRecord.Column.id])
        ]
    )
}

extension ChallengeRecord {
    init(_ row: StoreRow) throws(StoreError) {
        hash = try row.bytes(Column.hash)
        accountID = AccountID(rawValue: try row.text(Column.accountID))
        factorID = try row.text(Column.factorID)
        pendingHash = try row.bytesIfAny(Column.pendingHash)
        sessionID = try row.textIfAny(Column.sessionID).map { SessionID(rawValue: $0) }
        codeHash = try row.bytes(Column.codeHash)
        attemptsLeft = try row.integer(Column.attemptsLeft)
        createdAt = try row.time(Column.createdAt)
        expiresAt = try row.time(Column.expiresAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.hash] = .bytes(hash)
        row[Column.accountID] = .text(accountID.rawValue)
        row[Column.factorID] = .text(factorID)
        row[Column.pendingHash] = pendingHash.map { .bytes($0) } ?? .null
        row[Column.sessionID] = sessionID.map { .text($0.rawValue) } ?? .null
        row[Column.codeHash] = .bytes(codeHash)
        row[Column.attemptsLeft] = .integer(attemptsLeft)
        row[Column.createdAt] = createdAt.value
        row[Column.expiresAt] = expiresAt.value
        return row
    }
}

/// The codes that were sent to phones as second factors.
struct ChallengeTable {
    let rows: StoreRows

    private typealias Column = ChallengeRecord.Column

    /// Adds a code.
    func add(_ challenge: ChallengeRecord) throws(StoreError) { try rows.add(challenge) }

    /// Reads a code of an account, expired or not; nil if there is none.
    func find(_ hash: [UInt8], of account: AccountID) throws(StoreError) -> ChallengeRecord? {
        try rows.first(where: Column.hash.equals(hash), Column.accountID.equals(account.rawValue))
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

    /// Takes a code, which can be taken once.
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
        try rows.delete(ChallengeRecord.self, where: Column.accountID.equals(account.rawValue))
    }
}
