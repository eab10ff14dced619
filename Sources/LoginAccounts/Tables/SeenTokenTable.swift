// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// A token that was accepted, of a provider whose tokens carry no nonce.
struct SeenTokenRecord: StoredRecord {
    /// Whose token.
    var providerID: ProviderID
    /// The SHA-256 of its ID.
    var hash: [UInt8]
    /// When the token ends.
    var expiresAt: StoreTime

    enum Column {
        static let providerID = StoreColumn.text("provider_id")
        static let hash = StoreColumn.bytes("hash")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let table = StoreTable(
        "login_seen_token",
        columns: [
            Column.providerID,
            Column.hash,
            Column.expiresAt,
        ],
        primaryKey: [Column.providerID, Column.hash],
        indexes: [[Column.expiresAt]]
    )
}

extension SeenTokenRecord {
    init(_ row: StoreRow) throws(StoreError) {
        providerID = ProviderID(rawValue: try row.text(Column.providerID))
        hash = try row.bytes(Column.hash)
        expiresAt = try row.time(Column.expiresAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.providerID] = .text(providerID.rawValue)
        row[Column.hash] = .bytes(hash)
        row[Column.expiresAt] = expiresAt.value
        return row
    }
}

/// The tokens that were used and are accepted once.
struct SeenTokenTable {
    let rows: StoreRows

    /// Adds a token, unless it was used before.
    ///
    /// - Returns: Whether it was added.
    func insert(_ token: SeenTokenRecord) throws(StoreError) -> Bool { try rows.insert(token) }
}
