// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The ownership of a verified e-mail address, if the policy restricts it to one account.
struct EmailRecord: StoredRecord {
    /// The address, in canonical form.
    var email: String
    /// The ID of the account.
    var accountID: AccountID

    enum Column {
        static let email = StoreColumn.text("email")
        static let accountID = StoreColumn.text("account_id")
    }

    static let schema = RecordSchema(
        "login_email",
        EmailRecord.init,
        (Column.email, \.email),
        (Column.accountID, \.accountID),
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

/// The verified addresses, each of which belongs to one account.
struct EmailTable {
    let rows: StoreRows

    private typealias Column = EmailRecord.Column

    /// Adds an address, unless it belongs to an account.
    ///
    /// - Returns: Whether it was added.
    func insert(_ record: EmailRecord) throws(StoreError) -> Bool { try rows.insert(record) }

    /// Reads the owner of an address; nil if it has none.
    func find(_ email: String) throws(StoreError) -> EmailRecord? { try rows.first(where: Column.email.equals(email)) }

    /// Returns the addresses of an account.
    func of(_ account: AccountID) throws(StoreError) -> [EmailRecord] {
        try rows.all(where: Column.accountID.equals(account))
    }

    /// Removes an address.
    func remove(_ email: String) throws(StoreError) {
        try rows.delete(EmailRecord.self, where: Column.email.equals(email))
    }

    /// Removes the addresses of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(EmailRecord.self, where: Column.accountID.equals(account))
    }

    /// Moves the addresses of an account to another.
    func move(from source: AccountID, to target: AccountID) throws(StoreError) {
        try rows.update(
            EmailRecord.self,
            set: Column.accountID.becomes(target),
            where: Column.accountID.equals(source)
        )
    }
}
