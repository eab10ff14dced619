// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// An identity: a login at a provider, an e-mail address with a password, or a phone number.
struct IdentityRecord: StoredRecord {
    /// The ID.
    var id: String
    /// The ID of the account.
    var accountID: AccountID
    /// The state of the account, which is always active: the reference makes the store refuse an identity of an account
    /// in another state.
    var accountState: String = AccountState.active.rawValue
    /// The identity provider.
    var providerID: ProviderID
    /// The subject: the provider's identifier of the user, compared byte for byte.
    var subject: String
    /// The provider, if the account may have one identity of it; otherwise nil.
    ///
    /// It is part of a unique key.
    var singleKey: String? = nil
    /// The e-mail address that the provider last sent, in canonical form.
    var email: String? = nil
    /// Whether the provider has verified the e-mail address, and is trusted to do so.
    var emailVerified: Bool = false
    /// Whether the address is a relay address that hides the user's own.
    ///
    /// It identifies no user at other providers.
    var isEmailPrivate: Bool = false
    /// The display name that the provider last sent.
    var displayName: String? = nil
    /// The URL of the picture that the provider last sent.
    var photoURL: String? = nil
    /// The phone number, for a login by phone; otherwise nil.
    var phoneNumber: String? = nil
    /// The granted and declined permissions, as JSON; nil if they were never requested.
    var permissions: String? = nil
    /// The encrypted ``StoredIdentity``: the claims and permissions of the latest sign-in, and those of earlier ones
    /// that it left; nil if ``AuthPolicy/storesProfiles`` was false then.
    var profile: [UInt8]? = nil {
        didSet { profileSealedWith = profile.map { AccountSecrets.keyNumber(of: $0) } }
    }
    /// The ID of the key that encrypted the profile; nil if there is none.
    var profileSealedWith: Int64? = nil
    /// An ``IdentityStatus``.
    var status: String = IdentityStatus.active.rawValue
    /// The time at which the identity was revoked; nil if it was not.
    var revokedAt: StoreTime? = nil
    /// The time at which the identity was linked.
    var linkedAt: StoreTime
    /// The time of the last authentication with the identity.
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
        static let profile = StoreColumn.bytes("profile").orNull
        static let profileSealedWith = StoreColumn.integer("profile_sealed_with").orNull
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
        (Column.profile, \.profile),
        (Column.profileSealedWith, \.profileSealedWith),
        (Column.status, \.status),
        (Column.revokedAt, \.revokedAt),
        (Column.linkedAt, \.linkedAt),
        (Column.lastSignInAt, \.lastSignInAt),
        primaryKey: [Column.id],
        uniques: [[Column.accountID, Column.singleKey]],
        indexes: [[Column.accountID], [Column.profileSealedWith]],
        references: [
            StoreReference(
                columns: [Column.accountID, Column.accountState],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id, AccountRecord.Column.state]
            )
        ]
    )
}

extension IdentityRecord {
    /// Whether the user has authenticated with the identity since a time.
    ///
    /// A time in the future is no evidence of it: a server whose clock was ahead has written it.
    func wasUsed(after time: StoreTime, at now: StoreTime) -> Bool {
        lastSignInAt > time && !lastSignInAt.isAhead(of: now)
    }
}

/// The identities of accounts.
struct IdentityTable {
    let rows: StoreRows

    private typealias Column = IdentityRecord.Column

    /// Adds an identity, unless the account has one of its provider and may have only one.
    ///
    /// - Returns: Whether it was added.
    func insert(_ identity: IdentityRecord) throws(StoreError) -> Bool { try rows.insert(identity) }

    /// Returns an identity of an account; nil if the account does not have it.
    func find(_ id: String, of account: AccountID) throws(StoreError) -> IdentityRecord? {
        try rows.first(where: Column.id.equals(id), Column.accountID.equals(account))
    }

    /// Returns the identities of an account, in the order in which they were linked.
    func of(_ account: AccountID, limit: Int? = nil) throws(StoreError) -> [IdentityRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            order: .ascending(Column.linkedAt, then: Column.id),
            limit: limit
        )
    }

    /// Writes the changes of an identity, whose account is locked.
    ///
    /// - Returns: The identity as it is now.
    /// - Throws: ``StoreError``: `busy` if the identity was removed.
    @discardableResult
    func save(_ changed: IdentityRecord, from read: IdentityRecord) throws(StoreError) -> IdentityRecord {
        guard let saved = try rows.save(changed, from: read, where: Column.id.equals(read.id)) else {
            throw StoreError(.busy, "the identity was deleted meanwhile")
        }
        return saved
    }

    /// Returns the identities whose profile is encrypted with another key, in the order in which they were linked.
    func sealed(withOtherThan key: Int64, limit: Int) throws(StoreError) -> [IdentityRecord] {
        try rows.all(
            where: Column.profileSealedWith.differs(from: key),
            order: .ascending(Column.linkedAt, then: Column.id),
            limit: limit
        )
    }

    /// Replaces the encrypted profile of an identity, unless it was replaced meanwhile.
    func reseal(_ identity: IdentityRecord, profile: [UInt8]) throws(StoreError) {
        try rows.update(
            IdentityRecord.self,
            set: Column.profile.becomes(profile),
            Column.profileSealedWith.becomes(AccountSecrets.keyNumber(of: profile)),
            where: Column.id.equals(identity.id),
            Column.profile.equals(identity.profile)
        )
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
