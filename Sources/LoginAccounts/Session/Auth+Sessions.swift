// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Returns the session of a session token; call this for every request.
    ///
    /// Each call reads the store, so a session that was closed by any server, or whose account was disabled, is
    /// refused.
    ///
    /// If the session got new tokens other than by ``refresh(_:)``, the previous token stays valid until the new one is
    /// used, because the response with the new tokens may have been lost. Until then it has the level and the
    /// authentication methods that it had before.
    ///
    /// The time of the last use is stored once a minute. If the store can be read but not written, for example because
    /// the disk is full, the session is returned nevertheless, with ``Session/unstoredUse``; a session that has ended,
    /// has lost its level or has just got new tokens is not.
    ///
    /// - Parameters:
    ///   - token: The token that the client sent: ``SessionTokens/sessionToken``.
    ///   - level: The required level: 1, or 2 for a second factor. The methods of the session require it too.
    /// - Returns: The session.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session is unknown or closed; `user-token-expired` if the
    ///   session has expired, or the token must be refreshed; `user-disabled`; `second-factor-required` if the level is
    ///   too low; `store-unavailable`, `conflict-retry`.
    public func session(_ token: String, requiring level: Int = 1) async throws(AuthError) -> Session {
        guard let presented = OpaqueToken(token, .session, secrets: secrets) else { throw AuthError.notOurs }
        // Most requests only read, and wait for no writer.
        let seen = try await readOnce { try $0.refreshes.find(presented) }
        let (used, fault) = try await stored(seen, of: presented)
        let (record, token, owner) = try used.get()
        let generation: Int64? = if case .previous(let token) = token { token.generation } else { nil }
        var session = Session(record, auth: self, requiring: level, generation: generation, owner: owner)
        session.unstoredUse = fault
        try session.requireLevel(level)
        return session
    }

    /// Stores the use or the end of a session that was found.
    ///
    /// - Returns: The session as it is now, and the error if its use could not be stored.
    private func stored(_ seen: FoundSession, of presented: OpaqueToken) async throws(AuthError) -> (
        FoundSession.Answer, AuthError?
    ) {
        guard seen.unwritten != nil else { return (seen.answer, nil) }
        do throws(AuthError) {
            return (try await transaction { try $0.refreshes.use(presented) }, nil)
        } catch {
            guard error.code == .storeUnavailable, seen.isValidWithoutWrite else { throw error }
            return (seen.answer, error)
        }
    }

    /// Exchanges a refresh token for new tokens of an open session.
    ///
    /// The previous tokens stay valid for ``SessionPolicy/refreshGrace``, so that concurrent requests succeed. A client
    /// that refreshes several times at once gets the same tokens each time. So does a client that lost the response, as
    /// long as the new tokens are unused. The reuse of an older refresh token closes the session, because the token was
    /// copied (RFC 9700 §4.14.2).
    ///
    /// - Parameter refreshToken: The token that the client sent: ``SessionTokens/refreshToken``.
    /// - Returns: The session and its tokens.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session is unknown or closed; `user-token-expired` if it
    ///   has expired; `user-disabled`; `store-unavailable`, `conflict-retry`.
    public func refresh(_ refreshToken: String) async throws(AuthError) -> RefreshedSession {
        try await refresh(refreshToken, opening: false)
    }

    /// Resumes the session of a device that stayed signed in: refreshes the open session, or opens a new one if
    /// ``Session/closeKeepingTokens()`` closed it.
    ///
    /// A new session has level 1, and expires when the device would have had to sign in again.
    ///
    /// - Parameters:
    ///   - refreshToken: The refresh token of the device: ``SessionTokens/refreshToken``.
    ///   - origin: The origin of the request; nil for the origin of the previous session.
    /// - Returns: The session and its tokens.
    /// - Throws: The errors of ``refresh(_:)``.
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

    /// Closes all sessions of an account, and revokes its devices.
    ///
    /// Every server sees the change with the next request.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - kept: The session that stays open; nil for none.
    ///   - reason: The reason, for the audit.
    /// - Returns: The number of sessions that were open.
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
        Self(.invalidUserToken, "the token was not issued here, or was issued with a removed key")
    }
}

extension Auth {
    /// Closes all sessions of all accounts, and revokes all devices, including those without an open session, for
    /// example after a key has leaked.
    ///
    /// Each account has a transaction of its own, so the operation can be interrupted and repeated. A user who signs in
    /// meanwhile may stay signed in.
    ///
    /// - Parameter reason: The reason, for the audit.
    /// - Returns: The number of sessions that were open.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`. Sessions that were closed before the error stay
    ///   closed.
    package func closeAllSessions(reason: SessionCloseReason = .closedByService) async throws(AuthError) -> Int {
        var count = 0
        var last: Set<AccountID> = []
        var start: Int64?
        while true {
            let begin = start
            let page = try await read { transaction in
                try transaction.tables.families.inUse(endingFrom: begin ?? transaction.now.milliseconds)
            }
            // An account whose user signed in again, or whose rows are damaged, is not closed repeatedly.
            let accounts = page.accounts.subtracting(last)
            guard !accounts.isEmpty else { return count }
            for account in accounts {
                let closed = try await transaction { transaction in
                    transaction.context.actor = .service
                    return try transaction.sessions.close(of: account, reason: reason)
                }
                count += closed
            }
            (last, start) = (page.accounts, page.end)
        }
    }
}
