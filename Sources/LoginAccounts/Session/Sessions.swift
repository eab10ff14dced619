// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The steps that open, check, rotate and close sessions.
///
/// Every transaction locks rows in this order to avoid deadlocks: the account, the device, the session.
struct Sessions {
    let accounts: AccountTable
    let sessions: SessionTable
    let families: SessionFamilyTable
    let audit: AuditTrail
    let context: TransactionContext

    private var now: StoreTime { context.now }
    private var lifetimes: SessionLifetimes { SessionLifetimes(context) }

    // MARK: - Opening

    /// Opens a session on a device of its own.
    ///
    /// - Parameters:
    ///   - account: The row of the account as it is now. It is locked.
    ///   - identity: The identity of the login; nil for an anonymous account.
    ///   - methods: The authentication methods, and the time of each.
    ///   - level: 1, or 2 with a second factor.
    ///   - authenticatedAt: The time of the authentication; nil for now.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The session and its tokens.
    /// - Throws: ``StoreError``
    func open(
        for account: AccountRecord,
        identity: IdentityRecord?,
        methods: [ProvenMethod],
        level: Int64,
        authenticatedAt: StoreTime? = nil,
        isViaRecovery: Bool = false
    ) throws -> OpenedSession {
        let (id, familyID, seed) = (SessionID(rawValue: context.makeID()), context.makeID(), randomBytes(count: 16))
        let issued = try IssuedTokens(
            session: id,
            family: familyID,
            generation: 0,
            seed: seed,
            secrets: context.secrets
        )
        let isGuest = account.isAnonymous
        let expiresAt = lifetimes.end(lifetimes.opened, isGuest: isGuest)
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
        let session = SessionRecord(
            id: id,
            accountID: account.id,
            identityID: identity?.id,
            familyID: familyID,
            state: SessionState.open.rawValue,
            level: level,
            methods: methods,
            levelAt: now,
            generation: 0,
            tokenHash: issued.sessionHash,
            rotatedAt: now,
            tokenExpiresAt: lifetimes.tokenEnd(before: expiresAt),
            epoch: account.sessionEpoch,
            isViaRecovery: isViaRecovery,
            createdAt: now,
            authenticatedAt: authenticatedAt ?? now,
            lastSeenAt: now,
            idleExpiresAt: lifetimes.idleEnd(before: expiresAt, isGuest: isGuest),
            expiresAt: expiresAt,
            device: context.origin?.device,
            addressPrefix: context.origin?.addressPrefix
        )
        try families.add(family)
        try add(session, subject: ["level": "\(level)"])
        return OpenedSession(record: session, tokens: issued.tokens(for: session))
    }

    /// Stores a session that was opened, and closes others of the account if it has more than the maximum.
    func add(_ session: SessionRecord, subject: [String: String]) throws {
        try sessions.add(session)
        try audit.record(.sessionOpened, account: session.accountID, session: session.id, subject: subject)
        try makeRoom(for: session)
    }

    /// Closes expired sessions, and then the oldest, if an account has more than the maximum.
    ///
    /// - Parameter newest: The session that was just opened. It stays open, even if another server's clock is ahead.
    /// - Throws: ``StoreError``
    private func makeRoom(for newest: SessionRecord) throws {
        let maximum = context.policy.sessions.maximumPerAccount
        let open = try sessions.open(of: newest.accountID, epoch: newest.epoch)
        guard open.count > maximum else { return }
        let others = open.filter { $0.id != newest.id }
        let left = others.filter { !$0.hasEnded(at: now) }
        let superseded = left.dropLast(maximum - 1)
        for session in others where session.hasEnded(at: now) { try end(session, reason: .expired) }
        for session in superseded { try end(session, reason: .superseded) }
        try removeOldest(of: newest.accountID, closing: others.count - left.count + superseded.count)
    }

    /// Returns the sessions of an account that were opened in an epoch and are still open, the newest first, each with
    /// its current level.
    func open(of account: AccountID, epoch: Int64) throws(StoreError) -> [SessionRecord] {
        try sessions.newest(of: account, epoch: epoch).filter { !$0.isOver(at: now) }.map { record in
            var record = record
            record.lapse(at: now, policy: context.policy.sessions)
            record.level = record.level(at: now)
            return record
        }
    }

    // MARK: - Checking

    /// Reads a session again.
    ///
    /// It is open, its account is in use, and it has the rights of the token with which it was read.
    ///
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    func current(_ session: Session) throws -> SessionRecord { try currentWithAccount(session).session }

