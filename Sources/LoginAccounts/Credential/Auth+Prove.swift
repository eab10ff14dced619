// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginTokens

extension Auth {
    /// Verifies a credential outside of a transaction, because this can take long and needs the network.
    ///
    /// Nothing is used up yet. A credential that is refused here can be tried again.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - purpose: The purpose. An attempt with another purpose is refused.
    ///   - origin: The origin of the request, by which guesses are counted.
    /// - Returns: The proof, for ``CredentialUse/use(_:)``.
    /// - Throws: ``AuthError``: `invalid-credential`, `missing-or-invalid-nonce`, `operation-not-allowed`,
    ///   `provider-unavailable`; `wrong-password`; `invalid-verification-id`, `invalid-verification-code`,
    ///   `session-expired`; `too-many-requests`.
    func prove(_ credential: AuthCredential, for purpose: AttemptPurpose, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> Proof
    {
        switch credential.kind {
        case .idToken(let token, let attempt, let accessToken):
            Proof(evidence: try await proveToken(token, attempt: attempt, accessToken: accessToken), purpose: purpose)
        case .password(let email, let password):
            try await AuthError.naming(.password) { () async throws(AuthError) in
                Proof(evidence: try await provePassword(password, of: email, from: origin), purpose: purpose)
            }
        case .identity(let identity):
            Proof(evidence: try proveIdentity(identity), purpose: purpose)
        case .accessToken(let token, let attempt):
            Proof(evidence: try await proveAccessToken(token, attempt: attempt), purpose: purpose)
        case .phone(let id, let code):
            try await AuthError.naming(.phone) { () async throws(AuthError) in
                Proof(evidence: try await provePhone(id, code: code, for: purpose, from: origin), purpose: purpose)
            }
        case .pending(let token, let provider):
            Proof(evidence: .pending(token, of: provider), purpose: purpose)
        }
    }

    private func proveToken(
        _ text: String,
        attempt: String,
        accessToken: String?
    ) async throws(AuthError) -> Proof.Evidence {
        let (attempt, entry) = try await begun(attempt)
        let provider = entry.provider
        let token = try await AuthError.naming(provider.id) { () async throws(AuthError) in
            try await verify(text, of: attempt, provider, accessToken: accessToken, by: entry.verifier)
        }
        let permissions = provider.impliedPermissions(in: token.claims)
            .map { PermissionStatuses(granted: $0, declined: []) }
        let identity = VerifiedIdentity(
            providerID: provider.id,
            token: token,
            permissions: permissions,
            permissionSource: permissions.map { _ in PermissionSource.token },
            providerTokens: accessToken.map { ProviderTokens(accessToken: $0) }
        )
        return .identity(
            try verifiedCredential(of: identity, at: provider),
            attempt: attempt,
            channel: .app,
            once: onceOnly(token, provider, leeway: entry.verifier.policy.leeway)
        )
    }

    /// Accepts the identity of a browser login, whose token was verified when its attempt was claimed.
    private func proveIdentity(_ identity: VerifiedIdentity) throws(AuthError) -> Proof.Evidence {
        let provider = try configured(identity.providerID).provider
        guard let attempt = identity.attempt else {
            throw AuthError(
                .invalidCredential,
                "the identity does not come from a browser login",
                provider: provider.id
            )
        }
        return .identity(
            try verifiedCredential(of: identity, at: provider),
            attempt: attempt,
            channel: .browser,
            once: nil
        )
    }

    /// Returns the credential of a verified identity, and reports the claims that an account cannot use.
    ///
    /// - Throws: ``AuthError``: `invalid-credential` if the subject cannot be stored.
    func verifiedCredential(
        of identity: VerifiedIdentity,
        at provider: SignInProvider
    ) throws(AuthError) -> VerifiedCredential {
        var unusable: [UnusableClaim] = []
        let credential = try VerifiedCredential(identity, of: provider, at: clock, unusable: &unusable)
        if let onUnusableClaim { unusable.forEach(onUnusableClaim) }
        return credential
    }

    /// Verifies a token against the nonce of an attempt, and against the access token that was issued with it, if any.
    func verify(
        _ text: String,
        of attempt: AttemptSecret,
        _ provider: SignInProvider,
        accessToken: String? = nil,
        by verifier: TokenVerifier
    ) async throws(AuthError) -> VerifiedToken {
        let nonce: NonceExpectation =
            switch provider.appNonce {
            case .plain: .exactly(attempt.appNonce)
            case .sha256: .sha256(of: attempt.appNonce)
            case .absent: .mustBeAbsent
            }
        do throws(VerificationError) {
            // A client that could omit the hash could replace the access token by another user's.
            return try await verifier.verify(text, nonce: nonce, accessToken: accessToken.map { .required($0) })
        } catch {
            throw AuthError(error)
        }
    }

    /// Returns the replay mark of a token without a nonce; nil for a token with a nonce.
    func onceOnly(_ token: VerifiedToken, _ provider: SignInProvider, leeway: Duration) -> OnceOnlyToken? {
        guard provider.appNonce == .absent else { return nil }
        return OnceOnlyToken(
            hash: Digest.sha256.hash(token.jws.payload),
            // The token is accepted until its expiry plus the leeway for clocks.
            expiresAt: StoreTime(token.expiresAt) + leeway,
            issuedAt: StoreTime(token.issuedAt)
        )
    }

    /// Reads the attempt of a secret, and finds the provider whose token completes it.
    ///
    /// Anyone can call this, so it locks nothing. It only decides how the token is verified: using the attempt checks
    /// it again.
    func begun(_ text: String) async throws(AuthError) -> (AttemptSecret, SignInProviders.Entry) {
        guard let secret = AttemptSecret(text) else {
            throw AuthError(.missingOrInvalidNonce(.stateUnknown), "the token of the attempt is malformed")
        }
        let record: AttemptRecord? = try await read { transaction in
            try transaction.tables.attempts.find(secret.hash)
        }
        guard let record else {
            throw AuthError(
                .missingOrInvalidNonce(.stateUnknown),
                "the attempt is unknown, or was deleted after its expiry"
            )
        }
        return (secret, try configured(record.providerID))
    }
}

extension AuthError {
    /// Creates the error of a token that was refused, or could not be verified.
    init(_ error: VerificationError) {
        switch error {
        case .refused(let refusal): self.init(.tokenRefused(refusal), refusal.description)
        case .undecided(let unavailable):
            self.init(
                unavailable.retryAfter.map { .keyLookupPostponed(retryAfter: $0) } ?? .providerUnavailable,
                unavailable.description
            )
        }
    }
}
