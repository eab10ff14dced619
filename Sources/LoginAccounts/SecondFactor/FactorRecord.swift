// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A second factor.
struct FactorRecord: StoredRecord {
    /// What it is known by.
    var id: String
    /// Whose it is.
    var accountID: AccountID
    /// Active, as of an identity.
    var accountState: String = AccountState.active.rawValue
    /// A ``MultiFactorKind``.
    var kind: String
    /// What the person calls it.
    var displayName: String? = nil
    /// The secret or the phone number, sealed.
    var secret: [UInt8]
    /// With which key: ``AccountSecrets/keyNumber(of:)``.
    var sealedWith: Int64
    /// The algorithm and digits of a TOTP factor, as JSON.
    var parameters: String? = nil
    /// The last digits of the phone number.
    var hint: String? = nil
    /// What the key of this server makes of the phone number, so that none is enrolled twice.
    var fingerprint: [UInt8]? = nil
    /// The last step whose code was accepted.
    var lastStep: Int64 = 0
    /// When it was confirmed; only then it counts.
    var confirmedAt: StoreTime? = nil
    /// When it ends unless confirmed.
    var expiresAt: StoreTime? = nil
    /// When it was begun.
    var createdAt: StoreTime

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let accountState = StoreColumn.text("account_state")
        static let kind = StoreColumn.text("kind")
        static let displayName = StoreColumn.text("display_name").orNull
        static let secret = StoreColumn.bytes("secret")
        static let sealedWith = StoreColumn.integer("sealed_with")
        static let parameters = StoreColumn.text("parameters").orNull
        static let hint = StoreColumn.text("hint").orNull
        static let fingerprint = StoreColumn.bytes("fingerprint").orNull
        static let lastStep = StoreColumn.integer("last_step")
        static let confirmedAt = StoreColumn.integer("confirmed_at").orNull
        static let expiresAt = StoreColumn.integer("expires_at").orNull
        static let createdAt = StoreColumn.integer("created_at")
    }

    static let table = StoreTable(
        "login_factor",
        columns: [
            Column.id,
            Column.accountID,
            Column.accountState,
            Column.kind,
            Column.displayName,
            Column.secret,
            Column.sealedWith,
            Column.parameters,
            Column.hint,
            Column.fingerprint,
            Column.lastStep,
            Column.confirmedAt,
            Column.expiresAt,
            Column.createdAt,
        ],
        primaryKey: [Column.id],
        uniques: [[Column.accountID, Column.fingerprint]],
        indexes: [[Column.accountID], [Column.sealedWith], [Column.expiresAt]],
        references: [
            StoreReference(
                columns: [Column.accountID, Column.accountState],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id, AccountRecord.Column.state]
            )
        ]
    )
}

extension FactorRecord {
    init(_ row: StoreRow) throws(StoreError) {
        id = try row.text(Column.id)
        accountID = AccountID(rawValue: try row.text(Column.accountID))
        accountState = try row.text(Column.accountState)
        kind = try row.text(Column.kind)
        displayName = try row.textIfAny(Column.displayName)
        secret = try row.bytes(Column.secret)
        sealedWith = try row.integer(Column.sealedWith)
        parameters = try row.textIfAny(Column.parameters)
        hint = try row.textIfAny(Column.hint)
        fingerprint = try row.bytesIfAny(Column.fingerprint)
        lastStep = try row.integer(Column.lastStep)
        confirmedAt = try row.timeIfAny(Column.confirmedAt)
        expiresAt = try row.timeIfAny(Column.expiresAt)
        createdAt = try row.time(Column.createdAt)
    }

    var row: StoreRow {
        var row = StoreRow()
        row[Column.id] = .text(id)
        row[Column.accountID] = .text(accountID.rawValue)
        row[Column.accountState] = .text(accountState)
        row[Column.kind] = .text(kind)
        row[Column.displayName] = displayName.map { .text($0) } ?? .null
        row[Column.secret] = .bytes(secret)
        row[Column.sealedWith] = .integer(sealedWith)
        row[Column.parameters] = parameters.map { .text($0) } ?? .null
        row[Column.hint] = hint.map { .text($0) } ?? .null
        row[Column.fingerprint] = fingerprint.map { .bytes($0) } ?? .null
        row[Column.lastStep] = .integer(lastStep)
        row[Column.confirmedAt] = confirmedAt?.value ?? .null
        row[Column.expiresAt] = expiresAt?.value ?? .null
        row[Column.createdAt] = createdAt.value
        return row
    }
}