    /// Reads a session again, and its account; see ``current(_:)``.
    func currentWithAccount(_ session: Session) throws -> (session: SessionRecord, account: AccountRecord) {
        guard let (found, account) = try sessions.findWithAccount(session.id.rawValue) else {
            throw AuthError.unknownSession
        }
        if let fault = SessionFault.of(found, account: account, now: now) { throw fault.error }
        let policy = context.policy.sessions
        guard let read = try found.asRead(generation: session.generation, at: now, grace: policy.refreshGrace) else {
            throw AuthError.unknownSession
        }
        if let end = read.until, now >= end { throw AuthError.oldSessionToken }
        var record = read.session
        record.lapse(at: now, policy: policy)
        try record.requireLevel(Int64(session.requiredLevel), at: now)
        return (record, account)
    }

    /// The time for which a network stays known after the last use of a session that was opened there.
    private static let knownNetworkLifetime = Duration.seconds(30 * 86400)

    /// Whether a session of an account was opened from a network and used within the last 30 days.
    ///
    /// Closed sessions count too: an owner who sets a new password during an attack closes all of them.
    func isKnown(_ origin: RequestOrigin?, to account: AccountID) throws(StoreError) -> Bool {
        guard let network = origin?.addressPrefix else { return false }
        return try sessions.isKnown(network, to: account, since: now - Self.knownNetworkLifetime)
    }

    /// Whether the keys derive the tokens of an open session, or there is none.
    func haveOurTokens() throws(StoreError) -> Bool {
        guard let session = try sessions.anyOpen(at: now), let family = try families.find(session.familyID) else {
            return true
        }
        return OpaqueToken.remake(
            .session,
            id: session.id.rawValue,
            generation: session.generation,
            seed: family.seed,
            hash: session.tokenHash,
            secrets: context.secrets
        ) != nil
    }

    // MARK: - Rotating

