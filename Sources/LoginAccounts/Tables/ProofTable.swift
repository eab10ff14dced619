// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code or link that was sent, and proves an address.
struct ProofRecord: StoredRecord {
    /// The SHA-256 of its token.
    var hash: [UInt8]
    /// What it is for.
    var kind: String
    /// Whose it is.
    var accountID: AccountID? = nil
    /// The session that asked for it.
    var sessionID: SessionID? = nil
    /// The e-mail address or phone number, normalized.
    var address: String
    /// From which network it was asked for; empty where that is not known, or makes no difference.
    var addressPrefix: String = ""
    /// What the key of this server makes of the code.
    var codeHash: [UInt8]? = nil
    /// How many more codes are looked at.
    var attemptsLeft: Int64
    /// When it was sent.
    var createdAt: StoreTime
    /// When it ends.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let kind = StoreColumn.text("kind")
        static let accountID = StoreColumn.text("account_id").orNull
        static let sessionID = StoreColumn.text("session_id").orNull
        static let address = StoreColumn.text("address")
        static let addressPrefix = StoreColumn.text("address_prefix")
        static let codeHash = StoreColumn.bytes("code_hash").orNull
        static let attemptsLeft = StoreColumn.integer("attempts_left")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_proof",
        ProofRecord.init,
        (Column.hash, \.hash),
        (Column.kind, \.kind),
        (Column.accountID, \.accountID),
        (Column.sessionID, \.sessionID),
        (Column.address, \.address),
        (Column.addressPrefix, \.addressPrefix),
        (Column.codeHash, \.codeHash),
        (Column.attemptsLeft, \.attemptsLeft),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.hash],
        indexes: [[Column.accountID], [Column.kind, Column.address], [Column.expiresAt]]
    )
}

/// The messages and codes that were sent to prove an address or a phone number.
struct ProofTable {
    let rows: StoreRows

    private typealias Column = ProofRecord.Column

    /// Adds a proof.
    func add(_ proof: ProofRecord) throws(StoreError) { try rows.add(proof) }

    /// Reads a message that has not expired; nil if there is none of the kind.
    func valid(_ hash: [UInt8], kind: String, at now: StoreTime) throws(StoreError) -> ProofRecord? {
        try rows.first(where: Column.hash.equals(hash), Column.kind.equals(kind), Column.expiresAt.isAfter(now))
    }

    /// The messages of one kind that were sent to an address, expired ones among them, the newest first.
    func sent(_ kind: String, to address: String) throws(StoreError) -> [ProofRecord] {
        try rows.all(
            where: Column.kind.equals(kind),
            Column.address.equals(address),
            order: .descending(Column.createdAt, then: Column.hash)
        )
    }

    /// Takes a message, which can be taken once; nil if it is unknown, of another kind, expired or taken.
    func take(_ hash: [UInt8], kind: String, at now: StoreTime) throws(StoreError) -> ProofRecord? {
        try rows.take(
            where: Column.hash.equals(hash),
            Column.kind.equals(kind),
            Column.expiresAt.isAfter(now)
        )
    }

    /// Counts a guess at a code.
    ///
    /// - Parameters:
    ///   - hash: The hash of its token.
    ///   - kind: The kind.
    ///   - session: The session that it was sent for; nil for a sign-in.
    /// - Returns: The proof; nil if it is unknown, of another kind or session, or has no guesses left.
    /// - Throws: ``StoreError``
    func countGuess(_ hash: [UInt8], kind: String, session: SessionID?) throws(StoreError) -> ProofRecord? {
        try rows.change(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(hash),
            Column.kind.equals(kind),
            session.map { Column.sessionID.equals($0.rawValue) } ?? Column.sessionID.isNull,
            Column.attemptsLeft.isGreater(than: 0)
        )
    }

    /// Takes a code, which can be taken once, expired or not; nil if it is unknown, of another kind or address, or taken.
    func takeCode(_ hash: [UInt8], kind: String, address: String) throws(StoreError) -> ProofRecord? {
        try rows.take(
            where: Column.hash.equals(hash),
            Column.kind.equals(kind),
            Column.address.equals(address)
        )
    }

    /// Removes a proof.
    func remove(_ hash: [UInt8]) throws(StoreError) {
        try rows.delete(ProofRecord.self, where: Column.hash.equals(hash))
    }

    /// Removes the proofs of one kind that were sent to an address for a network.
    func removeAll(_ kind: String, to address: String, network: String) throws(StoreError) {
        try rows.delete(
            ProofRecord.self,
            where: Column.kind.equals(kind),
            Column.address.equals(address),
            Column.addressPrefix.equals(network)
        )
    }

    /// Removes the proofs of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(ProofRecord.self, where: Column.accountID.equals(account))
    }

    /// Removes the proofs of one kind that were sent to an address.
    func removeAll(_ kind: String, to address: String) throws(StoreError) {
        try rows.delete(ProofRecord.self, where: Column.kind.equals(kind), Column.address.equals(address))
    }
}
