// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An account, as a store keeps it.
struct AccountRecord: StoredRecord {
    /// The ID.
    var id: AccountID
    /// An ``AccountState``.
    var state: String = AccountState.active.rawValue
    /// Whether the account has no login yet.
    var isAnonymous: Bool
    /// The time since when the account is disabled; nil if it is not.
    var disabledAt: StoreTime? = nil
    /// The e-mail address of the user, in canonical form.
    var email: String? = nil
    /// Whether the address is verified.
    var emailVerified: Bool = false
    /// The display name of the user.
    var displayName: String? = nil
    /// The ID of the identity that the display name comes from; nil if the user has chosen it.
    var displayNameSource: String? = nil
    /// The URL of the user's picture.
    var photoURL: String? = nil
    /// The ID of the identity that the picture comes from; nil if the user has chosen it.
    var photoSource: String? = nil
    /// The session epoch.
    ///
    /// Sessions opened in an earlier epoch are closed.
    var sessionEpoch: Int64 = 0
    /// A counter that grows with each lock of the row.
    var version: Int64 = 0
    /// The account that this one was merged into.
    var mergedInto: AccountID? = nil
    /// The number of consecutive wrong second factors.
    var factorFailures: Int64 = 0
    /// The number of consecutive locks of the second factors.
    var factorLocks: Int64 = 0
    /// The end of the lock of the second factors.
    var factorLockedUntil: StoreTime? = nil
    /// The time of the last sign-in.
    var lastSignInAt: StoreTime? = nil
    /// The time at which the account was created.
    var createdAt: StoreTime
    /// The time of the last change.
    var updatedAt: StoreTime

    enum Column {
        static let id = StoreColumn.text("id")
        static let state = StoreColumn.text("state")
        static let isAnonymous = StoreColumn.integer("is_anonymous")
        static let disabledAt = StoreColumn.integer("disabled_at").orNull
        static let email = StoreColumn.text("email").orNull
        static let emailVerified = StoreColumn.integer("email_verified")
        static let displayName = StoreColumn.text("display_name").orNull
        static let displayNameSource = StoreColumn.text("display_name_source").orNull
        static let photoURL = StoreColumn.text("photo_url").orNull
        static let photoSource = StoreColumn.text("photo_source").orNull
        static let sessionEpoch = StoreColumn.integer("session_epoch")
        static let version = StoreColumn.integer("version")
        static let mergedInto = StoreColumn.text("merged_into").orNull
        static let factorFailures = StoreColumn.integer("factor_failures")
        static let factorLocks = StoreColumn.integer("factor_locks")
        static let factorLockedUntil = StoreColumn.integer("factor_locked_until").orNull
        static let lastSignInAt = StoreColumn.integer("last_sign_in_at").orNull
        static let createdAt = StoreColumn.integer("created_at")
        static let updatedAt = StoreColumn.integer("updated_at")
    }

    static let schema = RecordSchema(
        "login_account",
        AccountRecord.init,
        (Column.id, \.id),
        (Column.state, \.state),
        (Column.isAnonymous, \.isAnonymous),
        (Column.disabledAt, \.disabledAt),
        (Column.email, \.email),
        (Column.emailVerified, \.emailVerified),
        (Column.displayName, \.displayName),
        (Column.displayNameSource, \.displayNameSource),
        (Column.photoURL, \.photoURL),
        (Column.photoSource, \.photoSource),
        (Column.sessionEpoch, \.sessionEpoch),
        (Column.version, \.version),
        (Column.mergedInto, \.mergedInto),
        (Column.factorFailures, \.factorFailures),
        (Column.factorLocks, \.factorLocks),
        (Column.factorLockedUntil, \.factorLockedUntil),
        (Column.lastSignInAt, \.lastSignInAt),
        (Column.createdAt, \.createdAt),
        (Column.updatedAt, \.updatedAt),
        primaryKey: [Column.id],
        uniques: [[Column.id, Column.state]],
        indexes: [[Column.mergedInto], [Column.email], [Column.isAnonymous, Column.updatedAt]]
    )
}

/// The accounts.
struct AccountTable {
    let rows: StoreRows

    private typealias Column = AccountRecord.Column

    /// Adds an account.
    func add(_ account: AccountRecord) throws(StoreError) { try rows.add(account) }

