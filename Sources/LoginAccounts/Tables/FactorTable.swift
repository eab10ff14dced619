// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A second factor.
struct FactorRecord: StoredRecord {
    /// The ID.
    var id: String
    /// The ID of the account.
    var accountID: AccountID
    /// The state of the account, which is always active; see ``IdentityRecord/accountState``.
    var accountState: String = AccountState.active.rawValue
    /// A ``MultiFactorKind``.
    var kind: String
    /// The user's name for the factor.
    var displayName: String? = nil
    /// The secret or the phone number, encrypted.
    var secret: [UInt8]
    /// The ID of the encryption key: ``AccountSecrets/keyNumber(of:)``.
    var sealedWith: Int64
    /// The algorithm and digits of a TOTP factor, as JSON.
    var parameters: String? = nil
    /// The last digits of the phone number.
    var hint: String? = nil
    /// The HMAC of the phone number, so that no number is enrolled twice.
    var fingerprint: [UInt8]? = nil
    /// The last step whose code was accepted.
    var lastStep: Int64 = 0
    /// The time at which the factor was confirmed.
    ///
    /// Only confirmed factors are valid.
    var confirmedAt: StoreTime? = nil
    /// The time at which the enrollment expires; nil once it is confirmed.
    var expiresAt: StoreTime? = nil
    /// The time at which the enrollment began.
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

    static let schema = RecordSchema(
        "login_factor",
        FactorRecord.init,
        (Column.id, \.id),
        (Column.accountID, \.accountID),
        (Column.accountState, \.accountState),
        (Column.kind, \.kind),
        (Column.displayName, \.displayName),
        (Column.secret, \.secret),
        (Column.sealedWith, \.sealedWith),
        (Column.parameters, \.parameters),
        (Column.hint, \.hint),
        (Column.fingerprint, \.fingerprint),
        (Column.lastStep, \.lastStep),
        (Column.confirmedAt, \.confirmedAt),
        (Column.expiresAt, \.expiresAt),
        (Column.createdAt, \.createdAt),
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

/// The second factors, confirmed or being enrolled.
struct FactorTable {
    let rows: StoreRows

    private typealias Column = FactorRecord.Column

    /// Returns the confirmed factors of an account, in the order in which they were enrolled.
    ///
    /// Only these are valid.
    func confirmed(of account: AccountID) throws(StoreError) -> [FactorRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            Column.confirmedAt.isNotNull,
            order: .ascending(Column.createdAt, then: Column.id)
        )
    }

    /// Finds the factor of an account with a phone number, confirmed or not.
    func find(fingerprint: [UInt8], of account: AccountID) throws(StoreError) -> FactorRecord? {
        try rows.first(where: Column.accountID.equals(account), Column.fingerprint.equals(fingerprint))
    }

    /// Adds a factor, unless the account has one with its phone number.
    ///
    /// - Returns: Whether it was added.
    func insert(_ factor: FactorRecord) throws(StoreError) -> Bool { try rows.insert(factor) }

    /// Returns the unconfirmed factors of an account, of one kind.
    func unconfirmed(_ kind: MultiFactorKind, of account: AccountID) throws(StoreError) -> [FactorRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            Column.kind.equals(kind.rawValue),
            Column.confirmedAt.isNull
        )
    }

    /// Confirms a factor, unless it was confirmed or replaced meanwhile.
    ///
    /// - Parameters:
    ///   - factor: The factor.
    ///   - step: The step of its code, which is used up (RFC 6238 §5.2).
    ///   - now: The time of the transaction.
    /// - Returns: The factor as it is now; nil if it was confirmed or replaced.
    /// - Throws: ``StoreError``
    func confirm(_ factor: FactorRecord, step: Int64, at now: StoreTime) throws(StoreError) -> FactorRecord? {
        try rows.change(
            set: Column.confirmedAt.becomes(now),
            Column.expiresAt.becomes(nil as StoreTime?),
            Column.lastStep.becomes(step),
            where: Column.id.equals(factor.id),
            Column.confirmedAt.isNull
        )
    }

    /// Uses up the code of a time step.
    ///
    /// It can be used once, and no earlier code can be used after it.
    ///
    /// - Returns: Whether it was used.
    func useStep(_ step: Int64, of factor: FactorRecord) throws(StoreError) -> Bool {
        let used: [FactorRecord] = try rows.update(
            set: Column.lastStep.becomes(step),
            where: Column.id.equals(factor.id),
            Column.lastStep.isLess(than: step)
        )
        return !used.isEmpty
    }

    /// Returns the factors that are encrypted with another key, the oldest first.
    func encrypted(withOtherThan key: Int64, limit: Int) throws(StoreError) -> [FactorRecord] {
        try rows.all(
            where: Column.sealedWith.differs(from: key),
            order: .ascending(Column.createdAt, then: Column.id),
            limit: limit
        )
    }

    /// Replaces the encrypted secret of a factor, unless it was replaced meanwhile.
    func reseal(_ factor: FactorRecord, secret: [UInt8], key: Int64, fingerprint: [UInt8]?) throws(StoreError) {
        try rows.update(
            FactorRecord.self,
            set: Column.secret.becomes(secret),
            Column.sealedWith.becomes(key),
            Column.fingerprint.becomes(fingerprint),
            where: Column.id.equals(factor.id),
            Column.secret.equals(factor.secret)
        )
    }

    /// Moves a factor to another account, with its secret encrypted for that account.
    func move(_ factor: FactorRecord, to account: AccountID, secret: [UInt8], key: Int64, fingerprint: [UInt8]?)
        throws(StoreError)
    {
        try rows.update(
            FactorRecord.self,
            set: Column.accountID.becomes(account),
            Column.secret.becomes(secret),
            Column.sealedWith.becomes(key),
            Column.fingerprint.becomes(fingerprint),
            where: Column.id.equals(factor.id)
        )
    }

    /// Removes a factor.
    func remove(_ factor: FactorRecord) throws(StoreError) {
        try rows.delete(FactorRecord.self, where: Column.id.equals(factor.id))
    }

    /// Removes the factors of an account.
    func removeAll(of account: AccountID) throws(StoreError) {
        try rows.delete(FactorRecord.self, where: Column.accountID.equals(account))
    }
}
