// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A device that stays signed in: the sessions of one refresh token, one after the other.
struct SessionFamilyRecord: StoredRecord {
    /// The ID.
    var id: String
    /// The ID of the account.
    var accountID: AccountID
    /// The ID of the current session.
    var sessionID: SessionID
    /// The ID of the identity with which the device was signed in; nil for an anonymous account.
    var identityID: String? = nil
    /// The number of rotations of its tokens.
    var generation: Int64 = 0
    /// The seed of its tokens.
    ///
    /// Together with a key that the store does not have, it derives them.
    var seed: [UInt8]
    /// The SHA-256 of the current refresh token.
    var refreshHash: [UInt8]
    /// The generation of the previous refresh token: the last one that the client is known to have had when the current
    /// one was issued.
    var previousGeneration: Int64 = 0
    /// Whether the previous refresh token is invalid, because the session has gained rights.
    var isPreviousDead: Bool = false
    /// The session epoch of the account.
    var epoch: Int64
    /// The time of the last rotation.
    var rotatedAt: StoreTime
    /// The time at which the device was signed in.
    var createdAt: StoreTime
    /// The time at which the device expires.
    var expiresAt: StoreTime
    /// The time at which the device was revoked; nil if it was not.
    var revokedAt: StoreTime? = nil
    /// The time until which the device stays signed in if the provider revokes the identity, since the user has begun
    /// to revoke it there; nil if the user never has, or the provider has refused.
    var revokingUntil: StoreTime? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let sessionID = StoreColumn.text("session_id")
        static let identityID = StoreColumn.text("identity_id").orNull
        static let generation = StoreColumn.integer("generation")
        static let seed = StoreColumn.bytes("seed")
        static let refreshHash = StoreColumn.bytes("refresh_hash")
        static let previousGeneration = StoreColumn.integer("previous_generation")
        static let isPreviousDead = StoreColumn.integer("is_previous_dead")
        static let epoch = StoreColumn.integer("epoch")
        static let rotatedAt = StoreColumn.integer("rotated_at")
        static let createdAt = StoreColumn.integer("created_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let revokedAt = StoreColumn.integer("revoked_at").orNull
        static let revokingUntil = StoreColumn.integer("revoking_until").orNull
    }

    static let schema = RecordSchema(
        "login_session_family",
        SessionFamilyRecord.init,
        (Column.id, \.id),
        (Column.accountID, \.accountID),
        (Column.sessionID, \.sessionID),
        (Column.identityID, \.identityID),
        (Column.generation, \.generation),
        (Column.seed, \.seed),
        (Column.refreshHash, \.refreshHash),
        (Column.previousGeneration, \.previousGeneration),
        (Column.isPreviousDead, \.isPreviousDead),
        (Column.epoch, \.epoch),
        (Column.rotatedAt, \.rotatedAt),
        (Column.createdAt, \.createdAt),
        (Column.expiresAt, \.expiresAt),
        (Column.revokedAt, \.revokedAt),
        (Column.revokingUntil, \.revokingUntil),
        primaryKey: [Column.id],
        indexes: [[Column.accountID, Column.revokedAt], [Column.identityID], [Column.expiresAt]],
        references: [
            StoreReference(
                columns: [Column.accountID],
                table: AccountRecord.table.name,
                target: [AccountRecord.Column.id]
            )
        ]
    )
}

/// The devices.
///
/// Each has one session at a time.
struct SessionFamilyTable {
    let rows: StoreRows

    private typealias Column = SessionFamilyRecord.Column

    /// Adds a device.
    func add(_ family: SessionFamilyRecord) throws(StoreError) { try rows.add(family) }

    /// Reads a device; nil if there is none.
    func find(_ id: String) throws(StoreError) -> SessionFamilyRecord? { try rows.first(where: Column.id.equals(id)) }

    /// Locks a device for this transaction.
    func lock(_ id: String) throws(StoreError) {
        try rows.update(SessionFamilyRecord.self, set: Column.generation.grows(by: 0), where: Column.id.equals(id))
    }

    /// Returns the devices that were opened with an identity and are not revoked.
    func open(with identityID: String) throws(StoreError) -> [SessionFamilyRecord] {
        try rows.all(where: Column.identityID.equals(identityID), Column.revokedAt.isNull)
    }

