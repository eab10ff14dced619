// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// That a proven e-mail address belongs to one account, where the policy wants that.
struct EmailRecord: StoredRecord {
    /// The address, normalized.
    var email: String
    /// Whose it is.
    var accountID: AccountID

    enum Column {
        static let email = StoreColumn.text("email")
        static let accountID = StoreColumn.text("account_id")
    }

    static let table = StoreTable(
        "login_email",
        columns: [
            Column.email,
            Column.accountID,
        ],
        primaryKey: [Column.email],
        indexes: [[Column.accountID]],
        references: [
            StoreReference(
                columns: [Column.accountID],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id]
            )
        ]
    )
}

extension EmailRecord {
    init(_ row: StoreRow) throws(StoreError) {
        email = try row.text(Column.email)
        accountID = AccountID(rawValue: try row.text(Column.accountID))
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.email] = .text(email)
        row[Column.accountID] = .text(accountID.rawValue)
        return row
    }
}
