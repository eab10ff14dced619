// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A DPoP proof that was used (RFC 9449 §11.1).
struct DPoPProofRecord: StoredRecord {
    /// The SHA-256 of the proof's key and ID.
    var hash: [UInt8]
    /// The time from which the proof is too old to be accepted.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_dpop_proof",
        DPoPProofRecord.init,
        (Column.hash, \.hash),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.hash],
        indexes: [[Column.expiresAt]]
    )
}

/// The used DPoP proofs.
struct DPoPProofTable {
    let rows: StoreRows

    /// Adds a proof, unless one with its key and ID was used.
    ///
    /// - Returns: Whether it was added.
    func insert(_ proof: DPoPProofRecord) throws(StoreError) -> Bool {
        try rows.insert(proof)
    }
}
