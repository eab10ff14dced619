// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

extension AccountTransaction {
    /// Finds the session of a session token, and writes nothing.
    func findSession(_ presented: OpaqueToken) throws -> FoundSession {
        let found: (SessionRecord, AccountRecord)? = try first(
            following: SessionRecord.account,
            where: SessionRecord.Column.id.equals(presented.id)
        )
        guard let (record, account) = found,
            let shown = record.shown(presented, at: now, grace: auth.policy.sessions.refreshGrace)
        else { return FoundSession(.failure(.unknownSession)) }
        if let fault = SessionFault.of(record, account: account, now: now) {
            return FoundSession(.failure(fault.error), unwritten: fault.reasonToClose.map { .end(record, $0) })
        }
        let end: StoreTime? =
            switch shown {
            case .current: record.tokenExpiresAt
            case .justReplaced: nil
            case .previous(let token): token.expiresAt
            }
        if let end, now >= end {
            return FoundSession(.failure(.oldSessionToken))
        }
        let use = FoundSession.Unwritten.use(record, shown, isGuest: account.isAnonymous)
        let isDue = isUseDue(of: record, isCurrent: shown == .current)
        return FoundSession(.success((try asShown(record, shown), shown)), unwritten: isDue ? use : nil)
    }

    /// Finds the session of a session token, and stores its use or its end.
    func useSession(_ presented: OpaqueToken) throws -> Result<(SessionRecord, ShownToken), AuthError> {
        let found = try findSession(presented)
        switch found.unwritten {
        case nil: break
        case .end(let record, let reason): try close(record, reason: reason)
        case .use(let record, let shown, let isGuest):
            let used = try touch(record, isCurrent: shown == .current, isGuest: isGuest)
            return .success((try asShown(used, shown), shown))
        }
        return found.answer
    }

    /// The session with its current level, and no more rights than the presented token has.
    private func asShown(_ record: SessionRecord, _ shown: ShownToken) throws(StoreError) -> SessionRecord {
        var record = if case .previous(let token) = shown { try record.with(token) } else { record }
        record.lapse(at: now, policy: auth.policy.sessions)
        return record
    }

    /// Whether a use of a session is due to be stored, the first one and then once a minute, or the loss of its level.
    private func isUseDue(of record: SessionRecord, isCurrent: Bool) -> Bool {
        var lapsed = record
        lapsed.lapse(at: now, policy: auth.policy.sessions)
        return now >= record.lastSeenAt + touchInterval || (isCurrent && !record.isUsed) || lapsed.level != record.level
    }

    /// Stores the use of a session, and the loss of its level.
    private func touch(_ seen: SessionRecord, isCurrent: Bool, isGuest: Bool) throws -> SessionRecord {
        var record = seen
        record.lapse(at: now, policy: auth.policy.sessions)
        let isUsed = seen.isUsed || isCurrent
        pause(at: .sessionBeforeTouch)
        let end = sessionEnd(seen.expiresAt, isGuest: isGuest)
        if end > seen.expiresAt {
            // The device is locked before the session, as everywhere.
            try update(
                SessionFamilyRecord.self,
                set: SessionFamilyRecord.Column.expiresAt.becomes(end),
                where: SessionFamilyRecord.Column.id.equals(seen.familyID)
            )
        }
        let idleEnd = idleExpiry(before: end, isGuest: isGuest)
        let touched: [SessionRecord] = try update(
            set: SessionRecord.Column.lastSeenAt.becomes(max(now, seen.lastSeenAt)),
            SessionRecord.Column.idleExpiresAt.becomes(max(idleEnd, seen.idleExpiresAt)),
            SessionRecord.Column.expiresAt.becomes(end),
            SessionRecord.Column.isUsed.becomes(isUsed),
            SessionRecord.Column.level.becomes(record.level),
            SessionRecord.Column.levelAt.becomes(record.levelAt),
            where: SessionRecord.Column.id.equals(seen.id.rawValue),
            SessionRecord.Column.generation.equals(seen.generation),
            // The level is lost with the last second factor, and an older snapshot must not restore it.
            SessionRecord.Column.level.equals(seen.level),
            // Once the new token was shown, the previous one must not become valid again.
            SessionRecord.Column.isUsed.equals(seen.isUsed),
            SessionRecord.Column.closedAt.isNull
        )
        if let record = touched.first { return record }
        // A conflict: the session was closed, lost its level or got new tokens since it was read.
        throw StoreError(.busy, "the session changed meanwhile")
    }

