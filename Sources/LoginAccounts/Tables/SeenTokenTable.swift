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

    static let schema = RecordSchema(
        "login_seen_token",
        SeenTokenRecord.init,
        (Column.providerID, \.providerID),
        (Column.hash, \.hash),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.providerID, Column.hash],
        indexes: [[Column.expiresAt]]
    )
}

/// The tokens that were used and are accepted once.
struct SeenTokenTable {
    let rows: StoreRows

    /// Adds a token, unless it was used before.
    ///
    /// - Returns: Whether it was added.
    func insert(_ token: SeenTokenRecord) throws(StoreError) -> Bool { try rows.insert(token) }
}
