// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension Session {
    /// Links a login to the session's account, so that the user can sign in with either.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.link(session), with: .google)
    /// let result = try await session.link(with: .idToken(jwt, attempt: attempt.token))
    /// ```
    ///
    /// The account keeps its ID and its data. An anonymous account becomes permanent (`upgraded`). For a login that the
    /// account already has, only the claims are updated (`alreadyLinked`).
    ///
    /// - Parameters:
    ///   - credential: The credential: a token of an attempt that began in this session, or a pending credential of a
    ///     conflict in this session or before it was opened.
    ///   - idempotencyKey: The client's key of this request. The same request with the same key gets the same response,
    ///     for a day.
    ///   - origin: The origin of the request, by which guesses are counted.
    /// - Returns: The account, and this session with new tokens. The previous tokens stay valid until the new ones are
    ///   used, so that a lost response signs no user out. The previous tokens of an anonymous account are rejected at
    ///   once, because the linked login can sign in.
    /// - Throws: ``AuthError``: `credential-already-in-use` and `email-already-in-use`, with a pending credential;
    ///   `provider-already-linked`, `requires-recent-login`, `second-factor-required`, `unsupported-first-factor`,
    ///   `idempotency-mismatch`, and the errors of ``Auth/signIn(with:from:)`` for a credential; `internal-error` if
    ///   ``AuthHooks/onLink`` threw an error.
    public func link(
        with credential: AuthCredential,
        idempotencyKey: String? = nil,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> AuthDataResult {
        let request = idempotencyKey.map { RepeatableRequest(key: $0, parts: ["link"] + credential.parts) }
        if let request, let response = try await auth.storedResponse(to: request, in: self) {
            return try response.get()
        }
        let proof = try await auth.prove(credential, for: .link(self), from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await auth.commit { transaction in
                let held = try transaction.held.hold(self)
                return try transaction.requests.once(request, in: held.session) {
                    try transaction.held.requireRecentLogin(held)
                    let credential = try transaction.credentialUse.use(proof)
                    return try transaction.links.link(credential, to: held).map { $0.proven(by: credential) }
                }
            }
        }
    }

    /// Unlinks a login from the account: it no longer signs in to the account, and may be linked to another.
    ///
    /// Sessions that were opened with it are closed, except this one. The account's e-mail address becomes that of
    /// another login. The provider is not notified: for Facebook, `GraphAPI` revokes the granted permissions.
    ///
    /// - Parameters:
    ///   - provider: The provider of the login.
    ///   - uid: The provider's identifier of the user, if the account has several logins of this provider.
    ///   - closesOtherSessions: Whether all other sessions of the account are closed too, and the previous tokens of
    ///     this one are rejected at once.
    ///   - idempotencyKey: The client's key of this request.
    /// - Returns: The account, and this session with new tokens. Unless other sessions are closed, the previous tokens
    ///   stay valid until the new ones are used.
    /// - Throws: ``AuthError``: `no-such-provider`; `ambiguous-provider`; `last-provider` if no other login signs in;
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
        return try await auth.commit { transaction in
            let held = try transaction.held.hold(self)
            return try transaction.requests.once(request, in: held.session) {
                try transaction.held.requireRecentLogin(held)
                let links = transaction.links
                return .commit(try links.unlink(provider, uid: uid, from: held, closingOthers: closesOtherSessions))
            }
        }
    }

    /// Reauthenticates the user of this session, for operations that require a recent login.
    ///
    /// If an ID token contains the time at which the provider authenticated the user (`auth_time`), that time becomes
    /// ``authenticatedAt``, and must be within ``LinkPolicy/recentLogin``. Otherwise the attempt must have begun within
    /// five minutes. `Provider.reauthentication` defines the request to each provider, and whether its `auth_time` is
    /// used.
    ///
    /// A login that requested permissions does not make the session recent, because the provider may answer it without
    /// authenticating the user. It extends the session if at least one permission was granted that the login did not
    /// have before. If the user declined all of them (`permissionsDeclined`), or the provider does not state that it
    /// was granted (`permissionsUnknown`), the session stays as it was, with its tokens.
    ///
    /// - Parameters:
    ///   - credential: A login of this account, of an attempt that began in this session.
    ///   - permissions: The permissions that the login requested in this session; empty for a reauthentication.
    ///   - origin: The origin of the request, by which guesses are counted.
    /// - Returns: The account, and this session with new tokens. The previous tokens stay valid until the new ones are
    ///   used, with their previous rights. After `permissionsDeclined` and `permissionsUnknown` the tokens are the
    ///   previous ones.
    /// - Throws: ``AuthError``: `user-mismatch` if the login is not the account's; `second-factor-required` if the
    ///   account has a second factor that was not verified in the session; `requires-recent-login` if the provider
    ///   authenticated the user too long ago, or does not report the time although it must; and the errors of
    ///   ``Auth/signIn(with:from:)`` for a credential.
    @discardableResult
    public func reauthenticate(
        with credential: AuthCredential,
        requesting permissions: Set<Permission> = [],
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> AuthDataResult {
        let proof = try await auth.prove(credential, for: .reauthenticate(self), from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await auth.transaction { transaction in
                let held = try transaction.held.hold(self)
                let credential = try transaction.credentialUse.use(proof)
                let result =
                    permissions.isEmpty
                    ? try transaction.links.reauthenticate(credential, in: held)
                    : try transaction.links.extend(held, with: credential, requesting: permissions)
                return result.proven(by: credential)
            }
        }
    }

    /// Whether this snapshot of the session has a recent login.
    public var isRecent: Bool {
        StoreTime(authenticatedAt).isRecent(auth.policy.linking.recentLogin, at: StoreTime(auth.clock.now))
    }

    /// Requires a recent login, with the second factor if the account has one.
    ///
    /// - Parameter age: The maximum age of the login; nil for ``LinkPolicy/recentLogin``. An anonymous account passes.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`, and others if the session is not
    ///   open.
    public func requireRecentLogin(within age: Duration? = nil) async throws(AuthError) {
        try await auth.read { transaction in
            try transaction.held.requireRecentLogin(transaction.held.look(at: self), within: age)
        }
    }
}

extension Auth {
    /// Returns the stored response to a request, so that a token which has expired since need not be verified again.
    ///
    /// - Returns: The response; nil if the request is new, and then nothing was locked.
    /// - Throws: ``AuthError``: `idempotency-mismatch`, and others if the session is not open.
    func storedResponse(to request: RepeatableRequest, in session: Session) async throws(AuthError)
        -> TransactionEnding<AuthDataResult>?
    {
        let isKnown = try await read { transaction in
            try transaction.requests.hasResponse(to: request, in: transaction.held.look(at: session).session)
        }
        guard isKnown else { return nil }
        return try await transaction { transaction in
            let held = try transaction.held.hold(session)
            return try transaction.requests.storedResponse(to: request, in: held.session)
        }
    }
}

extension AuthCredential {
    /// The parts of the credential, which distinguish requests.
    var parts: [String] {
        switch kind {
        case .idToken(let token, let attempt, let accessToken):
            ["id-token", token, attempt] + (accessToken.map { [$0] } ?? [])
        // The secret of the attempt, which is used once, distinguishes identities.
        case .identity(let identity): ["identity", identity.attempt?.text ?? ""]
        case .accessToken(let token, let attempt): ["access-token", token, attempt]
        case .password(let email, let password): ["password", email, password]
        case .phone(let id, let code): ["phone", id, code]
        case .pending(let token, let provider): ["pending", token, provider.rawValue]
        }
    }
}
