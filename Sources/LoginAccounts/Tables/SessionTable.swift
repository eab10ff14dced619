// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A session.
struct SessionRecord: StoredRecord {
    /// The ID.
    var id: SessionID
    /// The ID of the account.
    var accountID: AccountID
    /// The ID of the identity with which the session was opened; nil for an anonymous account.
    var identityID: String? = nil
    /// The ID of the device.
    var familyID: String
    /// A ``SessionState``.
    var state: String
    /// The level: 1, or 2 after a second factor.
    var level: Int64
    /// The authentication methods, and the time of each.
    var methods: [ProvenMethod]
    /// The time since which the session has its level.
    var levelAt: StoreTime
    /// The generation of its session token.
    var generation: Int64
    /// The SHA-256 of its session token.
    var tokenHash: [UInt8]
    /// The SHA-256 of the previous session token, if that is still valid.
    var previousTokenHash: [UInt8]? = nil
    /// The rights of the previous token until the current one is used; nil if it is valid for
    /// ``SessionPolicy/refreshGrace`` after a refresh, or invalid.
    var previousToken: PreviousToken? = nil
    /// The time at which its token was issued.
    var rotatedAt: StoreTime
    /// The expiry of its token; nil if the token lasts as long as the session.
    var tokenExpiresAt: StoreTime? = nil
    /// Whether its current token was ever used.
    var isUsed: Bool = false
    /// The session epoch of the account in which the session was opened.
    var epoch: Int64
    /// Whether a recovery code was the second factor.
    var isViaRecovery: Bool = false
    /// The time at which the session was opened.
    var createdAt: StoreTime
    /// The time of the last authentication, with the second factor if there was one.
    ///
    /// A step-up alone does not count.
    var authenticatedAt: StoreTime
    /// The time of the last use, to the minute.
    var lastSeenAt: StoreTime
    /// The time at which the session expires unless it is used, ``expiresAt`` at the latest.
    var idleExpiresAt: StoreTime
    /// The time at which the session expires in any case.
    var expiresAt: StoreTime
    /// The time at which the session was closed.
    var closedAt: StoreTime? = nil
    /// The reason for closing.
    var closeReason: String? = nil
    /// The name that the device reported.
    var device: String? = nil
    /// The network from which the session was opened.
    var addressPrefix: String? = nil

    enum Column {
        static let id = StoreColumn.text("id")
        static let accountID = StoreColumn.text("account_id")
        static let identityID = StoreColumn.text("identity_id").orNull
        static let familyID = StoreColumn.text("family_id")
        static let state = StoreColumn.text("state")
        static let level = StoreColumn.integer("level")
        static let methods = StoreColumn.text("methods")
        static let levelAt = StoreColumn.integer("level_at")
        static let generation = StoreColumn.integer("generation")
        static let tokenHash = StoreColumn.bytes("token_hash")
        static let previousTokenHash = StoreColumn.bytes("previous_token_hash").orNull
        static let previousToken = StoreColumn.text("previous_token").orNull
        static let rotatedAt = StoreColumn.integer("rotated_at")
        static let tokenExpiresAt = StoreColumn.integer("token_expires_at").orNull
        static let isUsed = StoreColumn.integer("is_used")
        static let epoch = StoreColumn.integer("epoch")
        static let isViaRecovery = StoreColumn.integer("is_via_recovery")
        static let createdAt = StoreColumn.integer("created_at")
        static let authenticatedAt = StoreColumn.integer("authenticated_at")
        static let lastSeenAt = StoreColumn.integer("last_seen_at")
        static let idleExpiresAt = StoreColumn.integer("idle_expires_at")
        static let expiresAt = StoreColumn.integer("expires_at")
        static let closedAt = StoreColumn.integer("closed_at").orNull
        static let closeReason = StoreColumn.text("close_reason").orNull
        static let device = StoreColumn.text("device").orNull
        static let addressPrefix = StoreColumn.text("address_prefix").orNull
    }

