// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A session that was read again, and its account, which is locked.
struct HeldSession {
    let session: SessionRecord
    let account: AccountRecord
}

extension AccountTransaction {
    /// Takes the account of a session, and reads both again: everything that a session may do begins with this.
    ///
    /// - Throws: ``AuthError``: `account-merged`, `user-not-found`, `user-disabled`, `invalid-user-token`, `user-token-expired`.
    func hold(_ session: Session) throws -> HeldSession {
        let account = try lockAccount(session.accountID)
        return try held(session, of: account)
    }

    /// The same, where the account is locked already.
    func held(_ session: Session, of account: AccountRecord) throws -> HeldSession {
        try checkUsable(account)
        let record = try currentSession(session)
        // A session never changes hands; a row that says otherwise is none to act on.
        guard record.accountID == account.id else {
            throw AuthError(.invalidUserToken, "the session is of another account")
        }
        return HeldSession(session: record, account: account)
    }

    /// The session and its account, for what needs a recent login; see ``requireRecentLogin(_:within:)``.
    func holdRecent(_ session: Session) throws -> HeldSession {
        let held = try hold(session)
        try requireRecentLogin(held)
        return held
    }

    /// Sees that a session may do what matters: its person was proven a short while ago, and with the second factor where there is
    /// one.
    ///
    /// An anonymous account has nobody who could be proven: its session is all there is.
    ///
    /// - Parameters:
    ///   - held: The session.
    ///   - age: How long ago at most; nil for what the policy says.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`.
    func requireRecentLogin(_ held: HeldSession, within age: Duration? = nil) throws {
        guard !held.account.isAnonymous else { return }
        if try !confirmedFactors(of: held.account.id).isEmpty { try requireLevel(2, of: held.session) }
        let age = age ?? auth.policy.linking.recentLogin
        guard held.session.authenticatedAt + age >= now else {
            throw AuthError(.requiresRecentLogin, "the person was proven too long ago")
        }
    }

    /// What a session that stays gets as answer: new tokens, and the account as it is now.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - session: The session, as it was just read.
    ///   - proof: How and when the user was proven, by what the session was shown now; nil if by nothing.
    ///   - previous: How long the tokens before are good.
    /// - Returns: The account, and the session with new tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` where it was closed meanwhile.
    func result(
        _ outcome: AuthDataResult.Outcome,
        in session: SessionRecord,
        provenBy proof: ProvenMethod? = nil,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> AuthDataResult {
        let opened = try rotateSession(
            session,
            adding: proof.map { [$0] } ?? [],
            authenticatedAt: proof?.at,
            previous: previous
        )
        return try result(outcome, of: opened)
    }

    /// What a session gets as answer where nothing has changed: the tokens that it has, and the account.
    func unchanged(_ outcome: AuthDataResult.Outcome, in session: SessionRecord) throws -> AuthDataResult {
        try result(outcome, of: keepTokens(session))
    }

    private func result(_ outcome: AuthDataResult.Outcome, of opened: OpenedSession) throws -> AuthDataResult {
        AuthDataResult(
            account: try readAccount(opened.record.accountID),
            session: Session(opened.record, auth: auth),
            tokens: opened.tokens,
            outcome: outcome
        )
    }
}
