// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

// A transaction locks these rows in this order, or two could wait for each other: the account, the device, the session.
extension AccountTransaction {
    /// Opens a session on a device of its own.
    ///
    /// - Parameters:
    ///   - account: The row of the account as it is now. It is locked.
    ///   - identity: The identity of the login; nil for an anonymous account.
    ///   - methods: The authentication methods, and when each was shown.
    ///   - level: 1, or 2 with a second factor.
    ///   - authenticatedAt: The time of the authentication; nil for now.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The session and its tokens.
    /// - Throws: ``StoreError``
    func openSession(
        for account: AccountRecord,
        identity: IdentityRecord?,
        methods: [ProvenMethod],
        level: Int64,
        authenticatedAt: StoreTime? = nil,
        isViaRecovery: Bool = false
    ) throws -> OpenedSession {
        let (id, familyID, seed) = (SessionID(rawValue: makeID()), makeID(), randomBytes(count: 16))
        let issued = try issueTokens(session: id, family: familyID, generation: 0, seed: seed)
        let isGuest = account.isAnonymous
        let expiresAt = sessionEnd(now + auth.policy.sessions.absolute, isGuest: isGuest)
        let family = SessionFamilyRecord(
            id: familyID,
            accountID: account.id,
            sessionID: id,
            identityID: identity?.id,
            seed: seed,
            refreshHash: issued.refreshHash,
            epoch: account.sessionEpoch,
            rotatedAt: now,
            createdAt: now,
            expiresAt: expiresAt
        )
        let state = try SessionState.createdOpening.advanced(by: .opened)
        let record = SessionRecord(
            id: id,
            accountID: account.id,
            identityID: identity?.id,
            familyID: familyID,
            state: state.rawValue,
            level: level,
            methods: methods,
            levelAt: now,
            generation: 0,
            tokenHash: issued.sessionHash,
            rotatedAt: now,
            tokenExpiresAt: tokenExpiry(before: expiresAt),
            epoch: account.sessionEpoch,
            isViaRecovery: isViaRecovery,
            createdAt: now,
            authenticatedAt: authenticatedAt ?? now,
            lastSeenAt: now,
            idleExpiresAt: idleExpiry(before: expiresAt, isGuest: isGuest),
            expiresAt: expiresAt,
            device: origin?.device,
            addressPrefix: origin?.addressPrefix
        )
        try add(family)
        try add(record)
        try self.record(.sessionOpened, account: account.id, session: id, subject: ["level": "\(level)"])
        try makeRoom(for: record)
        return OpenedSession(record: record, tokens: issued.tokens(for: record))
    }

    /// Reads a session again.
    ///
    /// It is open, its account is in use, and it has the rights of the token with which it was read.
    ///
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    func currentSession(_ session: Session) throws -> SessionRecord {
        try currentSessionAndAccount(session).session
    }

    /// Reads a session again, and its account; see ``currentSession(_:)``.
    func currentSessionAndAccount(_ session: Session) throws -> (session: SessionRecord, account: AccountRecord) {
        let pair: (SessionRecord, AccountRecord)? = try first(
            following: SessionRecord.account,
            where: SessionRecord.Column.id.equals(session.id.rawValue)
        )
        guard let (found, account) = pair else { throw AuthError.unknownSession }
        if let fault = SessionFault.of(found, account: account, now: now) { throw fault.error }
        let grace = auth.policy.sessions.refreshGrace
        guard let read = try found.asRead(generation: session.generation, at: now, grace: grace) else {
            throw AuthError.unknownSession
        }
        if let end = read.until, now >= end { throw AuthError.oldSessionToken }
        var record = read.session
        record.lapse(at: now, policy: auth.policy.sessions)
        try requireLevel(Int64(session.requiredLevel), of: record)
        return (record, account)
    }

    /// Requires a level of a session that ``currentSession(_:)`` has returned.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`.
    func requireLevel(_ level: Int64, of session: SessionRecord) throws {
        guard session.level >= level else { throw AuthError.levelRequired(Int(level)) }
    }

