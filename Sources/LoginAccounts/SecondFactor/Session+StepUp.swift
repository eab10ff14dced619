// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Session {
    /// Shows a second factor in an open session: it has level 2 then, and new secrets.
    ///
    /// When the person was last proven does not change: that is for the first factor to say.
    ///
    /// - Parameters:
    ///   - assertion: What was shown.
    ///   - origin: From where the request came.
    /// - Returns: The session as it is now, with its new secrets. The old ones are good for what they could do before, until these
    ///   are shown.
    /// - Throws: ``AuthError``: `invalid-verification-code`, which counts: ten in a row sign the device out; `missing-multi-factor-info`,
    ///   `multi-factor-info-not-found`, `invalid-verification-id`, `session-expired`, `too-many-requests`, `user-disabled`,
    ///   `invalid-user-token`.
    public func stepUp(with assertion: MultiFactorAssertion, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> AuthDataResult
    {
        try await auth.settle { transaction in try transaction.stepUp(self, assertion, from: origin) }
    }

    /// Sends a code to a phone that is a second factor of the account, for ``stepUp(with:from:)``.
    ///
    /// - Parameters:
    ///   - uid: Which phone, by its ``MultiFactorInfo/uid``.
    ///   - origin: From where the request came.
    /// - Returns: What the code belongs to.
    /// - Throws: ``AuthError``: `multi-factor-info-not-found`, `too-many-requests`, `quota-exceeded`, `operation-not-allowed`,
    ///   `provider-unavailable`, `user-disabled`, `invalid-user-token`.
    public func beginChallenge(factor uid: String, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> MultiFactorChallenge
    {
        try await auth.sendChallenge { transaction in
            let held = try transaction.hold(self)
            let (account, record) = (held.account, held.session)
            try transaction.checkFactorLock(of: account)
            let factor = try transaction.confirmedFactor(uid, .phone, of: account.id)
            return try transaction.startChallenge(factor, session: record.id, purpose: .secondFactor, from: origin)
        }
    }
}

extension AccountTransaction {
    fileprivate func stepUp(_ session: Session, _ assertion: MultiFactorAssertion, from origin: RequestOrigin?) throws
        -> Result<AuthDataResult, AuthError>
    {
        let held = try hold(session)
        let (account, record) = (held.account, held.session)
        switch try checkFactor(assertion, of: account, for: .session(record), from: origin) {
        case .failure(let error):
            return .failure(error)
        case .success(let proven):
            let raised = try raise(record, proven)
            try self.record(.sessionSteppedUp, account: account.id, session: record.id)
            return .success(
                AuthDataResult(
                    account: try readAccount(account.id),
                    session: Session(raised.record, auth: auth),
                    tokens: raised.tokens,
                    outcome: .reauthenticated
                )
            )
        }
    }

    /// Gives a session level 2 and new secrets.
    func raise(
        _ session: SessionRecord,
        _ proven: ProvenFactor,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> OpenedSession {
        try rotateSession(
            session,
            level: 2,
            adding: [ProvenMethod(proven.method, at: now)],
            isViaRecovery: session.isViaRecovery || proven.isRecovery,
            previous: previous
        )
    }
}