    /// The maximum error of the stored time of the last use: a minute, or less if sessions expire after a short time.
    private var touchInterval: Duration {
        let policy = auth.policy.sessions
        return min(.seconds(60), policy.idle / 10, policy.secondFactorIdle / 10)
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
    func refresh(_ presented: OpaqueToken, opening opens: Bool) throws -> Result<OpenedSession, AuthError> {
        let byID = SessionFamilyRecord.Column.id.equals(presented.id)
        guard let seen: SessionFamilyRecord = try first(where: byID),
            let account = try lockAccountIfInUse(seen.accountID),
            let family: SessionFamilyRecord = try first(where: byID),
            let session: SessionRecord = try first(
                where: SessionRecord.Column.id.equals(family.sessionID.rawValue)
            ),
            family.made(presented, secrets: auth.secrets)
        else { return .failure(.unknownSession) }
        let decision = RefreshDecision.decide(
            family: family,
            session: session,
            account: account,
            presented: presented,
            now: now,
            policy: auth.policy.sessions,
            opening: opens
        )
        pause(at: .refreshBeforeRotation)
        switch decision {
        case .rotate:
            var session = session
            session.lapse(at: now, policy: auth.policy.sessions)
            let isGuest = account.isAnonymous
            return .success(try rotate(session, from: session, of: family, isGuest: isGuest, previous: .refreshed))
        case .answerAgain:
            var session = try session.asRefreshed(by: presented, of: family)
            session.lapse(at: now, policy: auth.policy.sessions)
            guard let answer = try answerAgain(session, of: family) else { return .failure(.unknownSession) }
            return .success(answer)
        case .open:
            return .success(try reopen(family, after: session.asRefreshed(by: presented, of: family), of: account))
        case .reused:
            try record(
                .refreshReused,
                account: account.id,
                session: session.id,
                subject: ["generation": "\(presented.generation)", "current": "\(family.generation)"]
            )
            try close(session, reason: .reused)
            return .failure(.unknownSession)
        case .refused:
            return .failure(.unknownSession)
        case .expired:
            try close(session, reason: .expired)
            return .failure(.expiredSession)
        case .disabled:
            return .failure(SessionFault.disabled.error)
        }
    }

    /// Opens a session on a device whose last one was closed: with level 1, and no longer than the device stays signed in.
    private func reopen(_ family: SessionFamilyRecord, after last: SessionRecord, of account: AccountRecord) throws
        -> OpenedSession
    {
        let id = SessionID(rawValue: makeID())
        let generation = family.generation &+ 1
        let issued = try issueTokens(session: id, family: family.id, generation: generation, seed: family.seed)
        let end = sessionEnd(family.expiresAt, isGuest: account.isAnonymous)
        try advance(
            family,
            to: id,
            refreshHash: issued.refreshHash,
            previous: family.generation,
            isPreviousDead: false,
            expiresAt: end
        )
        var record = last
        record.id = id
        record.state = try SessionState.createdTokenLoaded.advanced(by: .opened).rawValue
        // A second factor is valid for the session in which it was shown.
        (record.level, record.levelAt) = (1, now)
        record.generation = generation
        (record.tokenHash, record.previousTokenHash) = (issued.sessionHash, nil)
        record.previousToken = nil
        record.rotatedAt = now
        record.tokenExpiresAt = tokenExpiry(before: end)
        record.isUsed = false
        record.epoch = account.sessionEpoch
        record.createdAt = now
        if let origin { (record.device, record.addressPrefix) = (origin.device, origin.addressPrefix) }
        record.lastSeenAt = now
        record.idleExpiresAt = idleExpiry(before: end, isGuest: account.isAnonymous)
        record.expiresAt = end
        (record.closedAt, record.closeReason) = (nil, nil)
        try add(record)
        try self.record(.sessionOpened, account: account.id, session: id, subject: ["level": "1", "resumed": "true"])
        try makeRoom(for: record)
        return OpenedSession(record: record, tokens: issued.tokens(for: record))
    }

    /// Returns the current tokens of a session, and stores the loss of rights.
    ///
    /// - Returns: The session and its tokens; nil if the key that made them has been removed.
    func answerAgain(_ session: SessionRecord, of family: SessionFamilyRecord) throws -> OpenedSession? {
        guard let tokens = tokens(of: session, family: family) else { return nil }
        let answered: [SessionRecord] = try update(
            set: SessionRecord.Column.level.becomes(session.level),
            SessionRecord.Column.levelAt.becomes(session.levelAt),
            SessionRecord.Column.methods.becomes(session.methods.text),
            SessionRecord.Column.authenticatedAt.becomes(session.authenticatedAt),
            SessionRecord.Column.isViaRecovery.becomes(session.isViaRecovery),
            where: SessionRecord.Column.id.equals(session.id.rawValue),
            SessionRecord.Column.generation.equals(session.generation),
            SessionRecord.Column.closedAt.isNull
        )
        guard let record = answered.first else { throw StoreError(.busy, "the session changed meanwhile") }
        return OpenedSession(record: record, tokens: tokens)
    }

    /// Derives the current tokens of a session again; nil if the key that made them has been removed.
    private func tokens(of session: SessionRecord, family: SessionFamilyRecord) -> SessionTokens? {
        let secrets = auth.secrets
        guard
            let sessionToken = OpaqueToken.remake(
                .session,
                id: session.id.rawValue,
                generation: session.generation,
                seed: family.seed,
                hash: session.tokenHash,
                secrets: secrets
            ),
            let refreshToken = OpaqueToken.remake(
                .refresh,
                id: family.id,
                generation: family.generation,
                seed: family.seed,
                hash: family.refreshHash,
                secrets: secrets
            )
        else { return nil }
        return IssuedTokens(sessionToken: sessionToken, refreshToken: refreshToken).tokens(for: session)
    }

    /// Locks an account; nil if it is not in use.
    func lockAccountIfInUse(_ id: AccountID) throws -> AccountRecord? {
        do {
            return try lockAccount(id)
        } catch let error as AuthError where error.code == .userNotFound || error.code == .accountMerged {
            return nil
        }
    }
}

extension SessionRecord {
    /// How a presented token relates to the current one; nil if it is neither that nor a valid previous one.
    fileprivate func shown(_ presented: OpaqueToken, at now: StoreTime, grace: Duration) -> ShownToken? {
        if presented.generation == generation { return constantTimeEquals(presented.hash, tokenHash) ? .current : nil }
        guard let previousTokenHash, constantTimeEquals(presented.hash, previousTokenHash) else { return nil }
        if let previousToken { return isUsed ? nil : .previous(previousToken) }
        return now < rotatedAt + grace ? .justReplaced : nil
    }
}

extension SessionRecord {
    /// The session with the rights of a refresh token: the previous one has no more than it had.
    fileprivate func asRefreshed(by presented: OpaqueToken, of family: SessionFamilyRecord) throws(StoreError) -> Self {
        guard presented.generation < family.generation, let previousToken else { return self }
        return try with(previousToken)
    }
}

extension SessionFamilyRecord {
    /// Whether a presented token was issued for this device, at any time.
    ///
    /// The code in a token proves the key alone; a token that can be derived from the seed proves the store, too.
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