    /// Issues new tokens for a session whose rights have changed.
    ///
    /// - Parameters:
    ///   - session: The session, as ``currentSession(_:)`` has returned it. Its account is locked.
    ///   - level: The new level; nil if it stays the same.
    ///   - methods: The authentication methods to add, and when each was shown.
    ///   - authenticatedAt: The time of the authentication by the first factor; nil if it stays the same. It never moves back.
    ///   - isViaRecovery: Whether a recovery code was the second factor; nil if it stays the same.
    ///   - previous: The lifetime of the previous tokens.
    /// - Returns: The session and its tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func rotateSession(
        _ session: SessionRecord,
        level: Int64? = nil,
        adding methods: [ProvenMethod] = [],
        authenticatedAt: StoreTime? = nil,
        isViaRecovery: Bool? = nil,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> OpenedSession {
        let family = try family(of: session)
        var changed = session
        changed.methods = session.methods.adding(methods)
        if let level { (changed.level, changed.levelAt) = (level, now) }
        changed.authenticatedAt = max(session.authenticatedAt, authenticatedAt ?? session.authenticatedAt)
        changed.isViaRecovery = isViaRecovery ?? session.isViaRecovery
        let isGuest = try account(of: session)?.isAnonymous == true
        let opened = try rotate(changed, from: session, of: family, isGuest: isGuest, previous: previous)
        try record(.sessionExtended, account: session.accountID, session: session.id)
        return opened
    }

    /// Returns the current tokens of a session whose rights have not changed.
    ///
    /// - Parameter session: The session, as ``currentSession(_:)`` has returned it. Its account is locked.
    /// - Returns: The session and its tokens; new ones if the key that made them has been removed.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func keepTokens(_ session: SessionRecord) throws -> OpenedSession {
        try answerAgain(session, of: family(of: session)) ?? rotateSession(session)
    }

    /// Reads the device of an open session.
    func family(of session: SessionRecord) throws -> SessionFamilyRecord {
        let found: SessionFamilyRecord? = try first(where: SessionFamilyRecord.Column.id.equals(session.familyID))
        guard let found, found.sessionID == session.id else { throw AuthError.unknownSession }
        return found
    }

    /// Issues the tokens of the next generation for a session, and stores its changes.
    ///
    /// - Parameters:
    ///   - session: The session with its changes.
    ///   - before: The session without them, which has the rights of the previous tokens.
    ///   - family: Its device.
    ///   - isGuest: Whether its account is anonymous.
    ///   - previous: The lifetime of the previous tokens.
    /// - Returns: The session and its tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func rotate(
        _ session: SessionRecord,
        from before: SessionRecord,
        of family: SessionFamilyRecord,
        isGuest: Bool,
        previous: PreviousTokens
    ) throws -> OpenedSession {
        let generation = family.generation &+ 1
        let issued = try issueTokens(session: session.id, family: family.id, generation: generation, seed: family.seed)
        // A session that was opened for an anonymous account may expire later than others may.
        let end = isGuest ? session.expiresAt : min(session.expiresAt, now + auth.policy.sessions.absolute)
        let expiresAt = sessionEnd(end, isGuest: isGuest)
        let kept = KeptTokens(previous, of: before, family: family)
        try advance(
            family,
            to: session.id,
            refreshHash: issued.refreshHash,
            previous: kept.generation,
            isPreviousDead: previous == .dead,
            expiresAt: expiresAt
        )
        let state = try SessionState(kept: session.state).advanced(by: .tokenExtended)
        let rotated: [SessionRecord] = try update(
            set: SessionRecord.Column.state.becomes(state.rawValue),
            SessionRecord.Column.level.becomes(session.level),
            SessionRecord.Column.levelAt.becomes(session.levelAt),
            SessionRecord.Column.methods.becomes(session.methods.text),
            SessionRecord.Column.authenticatedAt.becomes(session.authenticatedAt),
            SessionRecord.Column.isViaRecovery.becomes(session.isViaRecovery),
            SessionRecord.Column.generation.becomes(generation),
            SessionRecord.Column.tokenHash.becomes(issued.sessionHash),
            SessionRecord.Column.previousTokenHash.becomes(kept.tokenHash),
            SessionRecord.Column.previousToken.becomes(kept.token?.text),
            SessionRecord.Column.rotatedAt.becomes(now),
            SessionRecord.Column.tokenExpiresAt.becomes(tokenExpiry(before: expiresAt)),
            SessionRecord.Column.isUsed.becomes(false),
            SessionRecord.Column.lastSeenAt.becomes(now),
            SessionRecord.Column.idleExpiresAt.becomes(idleExpiry(before: expiresAt, isGuest: isGuest)),
            SessionRecord.Column.expiresAt.becomes(expiresAt),
            where: SessionRecord.Column.id.equals(session.id.rawValue),
            SessionRecord.Column.generation.equals(family.generation),
            SessionRecord.Column.closedAt.isNull
        )
        guard let record = rotated.first else { throw AuthError.unknownSession }
        return OpenedSession(record: record, tokens: issued.tokens(for: record))
    }

    /// Advances a device to its next generation, unless another transaction has done so.
    func advance(
        _ family: SessionFamilyRecord,
        to session: SessionID,
        refreshHash: [UInt8],
        previous: Int64,
        isPreviousDead: Bool,
        expiresAt: StoreTime
    ) throws {
        let advanced: [SessionFamilyRecord] = try update(
            set: SessionFamilyRecord.Column.generation.becomes(family.generation &+ 1),
            SessionFamilyRecord.Column.sessionID.becomes(session.rawValue),
            SessionFamilyRecord.Column.refreshHash.becomes(refreshHash),
            SessionFamilyRecord.Column.rotatedAt.becomes(now),
            SessionFamilyRecord.Column.previousGeneration.becomes(previous),
            SessionFamilyRecord.Column.isPreviousDead.becomes(isPreviousDead),
            SessionFamilyRecord.Column.expiresAt.becomes(expiresAt),
            where: SessionFamilyRecord.Column.id.equals(family.id),
            SessionFamilyRecord.Column.generation.equals(family.generation),
            SessionFamilyRecord.Column.revokedAt.isNull
        )
        // A conflict: the transaction runs again, and sees the change.
        guard !advanced.isEmpty else { throw StoreError(.busy, "the device was refreshed or revoked meanwhile") }
    }
}

