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

    private typealias Column = DPoPProofRecord.Column

    /// Adds a proof, unless one with its key and ID was used and has not expired.
    ///
    /// Times are rounded down to the millisecond, so a row has expired only after the millisecond of its expiry:
    /// otherwise a proof could be used again in a fraction of it. If a sweep deletes the expired row between the two
    /// statements, the proof counts as used, and the client makes a new one.
    ///
    /// - Returns: Whether it was added.
    func insert(_ proof: DPoPProofRecord, at now: StoreTime) throws(StoreError) -> Bool {
        if try rows.insert(proof) { return true }
        let replaced: DPoPProofRecord? = try rows.change(
            set: Column.expiresAt.becomes(proof.expiresAt),
            where: Column.hash.equals(proof.hash),
            Column.expiresAt.isBefore(now)
        )
        return replaced != nil
    }
}
