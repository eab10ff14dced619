// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A session.
struct SessionRecord: StoredRecord {
    /// The ID.
    var id: SessionID
    /// The ID of the account.
    var accountID: AccountID
    /// The ID of the identity with which the session was opened; nil for an anonymous account.
    var identityID: String? = nil
    /// The ID of the device.
    var familyID: String
    /// A ``SessionState``.
    var state: String
    /// The level: 1, or 2 after a second factor.
    var level: Int64
    /// The authentication methods, and when each was shown.
    var methods: [ProvenMethod]
    /// The time since which the session has its level.
    var levelAt: StoreTime
    /// The generation of its session token.
    var generation: Int64
    /// The SHA-256 of its session token.
    var tokenHash: [UInt8]
    /// The SHA-256 of the previous session token, if that is still accepted.
    var previousTokenHash: [UInt8]? = nil
    /// The rights of the previous token until the current one is shown; nil if it is accepted for a moment after a refresh, or not at all.
    var previousToken: PreviousToken? = nil
    /// The time at which its token was issued.
    var rotatedAt: StoreTime
    /// The expiry of its token; nil if the token lasts as long as the session.
    var tokenExpiresAt: StoreTime? = nil
    /// Whether its current token has ever been shown.
    var isUsed: Bool = false
    /// The session epoch of the account in which the session was opened.
    var epoch: Int64
    /// Whether a recovery code was the second factor.
    var isViaRecovery: Bool = false
    /// The time at which the session was opened.
    var createdAt: StoreTime
    /// The time of the last authentication, with the second factor if there was one.
    ///
    /// A step-up alone does not count.
    var authenticatedAt: StoreTime
    /// The time of the last use, to the minute.
    var lastSeenAt: StoreTime
    /// The time at which the session expires unless it is used.
    var idleExpiresAt: StoreTime
    /// The time at which the session expires in any case.
    var expiresAt: StoreTime
    /// The time at which the session was closed.
    var closedAt: StoreTime? = nil
    /// The reason for closing.
    var closeReason: String? = nil
    /// The name that the device gives itself.
    var device: String? = nil
    /// The network from which the session was opened.
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

    /// The account of the session.
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
