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

    static let table = StoreTable(
        "login_account",
        columns: [
            Column.id,
            Column.state,
            Column.isAnonymous,
            Column.disabledAt,
            Column.email,
            Column.emailVerified,
            Column.displayName,
            Column.photoURL,
            Column.sessionEpoch,
            Column.version,
            Column.mergedInto,
            Column.factorFailures,
            Column.factorLocks,
            Column.factorLockedUntil,
            Column.lastSignInAt,
            Column.createdAt,
            Column.updatedAt,
        ],
        primaryKey: [Column.id],
        uniques: [[Column.id, Column.state]],
        indexes: [[Column.mergedInto], [Column.email], [Column.isAnonymous, Column.updatedAt]]
    )
}

extension AccountRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = AccountID(rawValue: try row.text(Column.id))
        state = try row.text(Column.state)
        isAnonymous = try row.flag(Column.isAnonymous)
        disabledAt = try row.timeIfAny(Column.disabledAt)
        email = try row.textIfAny(Column.email)
        emailVerified = try row.flag(Column.emailVerified)
        displayName = try row.textIfAny(Column.displayName)
        photoURL = try row.textIfAny(Column.photoURL)
        sessionEpoch = try row.integer(Column.sessionEpoch)
        version = try row.integer(Column.version)
        mergedInto = try row.textIfAny(Column.mergedInto).map { AccountID(rawValue: $0) }
        factorFailures = try row.integer(Column.factorFailures)
        factorLocks = try row.integer(Column.factorLocks)
        factorLockedUntil = try row.timeIfAny(Column.factorLockedUntil)
        lastSignInAt = try row.timeIfAny(Column.lastSignInAt)
        createdAt = try row.time(Column.createdAt)
        updatedAt = try row.time(Column.updatedAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id.rawValue)
        row[Column.state] = .text(state)
        row[Column.isAnonymous] = .integer(isAnonymous ? 1 : 0)
        row[Column.disabledAt] = disabledAt?.value ?? .null
        row[Column.email] = email.map { .text($0) } ?? .null
        row[Column.emailVerified] = .integer(emailVerified ? 1 : 0)
        row[Column.displayName] = displayName.map { .text($0) } ?? .null
        row[Column.photoURL] = photoURL.map { .text($0) } ?? .null
        row[Column.sessionEpoch] = .integer(sessionEpoch)
        row[Column.version] = .integer(version)
        row[Column.mergedInto] = mergedInto.map { .text($0.rawValue) } ?? .null
        row[Column.factorFailures] = .integer(factorFailures)
        row[Column.factorLocks] = .integer(factorLocks)
        row[Column.factorLockedUntil] = factorLockedUntil?.value ?? .null
        row[Column.lastSignInAt] = lastSignInAt?.value ?? .null
        row[Column.createdAt] = createdAt.value
        row[Column.updatedAt] = updatedAt.value
        return row
    }
}
