// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Auth {
    /// Reads the resolver of a pending sign-in by its token, which is all that the next request has.
    ///
    /// - Parameter token: ``MultiFactorResolver/token``.
    /// - Returns: The resolver, with the second factors as they are now.
    /// - Throws: ``AuthError``: `missing-multi-factor-session`, `invalid-multi-factor-session`.
    public func resolver(for token: String) async throws(AuthError) -> MultiFactorResolver {
        try await read { transaction in
            let pending = try transaction.pendingSignIn(token)
            let factors = try transaction.confirmedFactors(of: pending.accountID)
            return transaction.resolver(for: pending, token: token, factors: factors)
        }
    }

    /// Sends a code to a phone that is a second factor of a pending sign-in.
    ///
    /// - Parameters:
    ///   - token: ``MultiFactorResolver/token``.
    ///   - uid: The ``MultiFactorInfo/uid`` of the phone.
    ///   - origin: The origin of the request.
    /// - Returns: The challenge. It voids the codes that were sent to the phone before.
    /// - Throws: ``AuthError``: `invalid-multi-factor-session`, `multi-factor-info-not-found`, `user-disabled`,
    ///   `too-many-requests`, `quota-exceeded`, `operation-not-allowed`, `provider-unavailable`.
    public func beginChallenge(_ token: String, factor uid: String, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> MultiFactorChallenge
    {
        try await sendChallenge { transaction in
            let found = try transaction.pendingSignIn(token)
            let account = try transaction.lockAccount(found.accountID)
            try transaction.checkUsable(account)
            try transaction.checkFactorLock(of: account)
            let pending = try transaction.pendingSignIn(token)
            let factor = try transaction.confirmedFactor(uid, .phone, of: account.id)
            return try transaction.startChallenge(factor, pending: pending, purpose: .secondFactor, from: origin)
        }
    }

    /// Signs in with the second factor.
    ///
    /// This completes the sign-in of the first factor: the session opens with level 2, and a new login joins the account if it was to.
    /// A correct code is used up in the same transaction, so none is lost without a session.
    ///
    /// - Parameters:
    ///   - token: ``MultiFactorResolver/token``.
    ///   - assertion: The second factor.
    ///   - origin: The origin of the request.
    /// - Returns: The account, and a new session.
    /// - Throws: ``AuthError``: `invalid-verification-code`, which counts; `missing-multi-factor-session`,
    ///   `invalid-multi-factor-session`, `missing-multi-factor-info`, `multi-factor-info-not-found`,
    ///   `invalid-verification-id`, `session-expired`, `user-disabled`, `too-many-requests`.
    public func resolveSignIn(
        _ token: String,
        with assertion: MultiFactorAssertion,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> AuthDataResult {
        try await settle { transaction in try transaction.resolveSignIn(token, assertion, from: origin) }
    }
}

extension MultiFactorResolver {
    /// Sends a code to a phone.
    ///
    /// - Parameters:
    ///   - uid: The ``MultiFactorInfo/uid`` of one of ``hints``.
    ///   - origin: The origin of the request.
    /// - Returns: The challenge.
    /// - Throws: ``AuthError``, as ``Auth/beginChallenge(_:factor:from:)``.
    public func beginChallenge(factor uid: String, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> MultiFactorChallenge
    {
        try await auth.beginChallenge(token, factor: uid, from: origin)
    }

    /// Signs in with the second factor.
    ///
    /// - Parameters:
    ///   - assertion: The second factor.
    ///   - origin: The origin of the request.
    /// - Returns: The account, and a new session.
    /// - Throws: ``AuthError``, as ``Auth/resolveSignIn(_:with:from:)``.
    public func resolveSignIn(with assertion: MultiFactorAssertion, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try await auth.resolveSignIn(token, with: assertion, from: origin)
    }
}

extension AccountTransaction {
    /// Signs in with the second factor; a wrong one is counted.
    func resolveSignIn(_ token: String, _ assertion: MultiFactorAssertion, from origin: RequestOrigin?) throws
        -> Result<AuthDataResult, AuthError>
    {
        typealias Column = PendingSignInRecord.Column
        self.origin = origin
        let found = try pendingSignIn(token)
        let account = try lockAccount(found.accountID)
        try checkUsable(account)
        let counted: [PendingSignInRecord] = try update(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(found.hash),
            Column.attemptsLeft.isGreater(than: 0)
        )
        guard let pending = counted.first else { throw AuthError.noPendingSignIn }
        switch try checkFactor(assertion, of: account, for: .signIn(pending), from: origin) {
        case .failure(let error):
            return .failure(error)
        case .success(let proven):
            let used: [PendingSignInRecord] = try delete(where: Column.hash.equals(pending.hash))
            guard !used.isEmpty else { throw AuthError.noPendingSignIn }
            try delete(ChallengeRecord.self, where: ChallengeRecord.Column.pendingHash.equals(pending.hash))
            let held: HeldSignIn = try WaitingContent.open(pending.content, token: token)
            let result = try completeSignIn(
                held,
                to: facts(of: account),
                as: findIdentity(held.credential.providerID, held.credential.subject),
                methods: [
                    held.credential.proven(at: pending.createdAt), ProvenMethod(proven.method, at: now),
                ],
                level: 2,
                isViaRecovery: proven.isRecovery
            )
            try record(.secondFactorPassed, account: account.id, session: result.session.id)
            return .success(result)
        }
    }
}