// MARK: - Closing

extension AccountTransaction {
    /// Closes the sessions of an account, which is locked, except one.
    ///
    /// Every server sees it with the next request, and no session that is being opened stays open.
    ///
    /// - Returns: The number of sessions that were open.
    @discardableResult
    func closeSessions(of account: AccountID, except kept: SessionID? = nil, reason: SessionCloseReason) throws -> Int {
        let advanced: [AccountRecord] = try update(
            set: AccountRecord.Column.sessionEpoch.grows(by: 1),
            where: AccountRecord.Column.id.equals(account.rawValue)
        )
        guard let epoch = advanced.first?.sessionEpoch else { return 0 }
        if let kept { try bring(kept, of: account, to: epoch) }
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.revokedAt.becomes(now),
            where: SessionFamilyRecord.Column.accountID.equals(account.rawValue),
            SessionFamilyRecord.Column.epoch.isLess(than: epoch),
            SessionFamilyRecord.Column.revokedAt.isNull
        )
        let closed: [SessionRecord] = try update(
            set: SessionRecord.Column.closedAt.becomes(now),
            SessionRecord.Column.closeReason.becomes(reason.rawValue),
            SessionRecord.Column.state.becomes(SessionState.closed.rawValue),
            where: SessionRecord.Column.accountID.equals(account.rawValue),
            SessionRecord.Column.epoch.isLess(than: epoch),
            SessionRecord.Column.closedAt.isNull
        )
        for session in closed { try recordClosed(session, reason: reason) }
        return closed.count
    }

    /// Closes the sessions that were opened with an identity, and revokes their devices.
    ///
    /// - Returns: The number of sessions that were open.
    @discardableResult
    func closeSessions(openedWith identityID: String, except kept: SessionID? = nil, reason: SessionCloseReason) throws
        -> Int
    {
        let families: [SessionFamilyRecord] = try all(
            where: SessionFamilyRecord.Column.identityID.equals(identityID),
            SessionFamilyRecord.Column.revokedAt.isNull
        )
        var count = 0
        for family in families where family.sessionID != kept {
            try revoke(family.id)
            count += try close(family.sessionID, reason: reason)
        }
        return count
    }

    /// Closes a session, and revokes its device unless that may open another.
    func close(_ session: SessionRecord, reason: SessionCloseReason) throws {
        if reason != .kept { try revoke(session.familyID) }
        _ = try close(session.id, reason: reason)
    }

    private func close(_ id: SessionID, reason: SessionCloseReason) throws -> Int {
        let closed: [SessionRecord] = try update(
            set: SessionRecord.Column.closedAt.becomes(now),
            SessionRecord.Column.closeReason.becomes(reason.rawValue),
            SessionRecord.Column.state.becomes(SessionState.closed.rawValue),
            where: SessionRecord.Column.id.equals(id.rawValue),
            SessionRecord.Column.closedAt.isNull
        )
        for session in closed { try recordClosed(session, reason: reason) }
        return closed.count
    }

    private func revoke(_ familyID: String) throws {
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.revokedAt.becomes(now),
            where: SessionFamilyRecord.Column.id.equals(familyID),
            SessionFamilyRecord.Column.revokedAt.isNull
        )
    }

    private func recordClosed(_ session: SessionRecord, reason: SessionCloseReason) throws {
        try record(
            .sessionClosed,
            account: session.accountID,
            session: session.id,
            actor: reason.actor,
            subject: ["reason": reason.rawValue]
        )
    }

    /// Moves the session that stays open, and its device, to the new epoch.
    private func bring(_ kept: SessionID, of account: AccountID, to epoch: Int64) throws {
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.epoch.becomes(epoch),
            where: SessionFamilyRecord.Column.accountID.equals(account.rawValue),
            SessionFamilyRecord.Column.sessionID.equals(kept.rawValue),
            SessionFamilyRecord.Column.epoch.equals(epoch - 1)
        )
        try update(
            SessionRecord.self,
            set: SessionRecord.Column.epoch.becomes(epoch),
            where: SessionRecord.Column.id.equals(kept.rawValue),
            SessionRecord.Column.accountID.equals(account.rawValue),
            SessionRecord.Column.epoch.equals(epoch - 1)
        )
    }

    /// Closes expired sessions, and then the oldest, if an account has more than the maximum.
    ///
    /// - Parameter newest: The session that was just opened. It stays open, even if another server's clock is ahead.
    /// - Throws: ``StoreError``
    func makeRoom(for newest: SessionRecord) throws {
        let open: [SessionRecord] = try all(
            where: SessionRecord.Column.accountID.equals(newest.accountID.rawValue),
            SessionRecord.Column.closedAt.isNull,
            SessionRecord.Column.epoch.equals(newest.epoch),
            order: .ascending(SessionRecord.Column.createdAt, then: SessionRecord.Column.id)
        )
        guard open.count > auth.policy.sessions.maximumPerAccount else { return }
        let others = open.filter { $0.id != newest.id }
        let left = others.filter { !$0.isOver(at: now) }
        for session in others where session.isOver(at: now) { try close(session, reason: .expired) }
        for session in left.dropLast(auth.policy.sessions.maximumPerAccount - 1) {
            try close(session, reason: .superseded)
        }
    }
}

