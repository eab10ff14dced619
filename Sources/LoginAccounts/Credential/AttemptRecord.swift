// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// An attempt that has begun: only who has its secret can end it, and once.
struct AttemptRecord: StoredRecord {
    /// The SHA-256 of its secret.
    var hash: [UInt8]
    /// What it is for.
    var purpose: String
    /// Whose token ends it.
    var providerID: ProviderID
    /// The session that it began in.
    var sessionID: SessionID? = nil
    /// When it began.
    var createdAt: StoreTime
    /// When it ends by itself.
    var expiresAt: StoreTime
    /// When it was used.
    var usedAt: StoreTime? = nil

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let purpose = StoreColumn.text("purpose")
        static let providerID = StoreColumn.text("provider_id")
        static let sessionID = StoreColumn.text("session_id").orNull
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let usedAt = StoreColumn.integer("used_at").orNull
    }

    static let table = StoreTable(
        "login_attempt",
        columns: [
            Column.hash,
            Column.purpose,
            Column.providerID,
            Column.sessionID,
            Column.createdAt,
            Column.expiresAt,
            Column.usedAt,
        ],
        primaryKey: [Column.hash],
        indexes: [[Column.expiresAt]]
    )
}

extension AttemptRecord {
    init(_ row: StoreRow) throws(StoreError) {
        hash = try row.bytes(Column.hash)
        purpose = try row.text(Column.purpose)
        providerID = ProviderID(rawValue: try row.text(Column.providerID))
        sessionID = try row.textIfAny(Column.sessionID).map { SessionID(rawValue: $0) }
        createdAt = try row.time(Column.createdAt)
        expiresAt = try row.time(Column.expiresAt)
        usedAt = try row.timeIfAny(Column.usedAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.hash] = .bytes(hash)
        row[Column.purpose] = .text(purpose)
        row[Column.providerID] = .text(providerID.rawValue)
        row[Column.sessionID] = sessionID.map { .text($0.rawValue) } ?? .null
        row[Column.createdAt] = createdAt.value
        row[Column.expiresAt] = expiresAt.value
        row[Column.usedAt] = usedAt?.value ?? .null
        return row
    }
}
