// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A device that stays signed in: the sessions that one refresh token leads to, one after the other.
struct SessionFamilyRecord: StoredRecord {
    /// What it is known by.
    var id: String
    /// Whose it is.
    var accountID: AccountID
    /// The session of today.
    var sessionID: SessionID
    /// The identity that it was opened with.
    var identityID: String? = nil
    /// How many times it was refreshed.
    var generation: Int64 = 0
    /// What its tokens are made of, together with a key that the store does not have.
    var seed: [UInt8]
    /// The SHA-256 of the refresh token of today.
    var refreshHash: [UInt8]
    /// The generation of the refresh token before: the last one that a client was seen to have, when that of today was made.
    var previousGeneration: Int64 = 0
    /// Whether that one is dead at once, since the session leads to more than it did.
    var isPreviousDead: Bool = false
    /// The epoch of the account that it is of.
    var epoch: Int64
    /// When it was last refreshed.
    var rotatedAt: StoreTime
    /// When it began.
    var createdAt: StoreTime
    /// When it ends.
    var expiresAt: StoreTime
    /// When it was revoked.
    var revokedAt: StoreTime? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let sessionID = StoreColumn.text("session_id")
        static let identityID = StoreColumn.text("identity_id").orNull
        static let generation = StoreColumn.integer("generation")
        static let seed = StoreColumn.bytes("seed")
        static let refreshHash = StoreColumn.bytes("refresh_hash")
        static let previousGeneration = StoreColumn.integer("previous_generation")
        static let isPreviousDead = StoreColumn.integer("is_previous_dead")
        static let epoch = StoreColumn.integer("epoch")
        static let rotatedAt = StoreColumn.integer("rotated_at")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let revokedAt = StoreColumn.integer("revoked_at").orNull
    }

    static let table = StoreTable(
        "login_session_family",
        columns: [
            Column.id,
            Column.accountID,
            Column.sessionID,
            Column.identityID,
            Column.generation,
            Column.seed,
            Column.refreshHash,
            Column.previousGeneration,
            Column.isPreviousDead,
            Column.epoch,
            Column.rotatedAt,
            Column.createdAt,
            Column.expiresAt,
            Column.revokedAt,
        ],
        primaryKey: [Column.id],
        indexes: [[Column.accountID], [Column.identityID], [Column.expiresAt]],
        references: [
            StoreReference(
                columns: [Column.accountID],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id]
            )
        ]
    )
}

extension SessionFamilyRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = try row.text(Column.id)
        accountID = AccountID(rawValue: try row.text(Column.accountID))
        sessionID = SessionID(rawValue: try row.text(Column.sessionID))
        identityID = try row.textIfAny(Column.identityID)
        generation = try row.integer(Column.generation)
        seed = try row.bytes(Column.seed)
        refreshHash = try row.bytes(Column.refreshHash)
        previousGeneration = try row.integer(Column.previousGeneration)
        isPreviousDead = try row.flag(Column.isPreviousDead)
        epoch = try row.integer(Column.epoch)
        rotatedAt = try row.time(Column.rotatedAt)
        createdAt = try row.time(Column.createdAt)
        expiresAt = try row.time(Column.expiresAt)
        revokedAt = try row.timeIfAny(Column.revokedAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id)
        row[Column.accountID] = .text(accountID.rawValue)
        row[Column.sessionID] = .text(sessionID.rawValue)
        row[Column.identityID] = identityID.map { .text($0) } ?? .null
        row[Column.generation] = .integer(generation)
        row[Column.seed] = .bytes(seed)
        row[Column.refreshHash] = .bytes(refreshHash)
        row[Column.previousGeneration] = .integer(previousGeneration)
        row[Column.isPreviousDead] = .integer(isPreviousDead ? 1 : 0)
        row[Column.epoch] = .integer(epoch)
        row[Column.rotatedAt] = rotatedAt.value
        row[Column.createdAt] = createdAt.value
        row[Column.expiresAt] = expiresAt.value
        row[Column.revokedAt] = revokedAt?.value ?? .null
        return row
    }
}
