// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The steps that look up the session of a token, store its use, and refresh it.
struct SessionRefresh {
    let accounts: AccountTable
    let sessionTable: SessionTable
    let families: SessionFamilyTable
    let sessions: Sessions
    let audit: AuditTrail
    let context: TransactionContext

    private var now: StoreTime { context.now }
    private var policy: SessionPolicy { context.policy.sessions }
    private var lifetimes: SessionLifetimes { SessionLifetimes(context) }

    /// Finds the session of a session token, and writes nothing.
    func find(_ presented: OpaqueToken) throws(StoreError) -> FoundSession {
        guard let (record, account) = try sessionTable.findWithAccount(presented.id),
            let shown = record.shown(presented, at: now, grace: policy.refreshGrace)
        else { return FoundSession(.failure(.unknownSession)) }
        if let fault = SessionFault.of(record, account: account, now: now) {
            return FoundSession(.failure(fault.error), unwritten: fault.reasonToClose.map { .end(record, $0) })
        }
        let end: StoreTime? =
            switch shown {
            case .current: record.tokenEnd(at: now)
            case .justReplaced: nil
            case .previous(let token): token.end(at: now)
            }
        if let end, now >= end { return FoundSession(.failure(.oldSessionToken)) }
        let owner = SessionOwner(account)
        let isDue = isUseDue(of: record, isCurrent: shown == .current)
        let found = (try asShown(record, shown), shown, owner)
        return FoundSession(.success(found), unwritten: isDue ? .use(record, shown, owner) : nil)
    }

    /// Finds the session of a session token that was closed by the merge of its account into another; nil if there is
    /// none.
    func find(_ presented: OpaqueToken, mergedInto target: AccountID) throws(StoreError) -> SessionRecord? {
        guard let (record, account) = try sessionTable.findWithAccount(presented.id), account.mergedInto == target,
            record.closeReason == SessionCloseReason.merged.rawValue,
            record.shown(presented, at: now, grace: policy.refreshGrace) != nil
        else { return nil }
        return record
    }

    /// Finds the session of a session token, and stores its use or its end.
    func use(_ presented: OpaqueToken) throws(StoreError) -> FoundSession.Answer {
        let found = try find(presented)
        switch found.unwritten {
        case nil: break
        case .end(let record, let reason): try sessions.close(record, reason: reason)
        case .use(let record, let shown, let owner):
            let used = try touch(record, isCurrent: shown == .current, isGuest: owner.isAnonymous)
            return .success((try asShown(used, shown), shown, owner))
        }
        return found.answer
    }

    /// Returns the session with its current level, and no more rights than the presented token has.
    private func asShown(_ record: SessionRecord, _ shown: ShownToken) throws(StoreError) -> SessionRecord {
        var record = if case .previous(let token) = shown { try record.with(token) } else { record }
        record.lapse(at: now, policy: policy)
        return record
    }

    /// Whether a use of a session is due to be stored, the first one and then once a minute, or the loss of its level.
    private func isUseDue(of record: SessionRecord, isCurrent: Bool) -> Bool {
        var lapsed = record
        lapsed.lapse(at: now, policy: policy)
        return now >= record.lastSeenAt + lifetimes.touchInterval || (isCurrent && !record.isUsed)
            || lapsed.level != record.level
    }

    /// Stores the use of a session, and the loss of its level.
    private func touch(_ seen: SessionRecord, isCurrent: Bool, isGuest: Bool) throws(StoreError) -> SessionRecord {
        var record = seen
        record.lapse(at: now, policy: policy)
        record.isUsed = seen.isUsed || isCurrent
        // A use by a clock that is behind does not move the times of the session back.
        if now >= seen.lastSeenAt {
            record.expiresAt = lifetimes.end(seen.expiresAt, isGuest: isGuest)
            let idleEnd = lifetimes.idleEnd(before: record.expiresAt, isGuest: isGuest)
            record.idleExpiresAt = SessionLifetimes.later(idleEnd, than: seen.idleExpiresAt)
            record.lastSeenAt = now
        }
        context.pause(at: .sessionBeforeTouch)
        // The device is locked before the session, as in every transaction.
        if record.expiresAt != seen.expiresAt { try families.setExpiry(record.expiresAt, of: seen.familyID) }
        // A conflict: the session was closed, lost its level or got new tokens since it was read.
        guard let touched = try sessionTable.touch(record, from: seen) else {
            throw StoreError(.busy, "the session changed meanwhile")
        }
        return touched
    }