    /// Reads an account in any state; nil if there is none.
    func find(_ id: AccountID) throws(StoreError) -> AccountRecord? {
        try rows.first(where: Column.id.equals(id))
    }

    /// Locks an account for this transaction; nil if the account does not exist or is not in use.
    ///
    /// The lock is an update of the row, which every database supports. Other transactions that lock the account wait
    /// until this one has ended, and then see its writes.
    func lockIfInUse(_ id: AccountID) throws(StoreError) -> AccountRecord? {
        let locked: [AccountRecord] = try rows.update(
            set: Column.version.grows(by: 1),
            where: Column.id.equals(id),
            Column.state.equals(AccountState.active.rawValue)
        )
        return locked.first
    }

    /// Locks an anonymous account for this transaction; nil if it is not in use, is not anonymous, or was changed since
    /// a time.
    func lockIfUnused(_ id: AccountID, since time: StoreTime) throws(StoreError) -> AccountRecord? {
        try rows.change(
            set: Column.version.grows(by: 1),
            where: Column.id.equals(id),
            Column.state.equals(AccountState.active.rawValue),
            Column.isAnonymous.equals(true),
            Column.updatedAt.isBefore(time)
        )
    }

    /// Returns the anonymous accounts in use that were not changed since a time, the longest unchanged first.
    func unusedAnonymous(since time: StoreTime, limit: Int) throws(StoreError) -> [AccountRecord] {
        try rows.all(
            where: Column.isAnonymous.equals(true),
            Column.state.equals(AccountState.active.rawValue),
            Column.updatedAt.isBefore(time),
            order: .ascending(Column.updatedAt, then: Column.id),
            limit: limit
        )
    }

    /// Writes the changes of an account, which is locked.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``: `damaged` if the account does not exist.
    @discardableResult
    func save(_ changed: AccountRecord, from read: AccountRecord) throws(StoreError) -> AccountRecord {
        guard let saved = try rows.save(changed, from: read, where: Column.id.equals(read.id)) else {
            throw StoreError(.damaged, "a locked account does not exist")
        }
        return saved
    }

    /// Writes the address of an account, which is locked, even if it equals the one that was read.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``: `damaged` if the account does not exist.
    func setEmail(_ account: AccountRecord) throws(StoreError) -> AccountRecord {
        let updated: [AccountRecord] = try rows.update(
            set: Column.email.becomes(account.email),
            Column.emailVerified.becomes(account.emailVerified),
            Column.updatedAt.becomes(account.updatedAt),
            where: Column.id.equals(account.id)
        )
        guard let updated = updated.first else { throw StoreError(.damaged, "a locked account does not exist") }
        return updated
    }

    /// Begins a session epoch, and returns it; nil if the account does not exist.
    func advanceEpoch(of id: AccountID) throws(StoreError) -> Int64? {
        let advanced: [AccountRecord] = try rows.update(
            set: Column.sessionEpoch.grows(by: 1),
            where: Column.id.equals(id)
        )
        return advanced.first?.sessionEpoch
    }

    /// Returns the accounts in use that have an address, the oldest first.
    ///
    /// - Parameters:
    ///   - email: The address, in canonical form.
    ///   - isProven: Whether the accounts have verified it.
    ///   - limit: The maximum number of accounts.
    /// - Returns: The accounts.
    /// - Throws: ``StoreError``
    func showing(_ email: String, isProven: Bool, limit: Int? = nil) throws(StoreError) -> [AccountRecord] {
        try rows.all(
            where: Column.email.equals(email),
            Column.emailVerified.equals(isProven),
            Column.state.equals(AccountState.active.rawValue),
            order: .ascending(Column.createdAt, then: Column.id),
            limit: limit
        )
    }

    /// Returns the accounts that were merged into an account, in the order of their IDs.
    func merged(into target: AccountID, limit: Int? = nil) throws(StoreError) -> [AccountRecord] {
        try rows.all(where: Column.mergedInto.equals(target), order: .ascending(Column.id), limit: limit)
    }

    /// Redirects the accounts that were merged into an account to another.
    func redirect(from source: AccountID, to target: AccountID) throws(StoreError) {
        try rows.update(
            AccountRecord.self,
            set: Column.mergedInto.becomes(target),
            where: Column.mergedInto.equals(source)
        )
    }
}
