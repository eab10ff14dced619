// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The replay mark of a token without a nonce, or of a recorded replay.
struct SeenTokenRecord: StoredRecord {
    /// The identity provider.
    var providerID: ProviderID
    /// The SHA-256 of the ID token's payload or of the access token; for a recorded replay, of that hash.
    var hash: [UInt8]
    /// The time at which the mark expires: with the token or the attempt.
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

/// The replay marks of tokens that are accepted once.
struct SeenTokenTable {
    let rows: StoreRows

    /// Adds a mark, unless it exists.
    ///
    /// - Returns: Whether it was added.
    func insert(_ token: SeenTokenRecord) throws(StoreError) -> Bool { try rows.insert(token) }
}
