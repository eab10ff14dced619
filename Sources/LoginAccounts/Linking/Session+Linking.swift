// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

extension Session {
    /// Gives the account a further login: afterwards its person signs in with either.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.link(session), with: .google)
    /// let result = try await session.link(with: .idToken(jwt, attempt: attempt.token))
    /// ```
    ///
    /// The account keeps its ID and all that is kept for it. An anonymous account has a person from then on (`upgraded`). A login that
    /// the account has already is described anew, and nothing else happens (`alreadyLinked`).
    ///
    /// - Parameters:
    ///   - credential: What the person showed: a token of an attempt that began in this session, or a pending credential that came
    ///     up in it, or before it was opened.
    ///   - idempotencyKey: What the client calls this request. The same request with the same key is answered as before, for a day.
    ///   - origin: From where the request came, by which guesses are counted.
    /// - Returns: The account, and this session with new tokens. The old ones are good until these are shown, so that an answer which
    ///   gets lost signs nobody out; those of an account that was anonymous are dead, and the login that was linked signs in.
    /// - Throws: ``AuthError``: `credential-already-in-use` and `email-already-in-use`, with a pending credential;
    ///   `provider-already-linked`, `requires-recent-login`, `second-factor-required`, `unsupported-first-factor`,
    ///   `idempotency-mismatch`, and what ``Auth/signIn(with:from:)`` throws at a credential.
    public func link(
        with credential: AuthCredential,
        idempotencyKey: String? = nil,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> AuthDataResult {
        let request = idempotencyKey.map { RepeatableRequest(key: $0, parts: ["link"] + credential.parts) }
        if let request, let answer = try await auth.answeredBefore(request, in: self) { return try answer.get() }
        let proof = try await auth.prove(credential, for: .link(self), from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await auth.settle { transaction in
                let held = try transaction.hold(self)
                return try transaction.once(request, in: held.session) {
                    try transaction.requireRecentLogin(held)
                    return try transaction.link(transaction.use(proof), to: held)
                }
            }
        }
    }

    /// Takes a login from the account: nobody signs in to the account with it any longer, and it may be linked elsewhere.
    ///
    /// Sessions that were opened with it close; this one stays. The account's e-mail address is that of another login then. Nothing is
    /// told to the provider: of Facebook, `GraphAPI` takes back what was granted.
    ///
    /// - Parameters:
    ///   - provider: Whose login.
    ///   - uid: Which one, where the account has several of this provider.
    ///   - closesOtherSessions: Whether all other sessions of the account close too, and nobody keeps a copy of this one: its old tokens
    ///     are dead at once.
    ///   - idempotencyKey: What the client calls this request.
    /// - Returns: The account, and this session with new tokens. Unless other sessions close, the old ones are good until these are shown.
    /// - Throws: ``AuthError``: `no-such-provider`; `ambiguous-provider`; `last-provider` where nothing else signs in;
    ///   `requires-recent-login`, `second-factor-required`, `idempotency-mismatch`.
    @discardableResult
    public func unlink(
        fromProvider provider: ProviderID,
        uid: String? = nil,
        closingOtherSessions closesOtherSessions: Bool = false,
        idempotencyKey: String? = nil
    ) async throws(AuthError) -> AuthDataResult {
        let words = ["unlink", provider.rawValue, uid == nil ? "any" : "one", uid ?? "", "\(closesOtherSessions)"]
        let request = idempotencyKey.map { RepeatableRequest(key: $0, parts: words) }
        return try await auth.settle { transaction in
            let held = try transaction.hold(self)
            return try transaction.once(request, in: held.session) {
                try transaction.requireRecentLogin(held)
                let kept = try transaction.unlink(provider, uid: uid, from: held, closingOthers: closesOtherSessions)
                return .success(kept)
            }
        }
    }

    /// Proves the user of this session again, for what requires a recent login.
    ///
    /// Where an ID token says when the provider authenticated the user (`auth_time`), that time becomes ``authenticatedAt``, and it
    /// has to be within ``LinkPolicy/recentLogin``. Where it does not, the attempt has to have begun within five minutes. What each
    /// provider is asked for, and whether its `auth_time` counts, is `Provider.reauthentication`.
    ///
    /// - Parameters:
    ///   - credential: A login of this account, of an attempt that began in this session.
    ///   - origin: From where the request came, by which guesses are counted.
    /// - Returns: The account, and this session with new tokens. The old ones are good until these are shown, for what they could do
    ///   before.
    /// - Throws: ``AuthError``: `user-mismatch` for a login of nobody, or of somebody else; `second-factor-required` where the
    ///   account has one and the session not; `requires-recent-login` where the provider authenticated the user too long ago, or
    ///   does not say when although it has to; and what ``Auth/signIn(with:from:)`` throws at a credential.
    @discardableResult
    public func reauthenticate(with credential: AuthCredential, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        let proof = try await auth.prove(credential, for: .reauthenticate(self), from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await auth.transaction { transaction in
                let held = try transaction.hold(self)
                return try transaction.reauthenticate(transaction.use(proof), in: held)
            }
        }
    }

    /// Whether the person was proven recently enough for what matters, as far as this snapshot knows.
    public var isRecent: Bool {
        StoreTime(authenticatedAt) + auth.policy.linking.recentLogin >= StoreTime(auth.clock.now)
    }

    /// Refuses, unless the person was proven recently; with the second factor, where the account has one.
    ///
    /// - Parameter age: How long ago at most; nil for ``LinkPolicy/recentLogin``. An anonymous account passes.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`, and others where the session is not open.
    public func requireRecentLogin(within age: Duration? = nil) async throws(AuthError) {
        try await auth.read { transaction in
            try transaction.requireRecentLogin(transaction.look(at: self), within: age)
        }
    }
}

extension Auth {
    /// The stored answer to a request, so that a token which has expired since need not be verified again.
    ///
    /// - Returns: The answer; nil if the request comes for the first time, and then nothing was locked.
    /// - Throws: ``AuthError``: `idempotency-mismatch`, and others if the session is not open.
    func answeredBefore(_ request: RepeatableRequest, in session: Session) async throws(AuthError)
        -> Result<AuthDataResult, AuthError>?
    {
        let isKnown = try await read { transaction in
            try transaction.hasAnswered(request, in: transaction.look(at: session).session)
        }
        guard isKnown else { return nil }
        return try await transaction { transaction in
            let held = try transaction.hold(session)
            guard try transaction.hasAnswered(request, in: held.session) else { return nil }
            return try transaction.once(request, in: held.session) {
                throw StoreError(.busy, "the stored answer has just expired")
            }
        }
    }
}

extension AccountTransaction {
    /// Whether the answer to a request is stored.
    fileprivate func hasAnswered(_ request: RepeatableRequest, in session: SessionRecord) throws -> Bool {
        let found: IdempotencyRecord? = try first(
            where: IdempotencyRecord.Column.key.equals(request.key(of: session.accountID)),
            IdempotencyRecord.Column.expiresAt.isAfter(now)
        )
        return found != nil
    }
}

extension AuthCredential {
    /// The parts of the credential, by which one request is told from another.
    var parts: [String] {
        switch kind {
        case .idToken(let token, let attempt): ["id-token", token, attempt]
        case .accessToken(let token, let attempt): ["access-token", token, attempt]
        case .password(let email, let password): ["password", email, password]
        case .phone(let id, let code): ["phone", id, code]
        case .pending(let token, let provider): ["pending", token, provider.rawValue]
        }
    }
}
