// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// One way in which a person is known: an identity at a provider, an e-mail address with a password, or a phone number.
struct IdentityRecord: StoredRecord {
    /// What it is known by here.
    var id: String
    /// Whose it is.
    var accountID: AccountID
    /// Active: an identity stands at no account of another state, whoever writes.
    var accountState: String = AccountState.active.rawValue
    /// Who vouches for it.
    var providerID: ProviderID
    /// What the provider calls the person, byte for byte.
    var subject: String
    /// The provider once more, where an account may have one identity of it.
    var singleKey: String? = nil
    /// The e-mail address that the provider last named, normalized.
    var email: String? = nil
    /// Whether the provider, which is trusted in this, said that it is the person's.
    var emailVerified: Bool = false
    /// Whether that address is one that the provider made up to hide the person's: it identifies nobody elsewhere.
    var isEmailPrivate: Bool = false
    /// The name that the provider last gave.
    var displayName: String? = nil
    /// The picture that the provider last named.
    var photoURL: String? = nil
    /// The phone number, where that is what it is.
    var phoneNumber: String? = nil
    /// What was granted and declined, as JSON; nil where that was never asked.
    var permissions: String? = nil
    /// An ``IdentityStatus``.
    var status: String = IdentityStatus.active.rawValue
    /// Since when it is revoked.
    var revokedAt: StoreTime? = nil
    /// When it was linked.
    var linkedAt: StoreTime
    /// When it was last proven.
    var lastSignInAt: StoreTime

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let accountState = StoreColumn.text("account_state")
        static let providerID = StoreColumn.text("provider_id")
        static let subject = StoreColumn.text("subject")
        static let singleKey = StoreColumn.text("single_key").orNull
        static let email = StoreColumn.text("email").orNull
        static let emailVerified = StoreColumn.integer("email_verified")
        static let isEmailPrivate = StoreColumn.integer("email_private")
        static let displayName = StoreColumn.text("display_name").orNull
        static let photoURL = StoreColumn.text("photo_url").orNull
        static let phoneNumber = StoreColumn.text("phone_number").orNull
        static let permissions = StoreColumn.text("permissions").orNull
        static let status = StoreColumn.text("status")
        static let revokedAt = StoreColumn.integer("revoked_at").orNull
        static let linkedAt = StoreColumn.integer("linked_at")
        static let lastSignInAt = StoreColumn.integer("last_sign_in_at")
    }

    static let schema = RecordSchema(
        "login_identity",
        IdentityRecord.init,
        (Column.id, \.id),
        (Column.accountID, \.accountID),
        (Column.accountState, \.accountState),
        (Column.providerID, \.providerID),
        (Column.subject, \.subject),
        (Column.singleKey, \.singleKey),
        (Column.email, \.email),
        (Column.emailVerified, \.emailVerified),
        (Column.isEmailPrivate, \.isEmailPrivate),
        (Column.displayName, \.displayName),
        (Column.photoURL, \.photoURL),
        (Column.phoneNumber, \.phoneNumber),
        (Column.permissions, \.permissions),
        (Column.status, \.status),
        (Column.revokedAt, \.revokedAt),
        (Column.linkedAt, \.linkedAt),
        (Column.lastSignInAt, \.lastSignInAt),
        primaryKey: [Column.id],
        uniques: [[Column.accountID, Column.singleKey]],
        indexes: [[Column.accountID]],
        references: [
            StoreReference(
                columns: [Column.accountID, Column.accountState],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id, AccountRecord.Column.state]
            )
        ]
    )
}

/// The identities of accounts.
struct IdentityTable {
    let rows: StoreRows

    private typealias Column = IdentityRecord.Column

    /// Adds an identity, unless the account has one of its provider and may have one.
    ///
    /// - Returns: Whether it was added.
    func insert(_ identity: IdentityRecord) throws(StoreError) -> Bool { try rows.insert(identity) }

    /// The identities of an account, in the order in which they were linked.
    func of(_ account: AccountID) throws(StoreError) -> [IdentityRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            order: .ascending(Column.linkedAt, then: Column.id)
        )
    }

    /// Writes what has changed of an identity, whose account is locked.
    ///
    /// - Returns: The identity as it is now.
    /// - Throws: ``StoreError``: `busy` if the identity is gone.
    @discardableResult
    func save(_ changed: IdentityRecord, from read: IdentityRecord) throws(StoreError) -> IdentityRecord {
        guard let saved = try rows.save(changed, from: read, where: Column.id.equals(read.id)) else {
            throw StoreError(.busy, "the identity is gone")
        }
        return saved
    }

    /// Removes an identity.
    func remove(_ id: String) throws(StoreError) { try rows.delete(IdentityRecord.self, where: Column.id.equals(id)) }

    /// Allows an account several identities of one provider.
    func allowSeveral(of account: AccountID) throws(StoreError) {
        try rows.update(
            IdentityRecord.self,
            set: Column.singleKey.becomes(nil as String?),
            where: Column.accountID.equals(account)
        )
    }

    /// Moves the identities of an account to another, with one statement.
    func move(from source: AccountID, to target: AccountID) throws(StoreError) {
        try rows.update(
            IdentityRecord.self,
            set: Column.accountID.becomes(target),
            where: Column.accountID.equals(source)
        )
    }
}