// MARK: - Tokens

/// Issued tokens, and the hashes that are stored.
struct IssuedTokens {
    let sessionToken: String
    let refreshToken: String

    var sessionHash: [UInt8] { Digest.sha256.hash(sessionToken.utf8) }
    var refreshHash: [UInt8] { Digest.sha256.hash(refreshToken.utf8) }

    func tokens(for session: SessionRecord) -> SessionTokens {
        SessionTokens(
            sessionToken: sessionToken,
            refreshToken: refreshToken,
            expiresAt: min(session.tokenExpiresAt ?? session.expiresAt, session.expiresAt).date
        )
    }
}

extension AccountTransaction {
    func issueTokens(session: SessionID, family: String, generation: Int64, seed: [UInt8]) throws -> IssuedTokens {
        let secrets = auth.secrets
        guard
            let sessionToken = OpaqueToken.make(
                .session,
                id: session.rawValue,
                generation: generation,
                seed: seed,
                secrets: secrets
            ),
            let refreshToken = OpaqueToken.make(
                .refresh,
                id: family,
                generation: generation,
                seed: seed,
                secrets: secrets
            )
        else { throw AuthError(.internalError, "a session or a device has no UUID, or was refreshed 2³² times") }
        return IssuedTokens(sessionToken: sessionToken, refreshToken: refreshToken)
    }

    func account(of session: SessionRecord) throws -> AccountRecord? {
        try first(where: AccountRecord.Column.id.equals(session.accountID.rawValue))
    }

    /// The time at which a session expires in any case.
    ///
    /// That of a guest moves with each use, as the lifetime of the account does.
    func sessionEnd(_ end: StoreTime, isGuest: Bool) -> StoreTime {
        guard isGuest else { return end }
        return max(end, now + max(auth.policy.linking.anonymousLifetime, auth.policy.sessions.absolute))
    }

    /// The time at which a session expires unless it is used.
    func idleExpiry(before end: StoreTime, isGuest: Bool) -> StoreTime {
        let idle = auth.policy.sessions.idle
        return min(now + (isGuest ? max(auth.policy.linking.anonymousLifetime, idle) : idle), end)
    }

    func tokenExpiry(before end: StoreTime) -> StoreTime? {
        guard let lifetime = auth.policy.sessions.tokenLifetime else { return nil }
        // Otherwise tokens that were issued at once would all be refreshed at once.
        let part = Double(randomBytes(count: 1)[0]) / 255
        return min(now + lifetime * (0.95 + 0.1 * part), end)
    }
}
