// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that complete a sign-in, or raise the level of a session, with a second factor.
struct FactorSignIns {
    let accounts: Accounts
    let signInTable: PendingSignInTable
    let challengeTable: ChallengeTable
    let identities: Identities
    let pendingSignIns: PendingSignIns
    let checks: FactorChecks
    let challenges: Challenges
    let signIns: SignIns
    let sessions: Sessions
    let held: HeldSessions
    let reader: AccountReader
    let audit: AuditTrail
    let context: TransactionContext

    /// Creates a code for a pending sign-in.
    func beginChallenge(_ token: String, factor uid: String, from origin: RequestOrigin?) throws -> StartedChallenge {
        let found = try pendingSignIns.find(token)
        let account = try accounts.lock(found.accountID)
        try account.checkUsable()
        if let lock = account.factorLock(at: context.now) { throw lock }
        let pending = try pendingSignIns.find(token)
        let factor = try checks.confirmed(uid, .phone, of: account.id)
        return try challenges.start(factor, pending: pending, purpose: .secondFactor, from: origin)
    }

    /// Creates a code for a session.
    func beginChallenge(in session: Session, factor uid: String, from origin: RequestOrigin?) throws
        -> StartedChallenge
    {
        let held = try self.held.hold(session)
        if let lock = held.account.factorLock(at: context.now) { throw lock }
        let factor = try checks.confirmed(uid, .phone, of: held.account.id)
        return try challenges.start(factor, session: held.session.id, purpose: .secondFactor, from: origin)
    }

    /// Completes a sign-in with its second factor.
    ///
    /// A wrong factor is counted and committed.
    ///
    /// - Parameters:
    ///   - token: The token of the sign-in.
    ///   - assertion: The second factor.
    ///   - origin: The origin of the request.
    /// - Returns: The account and the session, or the refusal.
    /// - Throws: ``AuthError``: `invalid-multi-factor-session`, `user-disabled`, and the errors of
    ///   ``FactorChecks/check(_:of:for:from:)``.
    func resolve(_ token: String, _ assertion: MultiFactorAssertion, from origin: RequestOrigin?) throws
        -> TransactionEnding<AuthDataResult>
    {
        context.origin = origin
        let found = try pendingSignIns.find(token)
        let account = try accounts.lock(found.accountID)
        try account.checkUsable()
        guard let pending = try signInTable.countAttempt(found) else { throw AuthError.noPendingSignIn }
        return try checks.check(assertion, of: account, for: .signIn(pending), from: origin).map { proven in
            guard try signInTable.take(pending) else { throw AuthError.noPendingSignIn }
            try challengeTable.removeAll(of: pending)
            let signIn: PendingSignIn = try WaitingContent.open(pending.content, token: token)
            let methods = [
                signIn.credential.proven(at: pending.createdAt), ProvenMethod(proven.method, at: context.now),
            ]
            let result = try signIns.complete(
                signIn,
                to: reader.facts(of: account),
                as: identities.find(signIn.credential),
                methods: methods,
                level: 2,
                isViaRecovery: proven.isRecovery
            )
            try audit.record(.secondFactorPassed, account: account.id, session: result.session.id)
            return result
        }
    }

    /// Raises a session to level 2 with a second factor.
    ///
    /// A wrong factor is counted and committed.
    func stepUp(_ session: Session, _ assertion: MultiFactorAssertion, from origin: RequestOrigin?) throws
        -> TransactionEnding<AuthDataResult>
    {
        let held = try self.held.hold(session)
        let (account, record) = (held.account, held.session)
        return try checks.check(assertion, of: account, for: .session(record), from: origin).map { proven in
            let raised = try sessions.raise(record, proven)
            try audit.record(.sessionSteppedUp, account: account.id, session: record.id)
            return AuthDataResult(
                account: try reader.read(account.id),
                session: Session(raised.record, auth: context.auth),
                tokens: raised.tokens,
                outcome: .reauthenticated
            )
        }
    }
}

extension Sessions {
    /// Raises a session to level 2, with new tokens.
    func raise(
        _ session: SessionRecord,
        _ proven: ProvenFactor,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> OpenedSession {
        try extend(
            session,
            level: 2,
            adding: [ProvenMethod(proven.method, at: context.now)],
            isViaRecovery: session.isViaRecovery || proven.isRecovery,
            previous: previous
        )
    }
}