    static let schema = RecordSchema(
        "login_session",
        SessionRecord.init,
        (Column.id, \.id),
        (Column.accountID, \.accountID),
        (Column.identityID, \.identityID),
        (Column.familyID, \.familyID),
        (Column.state, \.state),
        (Column.level, \.level),
        (Column.methods, \.methods),
        (Column.levelAt, \.levelAt),
        (Column.generation, \.generation),
        (Column.tokenHash, \.tokenHash),
        (Column.previousTokenHash, \.previousTokenHash),
        (Column.previousToken, \.previousToken),
        (Column.rotatedAt, \.rotatedAt),
        (Column.tokenExpiresAt, \.tokenExpiresAt),
        (Column.isUsed, \.isUsed),
        (Column.epoch, \.epoch),
        (Column.isViaRecovery, \.isViaRecovery),
        (Column.createdAt, \.createdAt),
        (Column.authenticatedAt, \.authenticatedAt),
        (Column.lastSeenAt, \.lastSeenAt),
        (Column.idleExpiresAt, \.idleExpiresAt),
        (Column.expiresAt, \.expiresAt),
        (Column.closedAt, \.closedAt),
        (Column.closeReason, \.closeReason),
        (Column.device, \.device),
        (Column.addressPrefix, \.addressPrefix),
        primaryKey: [Column.id],
        indexes: [
            // The open sessions of an account are few, its closed ones may be a thousand.
            [Column.accountID, Column.closedAt], [Column.identityID], [Column.familyID], [Column.expiresAt],
            [Column.closedAt, Column.idleExpiresAt],
        ],
        references: [
            account,
            StoreReference(
                columns: [Column.familyID],
                table: SessionFamilyRecord.table.name,
                target: [SessionFamilyRecord.Column.id]
            ),
        ]
    )

    /// The account of the session.
    static let account = StoreReference(
        columns: [Column.accountID],
        table: AccountRecord.table.name,
        target: [AccountRecord.Column.id]
    )
}

/// The sessions.
struct SessionTable {
    let rows: StoreRows

    private typealias Column = SessionRecord.Column

    /// Adds a session.
    func add(_ session: SessionRecord) throws(StoreError) { try rows.add(session) }

    /// Reads a session in any state; nil if there is none.
    func find(_ id: SessionID) throws(StoreError) -> SessionRecord? {
        try rows.first(where: Column.id.equals(id))
    }

    /// Reads a session in any state, and its account, with one statement; nil if there is none.
    func findWithAccount(_ id: String) throws(StoreError) -> (SessionRecord, AccountRecord)? {
        try rows.first(following: SessionRecord.account, where: Column.id.equals(id))
    }

    /// Returns the latest use of a session of an account, in any state; nil if it has none.
    func lastSeen(of account: AccountID) throws(StoreError) -> StoreTime? {
        let latest: [SessionRecord] = try rows.all(
            where: Column.accountID.equals(account),
            order: .descending(Column.lastSeenAt, then: Column.id),
            limit: 1
        )
        return latest.first?.lastSeenAt
    }

