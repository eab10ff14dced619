// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A session.
struct SessionRecord: StoredRecord {
    /// What it is known by.
    var id: SessionID
    /// Whose it is.
    var accountID: AccountID
    /// The identity that it was opened with.
    var identityID: String? = nil
    /// The device.
    var familyID: String
    /// A ``SessionState``.
    var state: String
    /// 1, or 2 once a second factor was right.
    var level: Int64
    /// How the person was proven, and when.
    var methods: [ProvenMethod]
    /// Since when it has that level.
    var levelAt: StoreTime
    /// The generation of the device that its token is of.
    var generation: Int64
    /// The SHA-256 of its token.
    var tokenHash: [UInt8]
    /// The SHA-256 of the token before, where that is still good.
    var previousTokenHash: [UInt8]? = nil
    /// What the token before may do until the one of today is shown; nil where it is good for a moment after a refresh, or dead.
    var previousToken: PreviousToken? = nil
    /// When its token was made.
    var rotatedAt: StoreTime
    /// When its token has to be refreshed; nil where it lasts as long as the session.
    var tokenExpiresAt: StoreTime? = nil
    /// Whether its token, the one of today, was ever shown.
    var isUsed: Bool = false
    /// The epoch of the account that it was opened in.
    var epoch: Int64
    /// Whether a recovery code opened it.
    var isViaRecovery: Bool = false
    /// When it was opened.
    var createdAt: StoreTime
    /// When the person was last proven: with a second factor, when that was right too; a step-up alone does not count.
    var authenticatedAt: StoreTime
    /// When it was last used, to the minute.
    var lastSeenAt: StoreTime
    /// When it ends unless used.
    var idleExpiresAt: StoreTime
    /// When it ends.
    var expiresAt: StoreTime
    /// When it was closed.
    var closedAt: StoreTime? = nil
    /// Why.
    var closeReason: String? = nil
    /// What the device calls itself.
    var device: String? = nil
    /// From where, roughly.
    var addressPrefix: String? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let identityID = StoreColumn.text("identity_id").orNull
        static let familyID = StoreColumn.text("family_id")
        static let state = StoreColumn.text("state")
        static let level = StoreColumn.integer("level")
        static let methods = StoreColumn.text("methods")
        static let levelAt = StoreColumn.integer("level_at")
        static let generation = StoreColumn.integer("generation")
        static let tokenHash = StoreColumn.bytes("token_hash")
        static let previousTokenHash = StoreColumn.bytes("previous_token_hash").orNull
        static let previousToken = StoreColumn.text("previous_token").orNull
        static let rotatedAt = StoreColumn.integer("rotated_at")
        static let tokenExpiresAt = StoreColumn.integer("token_expires_at").orNull
        static let isUsed = StoreColumn.integer("is_used")
        static let epoch = StoreColumn.integer("epoch")
        static let isViaRecovery = StoreColumn.integer("is_via_recovery")
        static let createdAt = StoreColumn.integer("created_at")
        static let authenticatedAt = StoreColumn.integer("authenticated_at")
        static let lastSeenAt = StoreColumn.integer("last_seen_at")
        static let idleExpiresAt = StoreColumn.integer("idle_expires_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let closedAt = StoreColumn.integer("closed_at").orNull
        static let closeReason = StoreColumn.text("close_reason").orNull
        static let device = StoreColumn.text("device").orNull
        static let addressPrefix = StoreColumn.text("address_prefix").orNull
    }

    static let table = StoreTable(
        "login_session",
        columns: [
            Column.id,
            Column.accountID,
            Column.identityID,
            Column.familyID,
            Column.state,
            Column.level,
            Column.methods,
            Column.levelAt,
            Column.generation,
            Column.tokenHash,
            Column.previousTokenHash,
            Column.previousToken,
            Column.rotatedAt,
            Column.tokenExpiresAt,
            Column.isUsed,
            Column.epoch,
            Column.isViaRecovery,
            Column.createdAt,
            Column.authenticatedAt,
            Column.lastSeenAt,
            Column.idleExpiresAt,
            Column.expiresAt,
            Column.closedAt,
            Column.closeReason,
            Column.device,
            Column.addressPrefix,
        ],
        primaryKey: [Column.id],
        indexes: [
            [Column.accountID], [Column.identityID], [Column.familyID], [Column.expiresAt],
            [Column.closedAt, Column.idleExpiresAt],
        ],
        references: [
            account,
            StoreReference(
                columns: [Column.familyID],
                table: SessionFamilyRecord.table.name,
                target: [SessionFamilyRecord.Column.id]
            ),
        ]
    )