    /// Refreshes a session, or opens another.
    ///
    /// A refusal keeps its writes: a session that has expired, or whose token was reused, is closed.
    ///
    /// - Parameters:
    ///   - presented: The refresh token.
    ///   - opens: Whether a session may be opened if the last one was closed.
    /// - Returns: The session and its tokens.
    /// - Throws: ``StoreError``
    func refresh(_ presented: OpaqueToken, opening opens: Bool) throws -> TransactionEnding<OpenedSession> {
        guard let seen = try families.find(presented.id),
            let account = try accounts.lockIfInUse(seen.accountID),
            let family = try families.find(presented.id),
            let session = try sessionTable.find(family.sessionID),
            family.made(presented, secrets: context.secrets)
        else { return .commitRefusal(.unknownSession) }
        let decision = RefreshDecision.decide(
            family: family,
            session: session,
            account: account,
            presented: presented,
            now: now,
            policy: policy,
            opening: opens
        )
        context.pause(at: .refreshBeforeRotation)
        switch decision {
        case .rotate:
            var session = session
            session.lapse(at: now, policy: policy)
            return .commit(
                try sessions.rotate(
                    session,
                    from: session,
                    of: family,
                    isGuest: account.isAnonymous,
                    previous: .refreshed
                )
            )
        case .repeatTokens:
            var session = try session.asRefreshed(by: presented, of: family)
            session.lapse(at: now, policy: policy)
            guard let repeated = try sessions.repeatTokens(of: session, in: family) else {
                return .commitRefusal(.unknownSession)
            }
            return .commit(repeated)
        case .open:
            return .commit(try reopen(family, after: session.asRefreshed(by: presented, of: family), of: account))
        case .reused:
            try audit.record(
                .refreshReused,
                account: account.id,
                session: session.id,
                subject: ["generation": "\(presented.generation)", "current": "\(family.generation)"]
            )
            try sessions.close(session, reason: .reused)
            return .commitRefusal(.unknownSession)
        case .refused:
            return .commitRefusal(.unknownSession)
        case .expired:
            try sessions.close(session, reason: .expired)
            return .commitRefusal(.expiredSession)
        case .ahead:
            return .commitRefusal(.expiredSession)
        case .disabled:
            return .commitRefusal(SessionFault.disabled.error)
        }
    }

    /// Opens a session on a device whose last one was closed: with level 1, and no longer than the device stays signed
    /// in.
    private func reopen(_ family: SessionFamilyRecord, after last: SessionRecord, of account: AccountRecord) throws
        -> OpenedSession
    {
        let isGuest = account.isAnonymous
        let end = lifetimes.end(family.expiresAt, isGuest: isGuest)
        var record = last
        record.id = SessionID(rawValue: context.makeID())
        let issued = try sessions.advance(
            family,
            to: record.id,
            previous: family.generation,
            isPreviousDead: false,
            expiresAt: end
        )
        record.state = SessionState.open.rawValue
        // A second factor is valid for the session in which it was verified.
        (record.level, record.levelAt) = (1, now)
        record.generation = family.generation &+ 1
        (record.tokenHash, record.previousTokenHash) = (issued.sessionHash, nil)
        record.previousToken = nil
        record.rotatedAt = now
        record.tokenExpiresAt = lifetimes.tokenEnd(before: end)
        record.isUsed = false
        record.epoch = account.sessionEpoch
        record.createdAt = now
        if let origin = context.origin {
            (record.device, record.addressPrefix) = (origin.device, origin.addressPrefix)
        }
        record.lastSeenAt = now
        record.idleExpiresAt = lifetimes.idleEnd(before: end, isGuest: isGuest)
        record.expiresAt = end
        (record.closedAt, record.closeReason) = (nil, nil)
        try sessions.add(record, subject: ["level": "1", "resumed": "true"])
        return OpenedSession(record: record, tokens: issued.tokens(for: record))
    }
}

extension SessionRecord {
    /// Returns how a presented token relates to the current one; nil if it is neither that nor a valid previous one.
    fileprivate func shown(_ presented: OpaqueToken, at now: StoreTime, grace: Duration) -> ShownToken? {
        if presented.generation == generation { return constantTimeEquals(presented.hash, tokenHash) ? .current : nil }
        guard let previousTokenHash, constantTimeEquals(presented.hash, previousTokenHash) else { return nil }
        if let previousToken { return isUsed ? nil : .previous(previousToken) }
        return isJustRotated(grace, at: now) ? .justReplaced : nil
    }
}

extension SessionRecord {
    /// Returns the session with the rights of a refresh token.
    ///
    /// Those of the previous token are the rights that it had.
    fileprivate func asRefreshed(by presented: OpaqueToken, of family: SessionFamilyRecord) throws(StoreError) -> Self {
        guard presented.generation < family.generation, let previousToken else { return self }
        return try with(previousToken)
    }
}

extension SessionFamilyRecord {
    /// Whether a presented token was issued for this device, at any time.
    ///
    /// The HMAC in a token shows only that it was made with the key. A token that can be derived from the seed was also
    /// made with the store.
    fileprivate func made(_ presented: OpaqueToken, secrets: AccountSecrets) -> Bool {
        OpaqueToken.remake(
            .refresh,
            id: id,
            generation: presented.generation,
            seed: seed,
            hash: presented.hash,
            secrets: secrets
        ) != nil
    }
}
