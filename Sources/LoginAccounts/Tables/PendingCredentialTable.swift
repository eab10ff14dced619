// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// A verified credential that conflicts with an account.
///
/// It can be used once.
struct PendingCredentialRecord: StoredRecord {
    /// The SHA-256 of the token.
    var hash: [UInt8]
    /// The identity provider.
    var providerID: ProviderID
    /// The subject: the provider's identifier of the user.
    var subject: String
    /// The credential, encrypted with a key that is derived from the token.
    var content: [UInt8]
    /// The account that has the login or its address.
    var ownerID: AccountID? = nil
    /// The session in which the conflict occurred; nil for a sign-in.
    var sessionID: SessionID? = nil
    /// The account of that session.
    var accountID: AccountID? = nil
    /// The time at which the credential was verified.
    var createdAt: StoreTime
    /// The time at which it expires.
    var expiresAt: StoreTime

    enum Column {
        static let hash = StoreColumn.bytes("hash")
        static let providerID = StoreColumn.text("provider_id")
        static let subject = StoreColumn.text("subject")
        static let content = StoreColumn.bytes("content")
        static let ownerID = StoreColumn.text("owner_id").orNull
        static let sessionID = StoreColumn.text("session_id").orNull
        static let accountID = StoreColumn.text("account_id").orNull
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
    }

    static let schema = RecordSchema(
        "login_pending_credential",
        PendingCredentialRecord.init,
        (Column.hash, \.hash),
        (Column.providerID, \.providerID),
        (Column.subject, \.subject),
        (Column.content, \.content),
        (Column.ownerID, \.ownerID),
        (Column.sessionID, \.sessionID),
        (Column.accountID, \.accountID),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        primaryKey: [Column.hash],
        indexes: [[Column.accountID], [Column.ownerID], [Column.providerID, Column.subject], [Column.expiresAt]]
    )
}

/// The pending credentials.
struct PendingCredentialTable {
    let rows: StoreRows

    private typealias Column = PendingCredentialRecord.Column

    /// Adds a credential.
    func add(_ credential: PendingCredentialRecord) throws(StoreError) { try rows.add(credential) }

    /// Reads a credential, expired or not; nil if there is none.
    func find(_ hash: [UInt8]) throws(StoreError) -> PendingCredentialRecord? {
        try rows.first(where: Column.hash.equals(hash))
    }

    /// Takes a credential.
    ///
    /// It can be taken once; the result is nil if it is unknown, of another provider, expired or taken.
    func take(_ hash: [UInt8], of provider: ProviderID, at now: StoreTime) throws(StoreError)
        -> PendingCredentialRecord?
    {
        try rows.take(
            where: Column.hash.equals(hash),
            Column.providerID.equals(provider),
            validAt: now
        )
    }

    /// Removes the credentials of a subject.
    func removeAll(of key: IdentityKeyRecord) throws(StoreError) {
        try rows.delete(
            PendingCredentialRecord.self,
            where: Column.providerID.equals(key.providerID),
            Column.subject.equals(key.subject)
        )
    }

    /// Removes the credentials whose conflict occurred in the sessions of an account.
    func removeAll(inSessionsOf account: AccountID) throws(StoreError) {
        try rows.delete(PendingCredentialRecord.self, where: Column.accountID.equals(account))
    }

    /// Removes the credentials that conflict with an account.
    func removeAll(ofOwner account: AccountID) throws(StoreError) {
        try rows.delete(PendingCredentialRecord.self, where: Column.ownerID.equals(account))
    }
}