    /// Issues new tokens for a session whose rights have changed.
    ///
    /// - Parameters:
    ///   - session: The session, as ``current(_:)`` has returned it. Its account is locked.
    ///   - level: The new level; nil if it stays the same.
    ///   - methods: The authentication methods to add, and the time of each.
    ///   - authenticatedAt: The time of the authentication by the first factor; nil if it stays the same. It never
    ///     moves back, except from the future.
    ///   - isViaRecovery: Whether a recovery code was the second factor; nil if it stays the same.
    ///   - previous: The lifetime of the previous tokens.
    /// - Returns: The session and its tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func extend(
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
        if let authenticatedAt {
            let isKnown = !session.authenticatedAt.isAhead(of: now)
            changed.authenticatedAt = isKnown ? max(session.authenticatedAt, authenticatedAt) : authenticatedAt
        }
        changed.isViaRecovery = isViaRecovery ?? session.isViaRecovery
        let isGuest = try accounts.find(session.accountID)?.isAnonymous == true
        let opened = try rotate(changed, from: session, of: family, isGuest: isGuest, previous: previous)
        try audit.record(.sessionExtended, account: session.accountID, session: session.id)
        return opened
    }

    /// Returns the current tokens of a session whose rights have not changed.
    ///
    /// - Parameter session: The session, as ``current(_:)`` has returned it. Its account is locked.
    /// - Returns: The session and its tokens; new ones if the key that made them has been removed.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func keepTokens(_ session: SessionRecord) throws -> OpenedSession {
        try repeatTokens(of: session, in: family(of: session)) ?? extend(session)
    }

    /// Returns the current tokens of a session, and stores the loss of rights.
    ///
    /// - Returns: The session and its tokens; nil if the key that made them has been removed.
    /// - Throws: ``StoreError``
    func repeatTokens(of session: SessionRecord, in family: SessionFamilyRecord) throws(StoreError) -> OpenedSession? {
        guard let issued = IssuedTokens(of: session, family: family, secrets: context.secrets) else { return nil }
        guard let record = try sessions.setRights(session) else {
            throw StoreError(.busy, "the session changed meanwhile")
        }
        return OpenedSession(record: record, tokens: issued.tokens(for: session))
    }

    /// Reads the device of an open session.
    func family(of session: SessionRecord) throws -> SessionFamilyRecord {
        guard let found = try families.find(session.familyID), found.sessionID == session.id else {
            throw AuthError.unknownSession
        }
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
        // A session that was opened for an anonymous account may expire later than others may.
        let end = isGuest ? session.expiresAt : min(session.expiresAt, lifetimes.opened)
        let expiresAt = lifetimes.end(end, isGuest: isGuest)
        let kept = KeptTokens(previous, of: before, family: family)
        let issued = try advance(
            family,
            to: session.id,
            previous: kept.generation,
            isPreviousDead: previous == .dead,
            expiresAt: expiresAt
        )
        var rotated = session
        rotated.state = SessionState.openTokenExtended.rawValue
        rotated.generation = family.generation &+ 1
        rotated.tokenHash = issued.sessionHash
        (rotated.previousTokenHash, rotated.previousToken) = (kept.tokenHash, kept.token)
        rotated.rotatedAt = now
        rotated.tokenExpiresAt = lifetimes.tokenEnd(before: expiresAt)
        rotated.isUsed = false
        let idleEnd = lifetimes.idleEnd(before: expiresAt, isGuest: isGuest)
        // A clock that is behind does not move the last use back, unless the session gets its level by this clock.
        let isSeenLater = session.lastSeenAt > now && session.lastSeenAt <= .latestCreation(now)
        let keepsTimes = isSeenLater && session.levelAt != now
        rotated.lastSeenAt = keepsTimes ? session.lastSeenAt : now
        rotated.idleExpiresAt = keepsTimes ? min(max(idleEnd, session.idleExpiresAt), expiresAt) : idleEnd
        rotated.expiresAt = expiresAt
        guard let record = try sessions.rotate(rotated, at: family.generation) else { throw AuthError.unknownSession }
        return OpenedSession(record: record, tokens: issued.tokens(for: record))
    }

    /// Advances a device to its next generation, unless another transaction has done so, and issues the tokens of that
    /// generation.
    func advance(
        _ family: SessionFamilyRecord,
        to session: SessionID,
        previous: Int64,
        isPreviousDead: Bool,
        expiresAt: StoreTime
    ) throws -> IssuedTokens {
        let issued = try IssuedTokens(
            session: session,
            family: family.id,
            generation: family.generation &+ 1,
            seed: family.seed,
            secrets: context.secrets
        )
        var advanced = family
        advanced.sessionID = session
        advanced.refreshHash = issued.refreshHash
        advanced.rotatedAt = now
        (advanced.previousGeneration, advanced.isPreviousDead) = (previous, isPreviousDead)
        advanced.expiresAt = expiresAt
        // A conflict: the transaction runs again, and sees the change.
        guard try families.advance(advanced, from: family) else {
            throw StoreError(.busy, "the device was refreshed or revoked meanwhile")
        }
        return issued
    }

    /// Sets the identity with which a session counts as opened: unlinking it closes the session.
    func setIdentity(_ identity: IdentityRecord?, of session: SessionRecord) throws(StoreError) {
        try families.setIdentity(identity, of: session.familyID)
        try sessions.setIdentity(identity, of: session.id)
    }

    /// Stores whether a session is revoking the login with which it was opened.
    ///
    /// - Parameters:
    ///   - session: The session. Its account is locked.
    ///   - end: The time until which ``detachRevoking(_:)`` detaches the session; nil if it no longer does.
    /// - Throws: ``StoreError``
    func setRevoking(_ session: SessionRecord, until end: StoreTime?) throws(StoreError) {
        try families.setRevoking(until: end, of: session.familyID)
    }

    /// Detaches the sessions that are revoking an identity from it, so that its revocation does not close them.
    func detachRevoking(_ identity: IdentityRecord) throws(StoreError) {
        for family in try families.open(with: identity.id) {
            guard let end = family.revokingUntil, now < end else { continue }
            try families.setIdentity(nil, of: family.id)
            try sessions.setIdentity(nil, of: family.sessionID)
        }
    }

    // MARK: - Closing

    /// Closes the sessions of an account, which is locked, except one.
    ///
    /// Every server sees it with the next request, and no session that is being opened stays open.
    ///
    /// - Returns: The number of sessions that were open.
    @discardableResult
    func close(of account: AccountID, except kept: SessionID? = nil, reason: SessionCloseReason) throws(StoreError)
        -> Int
    {
        guard let epoch = try accounts.advanceEpoch(of: account) else { return 0 }
        if let kept {
            try families.bring(kept, of: account, to: epoch)
            try sessions.bring(kept, of: account, to: epoch)
        }
        try families.revoke(of: account, before: epoch, at: now)
        let closed = try sessions.close(of: account, before: epoch, reason: reason, at: now)
        for session in closed { try recordClosed(session, reason: reason) }
        try removeOldest(of: account, closing: closed.count)
        return closed.count
    }

    /// Closes the sessions that were opened with an identity, and revokes their devices.
    ///
    /// - Returns: The number of sessions that were open.
    @discardableResult
    func close(openedWith identity: IdentityRecord, except kept: SessionID? = nil, reason: SessionCloseReason)
        throws(StoreError) -> Int
    {
        var count = 0
        for family in try families.open(with: identity.id) where family.sessionID != kept {
            try families.revoke(family.id, at: now)
            if try close(family.sessionID, reason: reason) { count += 1 }
        }
        try removeOldest(of: identity.accountID, closing: count)
        return count
    }

    /// Closes the sessions of an account whose login was unlinked or revoked while they stayed open, and revokes their
    /// devices.
    ///
    /// - Returns: The number of sessions that were open.
    func closeWithoutIdentity(of account: AccountID, reason: SessionCloseReason) throws(StoreError) -> Int {
        var count = 0
        for family in try families.openWithoutIdentity(of: account) {
            try families.revoke(family.id, at: now)
            if try close(family.sessionID, reason: reason) { count += 1 }
        }
        try removeOldest(of: account, closing: count)
        return count
    }

    /// Closes a session, and revokes its device unless that may open another.
    func close(_ session: SessionRecord, reason: SessionCloseReason) throws(StoreError) {
        let isClosed = try end(session, reason: reason)
        try removeOldest(of: session.accountID, closing: isClosed ? 1 : 0)
    }

    /// Closes sessions that have expired, up to a number.
    ///
    /// The caller removes the oldest closed sessions of their accounts, each in a transaction of its own.
    ///
    /// - Returns: The sessions that were examined.
    func closeExpired(_ limit: Int) throws(StoreError) -> [SessionRecord] {
        let expired = try sessions.expired(at: now, limit: limit)
        for session in expired {
            // The device is locked before the session, as in every transaction.
            try families.lock(session.familyID)
            if let current = try sessions.find(session.id), current.closedAt == nil, current.hasEnded(at: now) {
                try end(current, reason: .expired)
            }
        }
        return expired
    }

    /// Closes a session, and revokes its device unless that may open another.
    ///
    /// - Returns: Whether it was open.
    @discardableResult
    private func end(_ session: SessionRecord, reason: SessionCloseReason) throws(StoreError) -> Bool {
        if reason != .kept { try families.revoke(session.familyID, at: now) }
        return try close(session.id, reason: reason)
    }

    private func close(_ id: SessionID, reason: SessionCloseReason) throws(StoreError) -> Bool {
        guard let closed = try sessions.close(id, reason: reason, at: now) else { return false }
        try recordClosed(closed, reason: reason)
        return true
    }

    private func recordClosed(_ session: SessionRecord, reason: SessionCloseReason) throws(StoreError) {
        try audit.record(
            .sessionClosed,
            account: session.accountID,
            session: session.id,
            actor: reason.actor,
            subject: ["reason": reason.rawValue]
        )
    }
}

