// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// A subject of an identity: the provider's identifier of the user.
///
/// An identity may have several.
struct IdentityKeyRecord: StoredRecord {
    /// The provider.
    var providerID: ProviderID
    /// The subject, compared byte for byte.
    var subject: String
    /// The ID of the identity.
    var identityID: String
    /// The creation time.
    var createdAt: StoreTime

    enum Column {
        static let providerID = StoreColumn.text("provider_id")
        static let subject = StoreColumn.text("subject")
        static let identityID = StoreColumn.text("identity_id")
        static let createdAt = StoreColumn.integer("created_at")
    }

    static let schema = RecordSchema(
        "login_identity_key",
        IdentityKeyRecord.init,
        (Column.providerID, \.providerID),
        (Column.subject, \.subject),
        (Column.identityID, \.identityID),
        (Column.createdAt, \.createdAt),
        primaryKey: [Column.providerID, Column.subject],
        indexes: [[Column.identityID]],
        references: [identity]
    )

    /// The identity of the key.
    static let identity = StoreReference(
        columns: [Column.identityID],
        table: IdentityRecord.table.name,
        target: [IdentityRecord.Column.id]
    )
}

/// The subjects of identities.
///
/// An identity has one or more.
struct IdentityKeyTable {
    let rows: StoreRows

    private typealias Column = IdentityKeyRecord.Column

    /// Adds a subject, unless it belongs to an identity.
    ///
    /// - Returns: Whether it was added.
    func insert(_ key: IdentityKeyRecord) throws(StoreError) -> Bool { try rows.insert(key) }

    /// Finds the identity of a subject, whatever its status; nil if the subject belongs to none.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - subject: The subject, compared byte for byte.
    /// - Returns: The identity.
    /// - Throws: ``StoreError``
    func identity(_ provider: ProviderID, _ subject: String) throws(StoreError) -> IdentityRecord? {
        let found: (IdentityKeyRecord, IdentityRecord)? = try rows.first(
            following: IdentityKeyRecord.identity,
            where: Column.providerID.equals(provider),
            Column.subject.equals(subject)
        )
        return found?.1
    }

    /// Returns the subjects of an identity, the oldest first.
    func of(_ identity: IdentityRecord, limit: Int? = nil) throws(StoreError) -> [IdentityKeyRecord] {
        try rows.all(
            where: Column.identityID.equals(identity.id),
            order: .ascending(Column.createdAt, then: Column.subject),
            limit: limit
        )
    }

    /// Removes a subject.
    func remove(_ provider: ProviderID, _ subject: String) throws(StoreError) {
        try rows.delete(
            IdentityKeyRecord.self,
            where: Column.providerID.equals(provider),
            Column.subject.equals(subject)
        )
    }

    /// Removes the subjects of an identity.
    func removeAll(of identity: IdentityRecord) throws(StoreError) {
        try rows.delete(IdentityKeyRecord.self, where: Column.identityID.equals(identity.id))
    }
}
