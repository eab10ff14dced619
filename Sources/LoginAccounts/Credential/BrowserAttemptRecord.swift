// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A login that is under way in a browser: only who has its state and its cookie can finish it, and once.
struct BrowserAttemptRecord: StoredRecord {
    /// The SHA-256 of its state.
    var hash: [UInt8]
    /// What the end of the login needs, sealed with a key that only the state gives; empty once it was used.
    var sealed: [UInt8]
    /// What it is for, and in which session.
    var purpose: String
    /// The SHA-256 of the browser's secret.
    var binding: [UInt8]
    /// When it began.
    var createdAt: StoreTime
    /// When it ends by itself.
    var expiresAt: StoreTime
    /// When it was used.
    var usedAt: StoreTime? = nil

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let sealed = StoreColumn.bytes("sealed")
        static let purpose = StoreColumn.text("purpose")
        static let binding = StoreColumn.bytes("binding")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let usedAt = StoreColumn.integer("used_at").orNull
    }

    static let table = StoreTable(
        "login_browser_attempt",
        columns: [
            Column.hash,
            Column.sealed,
            Column.purpose,
            Column.binding,
            Column.createdAt,
            Column.expiresAt,
            Column.usedAt,
        ],
        primaryKey: [Column.hash],
        indexes: [[Column.expiresAt]]
    )
}

extension BrowserAttemptRecord {
    init(_ row: StoreRow) throws(StoreError) {
        hash = try row.bytes(Column.hash)
        sealed = try row.bytes(Column.sealed)
        purpose = try row.text(Column.purpose)
        binding = try row.bytes(Column.binding)
        createdAt = try row.time(Column.createdAt)
        expiresAt = try row.time(Column.expiresAt)
        usedAt = try row.timeIfAny(Column.usedAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.hash] = .bytes(hash)
        row[Column.sealed] = .bytes(sealed)
        row[Column.purpose] = .text(purpose)
        row[Column.binding] = .bytes(binding)
        row[Column.createdAt] = createdAt.value
        row[Column.expiresAt] = expiresAt.value
        row[Column.usedAt] = usedAt?.value ?? .null
        return row
    }
}
