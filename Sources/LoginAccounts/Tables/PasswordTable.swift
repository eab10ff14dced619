// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The password of an identity.
struct PasswordRecord: StoredRecord {
    /// The ID of the identity.
    var identityID: String
    /// The scrypt hash, with its parameters and salt.
    var hash: String
    /// The time at which the password was set.
    var changedAt: StoreTime

    enum Column {
        static let identityID = StoreColumn.text("identity_id")
        static let hash = StoreColumn.text("hash")
        static let changedAt = StoreColumn.integer("changed_at")
    }

    static let schema = RecordSchema(
        "login_password",
        PasswordRecord.init,
        (Column.identityID, \.identityID),
        (Column.hash, \.hash),
        (Column.changedAt, \.changedAt),
        primaryKey: [Column.identityID],
        references: [
            StoreReference(
                columns: [Column.identityID],
                table: IdentityRecord.table.name,
                target: [IdentityRecord.Column.id]
            )
        ]
    )
}

/// The passwords, as hashes.
struct PasswordTable {
    let rows: StoreRows

    private typealias Column = PasswordRecord.Column

    /// Reads the password of an identity; nil if it has none.
    func find(_ identity: IdentityRecord) throws(StoreError) -> PasswordRecord? {
        try rows.first(where: Column.identityID.equals(identity.id))
    }

    /// Sets the password of an identity.
    func set(_ password: PasswordRecord) throws(StoreError) {
        let changed: [PasswordRecord] = try rows.update(
            set: Column.hash.becomes(password.hash),
            Column.changedAt.becomes(password.changedAt),
            where: Column.identityID.equals(password.identityID)
        )
        if changed.isEmpty { try rows.add(password) }
    }

    /// Replaces the hash of a password with one of the current cost, unless the password was changed.
    func improve(_ password: PasswordRecord, to hash: String) throws(StoreError) {
        try rows.update(
            PasswordRecord.self,
            set: Column.hash.becomes(hash),
            where: Column.identityID.equals(password.identityID),
            Column.hash.equals(password.hash)
        )
    }

    /// Removes the password of an identity.
    func remove(_ identity: IdentityRecord) throws(StoreError) {
        try rows.delete(PasswordRecord.self, where: Column.identityID.equals(identity.id))
    }
}
