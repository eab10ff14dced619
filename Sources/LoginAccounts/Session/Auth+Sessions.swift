// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// The session that a token opens: what each request asks first.
    ///
    /// Whether it was closed meanwhile, on whatever server, and whether the account was disabled, is looked up each time.
    ///
    /// Where the session got new tokens otherwise than by ``refresh(_:)``, and nobody has shown them yet, the token before opens
    /// it with the level and the proofs that it had: the answer with the new ones may have been lost.
    ///
    /// - Parameters:
    ///   - token: What the client sent: ``SessionTokens/sessionToken``.
    ///   - level: The level that the session must have: 1, or 2 where only a second factor will do. The methods of the session
    ///     ask for it again.
    /// - Returns: The session.
    /// - Throws: ``AuthError``: `invalid-user-token` where there is no such session, or none any more; `user-token-expired`
    ///   where it is over, or the token has to be refreshed; `user-disabled`; `second-factor-required` where the level is too
    ///   low; `store-unavailable`, `conflict-retry`.
    public func session(_ token: String, requiring level: Int = 1) async throws(AuthError) -> Session {
        guard let presented = OpaqueToken(token, .session, secrets: secrets) else { throw AuthError.notOurs }
        // Most requests only read, and wait for nobody who writes.
        let seen = try await read { try $0.refreshes.find(presented) }
        let used =
            if seen.unwritten == nil {
                seen.answer
            } else {
                try await transaction { try $0.refreshes.use(presented) }
            }
        let (record, token) = try used.get()
        let generation: Int64? = if case .previous(let token) = token { token.generation } else { nil }
        let session = Session(record, auth: self, requiring: level, generation: generation)
        try session.requireLevel(level)
        return session
    }

    /// Gets new tokens for a session that is open.
    ///
    /// Those before are good for a moment longer, so that requests on their way arrive. A client that refreshes several times at once gets the same tokens each time; so does one that never got the answer, as
    /// long as nobody has used it. A refresh token that was exchanged before that closes the session: somebody has a copy.
    ///
    /// - Parameter refreshToken: What the client sent: ``SessionTokens/refreshToken``.
    /// - Returns: The session and its tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` where there is no such session, or none any more; `user-token-expired`
    ///   where it is over; `user-disabled`; `store-unavailable`, `conflict-retry`.
    public func refresh(_ refreshToken: String) async throws(AuthError) -> RefreshedSession {
        try await refresh(refreshToken, opening: false)
    }

    /// The session of a device that stayed signed in: the one that is open, with new tokens, or a new one where that was closed
    /// by ``Session/closeKeepingTokens()``.
    ///
    /// A new session is of level 1, and ends when the device would have had to sign in again.
    ///
    /// - Parameters:
    ///   - refreshToken: What the device has kept: ``SessionTokens/refreshToken``.
    ///   - origin: From where the request came; if nil, what is known of the session before.
    /// - Returns: The session and its tokens.
    /// - Throws: As ``refresh(_:)``.
    public func resume(_ refreshToken: String, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> RefreshedSession
    {
        try await refresh(refreshToken, opening: true, from: origin)
    }

    private func refresh(_ token: String, opening opens: Bool, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> RefreshedSession
    {
        guard let presented = OpaqueToken(token, .refresh, secrets: secrets) else { throw AuthError.notOurs }
        let opened = try await transaction { transaction in
            transaction.context.origin = origin
            return try transaction.refreshes.refresh(presented, opening: opens).map { ($0.record, $0.tokens) }
        }.get()
        return RefreshedSession(session: Session(opened.0, auth: self), tokens: opened.1)
    }

    /// Closes all sessions of an account, and revokes its devices: every server sees it with the next request.
    ///
    /// - Parameters:
    ///   - account: Whose.
    ///   - kept: The one that stays; if nil, none does.
    ///   - reason: Why, for the audit.
    /// - Returns: How many were open.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    @discardableResult
    public func closeSessions(
        of account: AccountID,
        except kept: SessionID? = nil,
        reason: SessionCloseReason = .closedByService
    ) async throws(AuthError) -> Int {
        try await transaction { transaction in
            _ = try transaction.accounts.lock(account)
            transaction.context.pause(at: .closeBeforeEpoch)
            transaction.context.actor = .service
            return try transaction.sessions.close(of: account, except: kept, reason: reason)
        }
    }
}

extension AuthError {
    fileprivate static var notOurs: Self {
        Self(.invalidUserToken, "the token was not made here, or with a key that is gone")
    }
}
