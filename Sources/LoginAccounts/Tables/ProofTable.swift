// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code or link that was sent to verify an address or a phone number.
struct ProofRecord: ExpiringRecord {
    /// The SHA-256 of the token.
    var hash: [UInt8]
    /// The kind: the purpose of the message or code.
    var kind: String
    /// The ID of the account; nil if it belongs to none.
    var accountID: AccountID? = nil
    /// The session that requested it; nil if there was none.
    var sessionID: SessionID? = nil
    /// The e-mail address or phone number, in canonical form.
    var address: String
    /// The network of the request; empty if it is unknown, or irrelevant for the kind.
    var addressPrefix: String = ""
    /// The HMAC of the code; nil for a link.
    var codeHash: [UInt8]? = nil
    /// The number of guesses that are left.
    var attemptsLeft: Int64
    /// The time at which it was sent.
    var createdAt: StoreTime
    /// The time at which it expires.
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

/// The messages and codes that were sent to verify an address or a phone number.
struct ProofTable {
    let rows: StoreRows

    private typealias Column = ProofRecord.Column

    /// Adds a proof.
    func add(_ proof: ProofRecord) throws(StoreError) { try rows.add(proof) }

    /// Reads a message that has not expired; nil if there is none of the kind.
    func valid(_ hash: [UInt8], kind: String, at now: StoreTime) throws(StoreError) -> ProofRecord? {
        try rows.first(
            where: Column.hash.equals(hash),
            Column.kind.equals(kind),
            validAt: now
        )
    }

    /// Returns the messages of one kind that were sent to an address, including expired ones, the newest first.
    func sent(_ kind: String, to address: String) throws(StoreError) -> [ProofRecord] {
        try rows.all(
            where: Column.kind.equals(kind),
            Column.address.equals(address),
            order: .descending(Column.createdAt, then: Column.hash)
        )
    }

    /// Takes a message.
    ///
    /// It can be taken once; the result is nil if it is unknown, of another kind, expired or taken.
    func take(_ hash: [UInt8], kind: String, at now: StoreTime) throws(StoreError) -> ProofRecord? {
        try rows.take(
            where: Column.hash.equals(hash),
            Column.kind.equals(kind),
            validAt: now
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

    /// Takes a code, expired or not.
    ///
    /// It can be taken once; the result is nil if it is unknown, of another kind or address, or taken.
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

    /// Removes the proofs of one kind that were sent to an address for requests from a network.
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