// An account can open and close sessions all day, and several operations read or write all of its sessions at once.
extension Sessions {
    /// The maximum number of closed sessions of an account; the latest are kept.
    static let maximumClosed = 1000

    /// The number of further closed sessions that are deleted at once, from the time before there was a maximum.
    private static let backlog = 100

    /// Whether an account has more closed sessions than the maximum.
    func hasTooManyClosed(_ account: AccountID) throws(StoreError) -> Bool {
        try !sessions.closed(beyond: Self.maximumClosed, of: account, limit: 1).isEmpty
    }

    /// Deletes the oldest closed sessions of an account beyond the maximum, and their devices unless these have other
    /// sessions: a device that ``Session/closeKeepingTokens()`` has kept signed in then signs in again.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - count: The number of sessions that were just closed; nothing happens if it is 0.
    /// - Throws: ``StoreError``
    func removeOldest(of account: AccountID, closing count: Int) throws(StoreError) {
        guard count > 0 else { return }
        let limit = count + Self.backlog
        for session in try sessions.closed(beyond: Self.maximumClosed, of: account, limit: limit) {
            // The device is locked before the session, as in every transaction.
            try families.lock(session.familyID)
            try sessions.removeClosed(session.id)
            if try !sessions.hasAny(ofFamily: session.familyID) { try families.remove(session.familyID) }
        }
    }
}

extension SessionRecord {
    /// Requires a level of a session that ``Sessions/current(_:)`` has returned.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`.
    func requireLevel(_ level: Int64, at now: StoreTime) throws(AuthError) {
        guard self.level(at: now) >= level else { throw AuthError.levelRequired(Int(level)) }
    }
}
