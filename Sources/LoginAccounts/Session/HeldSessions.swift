// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A session that was read again, and its account, which is locked unless the transaction only reads.
struct HeldSession {
    let session: SessionRecord
    let account: AccountRecord
}

extension HeldSession {
    /// The reason why the session has no recent login with the second factor if the account has one; nil if it has.
    ///
    /// An anonymous account has no login, and passes.
    func recentLoginObstacle(hasFactors: Bool, within age: Duration, at now: StoreTime) -> AuthError? {
        guard !account.isAnonymous else { return nil }
        if let obstacle = factorObstacle(hasFactors: hasFactors, at: now) { return obstacle }
        guard session.authenticatedAt.isRecent(age, at: now) else {
            return AuthError(.requiresRecentLogin, "the user was authenticated too long ago, or in the future")
        }
        return nil
    }

    /// The reason why the session lacks the second factor that the account has; nil if it has it.
    func factorObstacle(hasFactors: Bool, at now: StoreTime) -> AuthError? {
        hasFactors && session.level(at: now) < 2 ? .levelRequired(2) : nil
    }
}

/// The steps with which an operation of a session begins and ends.
struct HeldSessions {
    let accounts: Accounts
    let sessions: Sessions
    let factors: FactorTable
    let reader: AccountReader
    let context: TransactionContext

    // MARK: - Begin

    /// Locks the account of a session, and reads both again: every operation of a session that writes begins with this.
    ///
    /// - Throws: ``AuthError``: `account-merged`, `user-not-found`, `user-disabled`, `invalid-user-token`,
    ///   `user-token-expired`.
    func hold(_ session: Session) throws -> HeldSession {
        try held(session, of: accounts.lock(session.accountID))
    }

    /// Reads a session and its account again without a lock.
    ///
    /// A decision that is based on them is repeated after ``hold(_:)`` by the transaction that writes.
    ///
    /// - Throws: ``AuthError``: the errors of ``hold(_:)``.
    func look(at session: Session) throws -> HeldSession {
        try held(session, of: accounts.inUse(session.accountID))
    }

    /// Reads a session again, if its account has been read or locked.
    func held(_ session: Session, of account: AccountRecord) throws -> HeldSession {
        try account.checkUsable()
        let record = try sessions.current(session)
        // A session never moves to another account; a row that contradicts this is refused.
        guard record.accountID == account.id else {
            throw AuthError(.invalidUserToken, "the session belongs to another account")
        }
        return HeldSession(session: record, account: account)
    }

    /// Locks the account of a session, and requires a recent login; see ``requireRecentLogin(_:within:)``.
    func holdRecent(_ session: Session) throws -> HeldSession {
        let held = try hold(session)
        try requireRecentLogin(held)
        return held
    }

    /// Requires a recent login, and the second factor if the account has one.
    ///
    /// An anonymous account passes: it has no login.
    ///
    /// - Parameters:
    ///   - held: The session.
    ///   - age: The maximum age of the login; nil for the policy's.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`.
    func requireRecentLogin(_ held: HeldSession, within age: Duration? = nil) throws {
        guard !held.account.isAnonymous else { return }
        let age = age ?? context.policy.linking.recentLogin
        let hasFactors = try !factors.confirmed(of: held.account.id).isEmpty
        if let obstacle = held.recentLoginObstacle(hasFactors: hasFactors, within: age, at: context.now) {
            throw obstacle
        }
    }

    /// Requires the second factor if the account has one: one factor changes nothing of an account that has two.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`.
    func requireAllFactors(_ held: HeldSession) throws {
        let hasFactors = try !factors.confirmed(of: held.account.id).isEmpty
        if let obstacle = held.factorObstacle(hasFactors: hasFactors, at: context.now) { throw obstacle }
    }

    // MARK: - End

    /// The result for a session that stays open: new tokens, and the account as it is now.
    ///
    /// - Parameters:
    ///   - outcome: The outcome of the operation.
    ///   - session: The session, as it was just read.
    ///   - proof: The method and the time of an authentication by this request; nil if there was none.
    ///   - previous: The lifetime of the previous tokens.
    /// - Returns: The account, and the session with new tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile.
    func result(
        _ outcome: AuthDataResult.Outcome,
        in session: SessionRecord,
        provenBy proof: ProvenMethod? = nil,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> AuthDataResult {
        let opened = try sessions.extend(
            session,
            adding: proof.map { [$0] } ?? [],
            authenticatedAt: proof?.at,
            previous: previous
        )
        return try result(outcome, of: opened)
    }

    /// The result for a session if nothing has changed: its current tokens, and the account.
    func unchanged(_ outcome: AuthDataResult.Outcome, in session: SessionRecord) throws -> AuthDataResult {
        try result(outcome, of: sessions.keepTokens(session))
    }

    private func result(_ outcome: AuthDataResult.Outcome, of opened: OpenedSession) throws -> AuthDataResult {
        AuthDataResult(
            account: try reader.read(opened.record.accountID),
            session: Session(opened.record, auth: context.auth),
            tokens: opened.tokens,
            outcome: outcome
        )
    }
}
