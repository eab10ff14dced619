// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The password of an identity.
struct PasswordRecord: StoredRecord {
    /// Which identity.
    var identityID: String
    /// What scrypt made of it, with its parameters and salt.
    var hash: String
    /// When it was set.
    var changedAt: StoreTime

    enum Column {
        static let identityID = StoreColumn.text("identity_id")
        static let hash = StoreColumn.text("hash")
        static let changedAt = StoreColumn.integer("changed_at")
    }

    static let table = StoreTable(
        "login_password",
        columns: [
            Column.identityID,
            Column.hash,
            Column.changedAt,
        ],
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

extension PasswordRecord {
    init(_ row: StoreRow) throws(StoreError) {
        identityID = try row.text(Column.identityID)
        hash = try row.text(Column.hash)
        changedAt = try row.time(Column.changedAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.identityID] = .text(identityID)
        row[Column.hash] = .text(hash)
        row[Column.changedAt] = changedAt.value
        return row
    }
}