    /// The account that the session belongs to.
    static let account = StoreReference(
        columns: [Column.accountID],
        table: AccountRecord.table.name,
        target: [AccountRecord.Column.id]
    )
}

extension SessionRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = SessionID(rawValue: try row.text(Column.id))
        accountID = AccountID(rawValue: try row.text(Column.accountID))
        identityID = try row.textIfAny(Column.identityID)
        familyID = try row.text(Column.familyID)
        state = try row.text(Column.state)
        level = try row.integer(Column.level)
        methods = try [ProvenMethod](text: row.text(Column.methods))
        levelAt = try row.time(Column.levelAt)
        generation = try row.integer(Column.generation)
        tokenHash = try row.bytes(Column.tokenHash)
        previousTokenHash = try row.bytesIfAny(Column.previousTokenHash)
        previousToken = try row.textIfAny(Column.previousToken).map { text throws(StoreError) in
            try JSONText.decode(text)
        }
        rotatedAt = try row.time(Column.rotatedAt)
        tokenExpiresAt = try row.timeIfAny(Column.tokenExpiresAt)
        isUsed = try row.flag(Column.isUsed)
        epoch = try row.integer(Column.epoch)
        isViaRecovery = try row.flag(Column.isViaRecovery)
        createdAt = try row.time(Column.createdAt)
        authenticatedAt = try row.time(Column.authenticatedAt)
        lastSeenAt = try row.time(Column.lastSeenAt)
        idleExpiresAt = try row.time(Column.idleExpiresAt)
        expiresAt = try row.time(Column.expiresAt)
        closedAt = try row.timeIfAny(Column.closedAt)
        closeReason = try row.textIfAny(Column.closeReason)
        device = try row.textIfAny(Column.device)
        addressPrefix = try row.textIfAny(Column.addressPrefix)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id.rawValue)
        row[Column.accountID] = .text(accountID.rawValue)
        row[Column.identityID] = identityID.map { .text($0) } ?? .null
        row[Column.familyID] = .text(familyID)
        row[Column.state] = .text(state)
        row[Column.level] = .integer(level)
        row[Column.methods] = .text(methods.text)
        row[Column.levelAt] = levelAt.value
        row[Column.generation] = .integer(generation)
        row[Column.tokenHash] = .bytes(tokenHash)
        row[Column.previousTokenHash] = previousTokenHash.map { .bytes($0) } ?? .null
        row[Column.previousToken] = previousToken.map { .text($0.text) } ?? .null
        row[Column.rotatedAt] = rotatedAt.value
        row[Column.tokenExpiresAt] = tokenExpiresAt?.value ?? .null
        row[Column.isUsed] = .integer(isUsed ? 1 : 0)
        row[Column.epoch] = .integer(epoch)
        row[Column.isViaRecovery] = .integer(isViaRecovery ? 1 : 0)
        row[Column.createdAt] = createdAt.value
        row[Column.authenticatedAt] = authenticatedAt.value
        row[Column.lastSeenAt] = lastSeenAt.value
        row[Column.idleExpiresAt] = idleExpiresAt.value
        row[Column.expiresAt] = expiresAt.value
        row[Column.closedAt] = closedAt?.value ?? .null
        row[Column.closeReason] = closeReason.map { .text($0) } ?? .null
        row[Column.device] = device.map { .text($0) } ?? .null
        row[Column.addressPrefix] = addressPrefix.map { .text($0) } ?? .null
        return row
    }
}