    /// Returns the sessions of an account that were opened in an epoch and are not closed, the oldest first.
    func open(of account: AccountID, epoch: Int64) throws(StoreError) -> [SessionRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            Column.closedAt.isNull,
            Column.epoch.equals(epoch),
            order: .ascending(Column.createdAt, then: Column.id)
        )
    }

    /// Whether a session of an account was opened from a network and used since a time.
    func isKnown(_ network: String, to account: AccountID, since time: StoreTime) throws(StoreError) -> Bool {
        let session: SessionRecord? = try rows.first(
            where: Column.accountID.equals(account),
            Column.addressPrefix.equals(network),
            Column.lastSeenAt.isAfter(time)
        )
        return session != nil
    }

    /// Returns the sessions of an account that were opened in an epoch and are not closed, the newest first.
    func newest(of account: AccountID, epoch: Int64) throws(StoreError) -> [SessionRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            Column.closedAt.isNull,
            Column.epoch.equals(epoch),
            order: .descending(Column.createdAt, then: Column.id)
        )
    }

    /// Returns the sessions of an account in any state, the newest first.
    func newest(of account: AccountID, limit: Int) throws(StoreError) -> [SessionRecord] {
        try rows.all(
            where: Column.accountID.equals(account),
            order: .descending(Column.createdAt, then: Column.id),
            limit: limit
        )
    }

    /// Returns the open sessions that have expired, the first expired first.
    ///
    /// Those that have reached their maximum age are among them: ``SessionRecord/idleExpiresAt`` is never later.
    func expired(at now: StoreTime, limit: Int) throws(StoreError) -> [SessionRecord] {
        try rows.all(
            where: Column.closedAt.isNull,
            Column.idleExpiresAt.isAtMost(now.milliseconds),
            order: .ascending(Column.idleExpiresAt, then: Column.id),
            limit: limit
        )
    }

    /// Whether a device has a session, open or closed.
    func hasAny(ofFamily id: String) throws(StoreError) -> Bool {
        let session: SessionRecord? = try rows.first(where: Column.familyID.equals(id))
        return session != nil
    }

    /// Reads a session that is open and in use; nil if there is none.
    func anyOpen(at now: StoreTime) throws(StoreError) -> SessionRecord? {
        let open: [SessionRecord] = try rows.all(
            where: Column.closedAt.isNull,
            Column.idleExpiresAt.isAfter(now),
            limit: 1
        )
        return open.first
    }

    /// Stores a session that got new tokens, if it is open and still has the generation before.
    ///
    /// - Parameters:
    ///   - session: The session with its changes: rights, tokens and times.
    ///   - generation: The generation of its device before.
    /// - Returns: The session as it is now; nil if it was closed or rotated meanwhile.
    /// - Throws: ``StoreError``
    func rotate(_ session: SessionRecord, at generation: Int64) throws(StoreError) -> SessionRecord? {
        try rows.change(
            set: Column.state.becomes(session.state),
            Column.level.becomes(session.level),
            Column.levelAt.becomes(session.levelAt),
            Column.methods.becomes(session.methods.text),
            Column.authenticatedAt.becomes(session.authenticatedAt),
            Column.isViaRecovery.becomes(session.isViaRecovery),
            Column.generation.becomes(session.generation),
            Column.tokenHash.becomes(session.tokenHash),
            Column.previousTokenHash.becomes(session.previousTokenHash),
            Column.previousToken.becomes(session.previousToken?.text),
            Column.rotatedAt.becomes(session.rotatedAt),
            Column.tokenExpiresAt.becomes(session.tokenExpiresAt),
            Column.isUsed.becomes(session.isUsed),
            Column.lastSeenAt.becomes(session.lastSeenAt),
            Column.idleExpiresAt.becomes(session.idleExpiresAt),
            Column.expiresAt.becomes(session.expiresAt),
            where: Column.id.equals(session.id),
            Column.generation.equals(generation),
            Column.closedAt.isNull
        )
    }

    /// Stores the rights of a session, if it is open and has not been rotated meanwhile.
    ///
    /// - Returns: The session as it is now; nil if it was closed or rotated.
    func setRights(_ session: SessionRecord) throws(StoreError) -> SessionRecord? {
        try rows.change(
            set: Column.level.becomes(session.level),
            Column.levelAt.becomes(session.levelAt),
            Column.methods.becomes(session.methods.text),
            Column.authenticatedAt.becomes(session.authenticatedAt),
            Column.isViaRecovery.becomes(session.isViaRecovery),
            where: Column.id.equals(session.id),
            Column.generation.equals(session.generation),
            Column.closedAt.isNull
        )
    }

    /// Stores the use of a session, unless it was closed or rotated, its current token was used, or it lost its level
    /// meanwhile.
    ///
    /// - Parameters:
    ///   - session: The session with its changes: level, times, and whether its current token was used.
    ///   - seen: The session as it was read.
    /// - Returns: The session as it is now; nil if it has changed since it was read.
    /// - Throws: ``StoreError``
    func touch(_ session: SessionRecord, from seen: SessionRecord) throws(StoreError) -> SessionRecord? {
        try rows.change(
            set: Column.lastSeenAt.becomes(session.lastSeenAt),
            Column.idleExpiresAt.becomes(session.idleExpiresAt),
            Column.expiresAt.becomes(session.expiresAt),
            Column.isUsed.becomes(session.isUsed),
            Column.level.becomes(session.level),
            Column.levelAt.becomes(session.levelAt),
            where: Column.id.equals(seen.id),
            Column.generation.equals(seen.generation),
            // The level is lost with the last second factor, and an older snapshot must not restore it.
            Column.level.equals(seen.level),
            // After the new token was used, the previous one must not become valid again.
            Column.isUsed.equals(seen.isUsed),
            Column.closedAt.isNull
        )
    }

    /// Sets the open sessions of an account to level 1.
    func lowerLevels(of account: AccountID) throws(StoreError) {
        try rows.update(
            SessionRecord.self,
            set: Column.level.becomes(1),
            where: Column.accountID.equals(account),
            Column.closedAt.isNull
        )
    }

    /// Sets the identity with which a session was opened.
    func setIdentity(_ identity: IdentityRecord?, of session: SessionID) throws(StoreError) {
        try rows.update(
            SessionRecord.self,
            set: Column.identityID.becomes(identity?.id),
            where: Column.id.equals(session)
        )
    }

    /// Moves a session to the epoch after the one in which it was opened.
    func bring(_ session: SessionID, of account: AccountID, to epoch: Int64) throws(StoreError) {
        try rows.update(
            SessionRecord.self,
            set: Column.epoch.becomes(epoch),
            where: Column.id.equals(session),
            Column.accountID.equals(account),
            Column.epoch.equals(epoch - 1)
        )
    }

    /// Closes a session, unless it is closed.
    ///
    /// - Returns: The session as it is now; nil if it was closed before.
    func close(_ id: SessionID, reason: SessionCloseReason, at now: StoreTime) throws(StoreError) -> SessionRecord? {
        try rows.change(
            set: Column.closedAt.becomes(now),
            Column.closeReason.becomes(reason.rawValue),
            Column.state.becomes(SessionState.closed.rawValue),
            where: Column.id.equals(id),
            Column.closedAt.isNull
        )
    }

    /// Closes the sessions of an account that were opened before an epoch, and returns those that were open.
    func close(of account: AccountID, before epoch: Int64, reason: SessionCloseReason, at now: StoreTime)
        throws(StoreError) -> [SessionRecord]
    {
        try rows.update(
            set: Column.closedAt.becomes(now),
            Column.closeReason.becomes(reason.rawValue),
            Column.state.becomes(SessionState.closed.rawValue),
            where: Column.accountID.equals(account),
            Column.epoch.isLess(than: epoch),
            Column.closedAt.isNull
        )
    }

    /// Returns closed sessions of an account that are not among the latest closed ones.
    ///
    /// - Parameters:
    ///   - kept: The number of closed sessions, the latest, that are left out.
    ///   - account: The account.
    ///   - limit: The maximum number of sessions.
    /// - Returns: The sessions.
    /// - Throws: ``StoreError``
    func closed(beyond kept: Int, of account: AccountID, limit: Int) throws(StoreError) -> ArraySlice<SessionRecord> {
        // The open sessions, which are few, come last. Without a condition on the time, the key of the index suffices.
        let latest: [SessionRecord] = try rows.all(
            where: Column.accountID.equals(account),
            order: .descending(Column.closedAt),
            limit: kept + limit
        )
        return latest.prefix { $0.closedAt != nil }.dropFirst(kept)
    }

    /// Deletes a session, unless it is open.
    func removeClosed(_ id: SessionID) throws(StoreError) {
        try rows.delete(SessionRecord.self, where: Column.id.equals(id), Column.closedAt.isNotNull)
    }

    /// Removes the devices and networks of the sessions of an account.
    func forgetDevices(of account: AccountID) throws(StoreError) {
        // Nearly every session has a network, so that the second statement finds few.
        for column in [Column.addressPrefix, Column.device] {
            try rows.update(
                SessionRecord.self,
                set: Column.device.becomes(nil as String?),
                Column.addressPrefix.becomes(nil as String?),
                where: Column.accountID.equals(account),
                column.isNotNull
            )
        }
    }

    /// Removes the devices and networks of some sessions of an account.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - limit: The number of sessions.
    /// - Returns: The number of sessions that had one, at most the limit.
    /// - Throws: ``StoreError``
    func forgetSomeDevices(of account: AccountID, limit: Int) throws(StoreError) -> Int {
        var count = 0
        for column in [Column.device, Column.addressPrefix] where count < limit {
            let known: [SessionRecord] = try rows.all(
                where: Column.accountID.equals(account),
                column.isNotNull,
                limit: limit - count
            )
            for session in known {
                try rows.update(
                    SessionRecord.self,
                    set: Column.device.becomes(nil as String?),
                    Column.addressPrefix.becomes(nil as String?),
                    where: Column.id.equals(session.id)
                )
            }
            count += known.count
        }
        return count
    }
}
