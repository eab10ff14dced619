// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// An account, as a store keeps it.
struct AccountRecord: StoredRecord {
    /// What it is known by.
    var id: AccountID
    /// An ``AccountState``.
    var state: String = AccountState.active.rawValue
    /// Whether nobody has said yet who it is.
    var isAnonymous: Bool
    /// Since when nobody may sign in to it.
    var disabledAt: StoreTime? = nil
    /// The e-mail address that the person is written to, normalized.
    var email: String? = nil
    /// Whether that address is proven to be the person's.
    var emailVerified: Bool = false
    /// The name that the person goes by.
    var displayName: String? = nil
    /// The address of a picture.
    var photoURL: String? = nil
    /// Sessions of an earlier one are closed.
    var sessionEpoch: Int64 = 0
    /// Grows with each transaction that locks it.
    var version: Int64 = 0
    /// The account that this one has become part of.
    var mergedInto: AccountID? = nil
    /// How many second factors in a row were wrong.
    var factorFailures: Int64 = 0
    /// How many times in a row that has locked second factors.
    var factorLocks: Int64 = 0
    /// Until when no second factor is looked at.
    var factorLockedUntil: StoreTime? = nil
    /// When somebody last signed in to it.
    var lastSignInAt: StoreTime? = nil
    /// When it was made.
    var createdAt: StoreTime
    /// When it last changed.
    var updatedAt: StoreTime

    enum Column {
        static let id = StoreColumn.text("id")
        static let state = StoreColumn.text("state")
        static let isAnonymous = StoreColumn.integer("is_anonymous")
        static let disabledAt = StoreColumn.integer("disabled_at").orNull
        static let email = StoreColumn.text("email").orNull
        static let emailVerified = StoreColumn.integer("email_verified")
        static let displayName = StoreColumn.text("display_name").orNull
        static let photoURL = StoreColumn.text("photo_url").orNull
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
        (Column.photoURL, \.photoURL),
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
    /// The lock is an update of the row, which every database understands. Other transactions that lock the account wait until this one
    /// has ended, and then see its writes.
    func lockIfInUse(_ id: AccountID) throws(StoreError) -> AccountRecord? {
        let locked: [AccountRecord] = try rows.update(
            set: Column.version.grows(by: 1),
            where: Column.id.equals(id),
            Column.state.equals(AccountState.active.rawValue)
        )
        return locked.first
    }

    /// Locks an anonymous account for this transaction; nil if it is not in use, not anonymous, or was changed since a time.
    func lockIfUnused(_ id: AccountID, since time: StoreTime) throws(StoreError) -> AccountRecord? {
        try rows.change(
            set: Column.version.grows(by: 1),
            where: Column.id.equals(id),
            Column.state.equals(AccountState.active.rawValue),
            Column.isAnonymous.equals(true),
            Column.updatedAt.isBefore(time)
        )
    }

    /// The anonymous accounts in use that were not changed since a time, the longest unchanged first.
    func unusedAnonymous(since time: StoreTime, limit: Int) throws(StoreError) -> [AccountRecord] {
        try rows.all(
            where: Column.isAnonymous.equals(true),
            Column.state.equals(AccountState.active.rawValue),
            Column.updatedAt.isBefore(time),
            order: .ascending(Column.updatedAt, then: Column.id),
            limit: limit
        )
    }

    /// Writes what has changed of an account, which is locked.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``: `damaged` if the account is gone.
    @discardableResult
    func save(_ changed: AccountRecord, from read: AccountRecord) throws(StoreError) -> AccountRecord {
        guard let saved = try rows.save(changed, from: read, where: Column.id.equals(read.id)) else {
            throw StoreError(.damaged, "an account that is locked is gone")
        }
        return saved
    }

    /// Writes the address of an account, which is locked, even if it is the one that was read.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``: `damaged` if the account is gone.
    func setEmail(_ account: AccountRecord) throws(StoreError) -> AccountRecord {
        let updated: [AccountRecord] = try rows.update(
            set: Column.email.becomes(account.email),
            Column.emailVerified.becomes(account.emailVerified),
            Column.updatedAt.becomes(account.updatedAt),
            where: Column.id.equals(account.id)
        )
        guard let updated = updated.first else { throw StoreError(.damaged, "an account that is locked is gone") }
        return updated
    }

    /// Begins a session epoch, and returns it; nil if there is no such account.
    func advanceEpoch(of id: AccountID) throws(StoreError) -> Int64? {
        let advanced: [AccountRecord] = try rows.update(
            set: Column.sessionEpoch.grows(by: 1),
            where: Column.id.equals(id)
        )
        return advanced.first?.sessionEpoch
    }

    /// The accounts in use that show an address, the oldest first.
    ///
    /// - Parameters:
    ///   - email: The address, normalized.
    ///   - isProven: Whether they have proven it; nil for either.
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

    /// The accounts that were merged into an account, in the order of their IDs.
    func merged(into target: AccountID) throws(StoreError) -> [AccountRecord] {
        try rows.all(where: Column.mergedInto.equals(target), order: .ascending(Column.id))
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