    /// Returns the devices of an account that have no identity and are not revoked.
    func openWithoutIdentity(of account: AccountID) throws(StoreError) -> [SessionFamilyRecord] {
        // By account: an index of the identities would find the devices of all accounts that have none.
        let devices: [SessionFamilyRecord] = try rows.all(
            where: Column.accountID.equals(account),
            Column.revokedAt.isNull
        )
        return devices.filter { $0.identityID == nil }
    }

    /// The number of devices that are read at once.
    private static let pageSize = 100

    /// Returns the accounts of devices that are not revoked, in the order in which the devices expire.
    ///
    /// - Parameter begin: The earliest expiry, in milliseconds.
    /// - Returns: The accounts of a page, and the latest expiry in it; nil if there are none.
    /// - Throws: ``StoreError``
    func inUse(endingFrom begin: Int64) throws(StoreError) -> (accounts: Set<AccountID>, end: Int64?) {
        let devices: [SessionFamilyRecord] = try rows.all(
            where: Column.revokedAt.isNull,
            Column.expiresAt.isAtLeast(begin),
            order: .ascending(Column.expiresAt, then: Column.id),
            limit: Self.pageSize
        )
        return (Set(devices.map(\.accountID)), devices.last?.expiresAt.milliseconds)
    }

    /// Advances a device to its next generation, unless another transaction has done so or the device is revoked.
    ///
    /// - Parameters:
    ///   - changed: The device with its changes, except for its generation.
    ///   - read: The device as it was read.
    /// - Returns: Whether it was advanced.
    /// - Throws: ``StoreError``
    func advance(_ changed: SessionFamilyRecord, from read: SessionFamilyRecord) throws(StoreError) -> Bool {
        var advanced = changed
        advanced.generation = read.generation &+ 1
        let saved = try rows.save(
            advanced,
            from: read,
            where: Column.id.equals(read.id),
            Column.generation.equals(read.generation),
            Column.revokedAt.isNull
        )
        return saved != nil
    }

    /// Sets the expiry of a device.
    func setExpiry(_ expiresAt: StoreTime, of id: String) throws(StoreError) {
        try rows.update(SessionFamilyRecord.self, set: Column.expiresAt.becomes(expiresAt), where: Column.id.equals(id))
    }

    /// Sets the identity with which a device was opened.
    func setIdentity(_ identity: IdentityRecord?, of id: String) throws(StoreError) {
        try rows.update(
            SessionFamilyRecord.self,
            set: Column.identityID.becomes(identity?.id),
            where: Column.id.equals(id)
        )
    }

    /// Sets the time until which a device counts as revoking its identity; nil if it no longer does.
    func setRevoking(until end: StoreTime?, of id: String) throws(StoreError) {
        try rows.update(SessionFamilyRecord.self, set: Column.revokingUntil.becomes(end), where: Column.id.equals(id))
    }

    /// Moves the device of a session to an epoch, from the one before.
    func bring(_ session: SessionID, of account: AccountID, to epoch: Int64) throws(StoreError) {
        try rows.update(
            SessionFamilyRecord.self,
            set: Column.epoch.becomes(epoch),
            where: Column.accountID.equals(account),
            Column.revokedAt.isNull,
            Column.sessionID.equals(session),
            Column.epoch.equals(epoch - 1)
        )
    }

    /// Deletes a device, which has no session.
    func remove(_ id: String) throws(StoreError) {
        try rows.delete(SessionFamilyRecord.self, where: Column.id.equals(id))
    }

    /// Revokes a device, unless it is revoked.
    func revoke(_ id: String, at now: StoreTime) throws(StoreError) {
        try rows.update(
            SessionFamilyRecord.self,
            set: Column.revokedAt.becomes(now),
            where: Column.id.equals(id),
            Column.revokedAt.isNull
        )
    }

    /// Revokes the devices of an account that are of an earlier epoch.
    func revoke(of account: AccountID, before epoch: Int64, at now: StoreTime) throws(StoreError) {
        try rows.update(
            SessionFamilyRecord.self,
            set: Column.revokedAt.becomes(now),
            where: Column.accountID.equals(account),
            Column.epoch.isLess(than: epoch),
            Column.revokedAt.isNull
        )
    }
}
