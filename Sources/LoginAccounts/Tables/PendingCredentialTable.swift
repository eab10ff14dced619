// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// A credential that was proven and could not be used: kept, so that it can be once.
struct PendingCredentialRecord: StoredRecord {
    /// The SHA-256 of its token.
    var hash: [UInt8]
    /// Who vouches for it.
    var providerID: ProviderID
    /// What the provider calls the person.
    var subject: String
    /// What was proven, encrypted with a key that only the token gives.
    var content: [UInt8]
    /// The account that it met, which has the login or its address.
    var ownerID: AccountID? = nil
    /// The session that it came up in.
    var sessionID: SessionID? = nil
    /// When it was proven.
    var createdAt: StoreTime
    /// When it ends.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let providerID = StoreColumn.text("provider_id")
        static let subject = StoreColumn.text("subject")
        static let content = StoreColumn.bytes("content")
        static let ownerID = StoreColumn.text("owner_id").orNull
        static let sessionID = StoreColumn.text("session_id").orNull
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let table = StoreTable(
        "login_pending_credential",
        columns: [
            Column.hash,
            Column.providerID,
            Column.subject,
            Column.content,
            Column.ownerID,
            Column.sessionID,
            Column.createdAt,
            Column.expiresAt,
        ],
        primaryKey: [Column.hash],
        indexes: [[Column.sessionID], [Column.ownerID], [Column.providerID, Column.subject], [Column.expiresAt]]
    )
}

extension PendingCredentialRecord {
    init(_ row: StoreRow) throws(StoreError) {
        hash = try row.bytes(Column.hash)
        providerID = ProviderID(rawValue: try row.text(Column.providerID))
        subject = try row.text(Column.subject)
        content = try row.bytes(Column.content)
        ownerID = try row.textIfAny(Column.ownerID).map { AccountID(rawValue: $0) }
        sessionID = try row.textIfAny(Column.sessionID).map { SessionID(rawValue: $0) }
        createdAt = try row.time(Column.createdAt)
        expiresAt = try row.time(Column.expiresAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.hash] = .bytes(hash)
        row[Column.providerID] = .text(providerID.rawValue)
        row[Column.subject] = .text(subject)
        row[Column.content] = .bytes(content)
        row[Column.ownerID] = ownerID.map { .text($0.rawValue) } ?? .null
        row[Column.sessionID] = sessionID.map { .text($0.rawValue) } ?? .null
        row[Column.createdAt] = createdAt.value
        row[Column.expiresAt] = expiresAt.value
        return row
    }
}

/// The verified credentials that wait for a conflict to be resolved.
struct PendingCredentialTable {
    let rows: StoreRows

    private typealias Column = PendingCredentialRecord.Column

    /// Adds a credential.
    func add(_ credential: PendingCredentialRecord) throws(StoreError) { try rows.add(credential) }

    /// Reads a credential, expired or not; nil if there is none.
    func find(_ hash: [UInt8]) throws(StoreError) -> PendingCredentialRecord? {
        try rows.first(where: Column.hash.equals(hash))
    }

    /// Takes a credential, which can be taken once; nil if it is unknown, of another provider, expired or taken.
    func take(_ hash: [UInt8], of provider: ProviderID, at now: StoreTime) throws(StoreError)
        -> PendingCredentialRecord?
    {
        try rows.take(
            where: Column.hash.equals(hash),
            Column.providerID.equals(provider.rawValue),
            Column.expiresAt.isAfter(now)
        )
    }

    /// Removes the credentials of a subject.
    func removeAll(of key: IdentityKeyRecord) throws(StoreError) {
        try rows.delete(
            PendingCredentialRecord.self,
            where: Column.providerID.equals(key.providerID.rawValue),
            Column.subject.equals(key.subject)
        )
    }

    /// Removes the credentials that came up in a session.
    func removeAll(in session: SessionID) throws(StoreError) {
        try rows.delete(PendingCredentialRecord.self, where: Column.sessionID.equals(session.rawValue))
    }

    /// Removes the credentials that are in conflict with an account.
    func removeAll(ofOwner account: AccountID) throws(StoreError) {
        try rows.delete(PendingCredentialRecord.self, where: Column.ownerID.equals(account.rawValue))
    }
}
