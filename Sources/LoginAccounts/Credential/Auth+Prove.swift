// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginCrypto
internal import LoginTokens

extension Auth {
    /// Finds out what a credential proves: everything that takes long or asks a network, so that no transaction has to.
    ///
    /// Nothing is consumed yet. What is refused here can be tried again.
    ///
    /// - Parameters:
    ///   - credential: What somebody showed.
    ///   - purpose: What for; an attempt that began for something else proves nothing.
    ///   - origin: From where the request came, for what can be guessed.
    /// - Returns: What ``AccountTransaction/use(_:)`` takes.
    /// - Throws: ``AuthError``: `invalid-credential`, `missing-or-invalid-nonce`, `operation-not-allowed`, `provider-unavailable`;
    ///   `wrong-password`; `invalid-verification-id`, `invalid-verification-code`, `session-expired`; `too-many-requests`.
    func prove(_ credential: AuthCredential, for purpose: AttemptPurpose, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> Proof
    {
        switch credential.kind {
        case .idToken(let token, let attempt):
            Proof(evidence: try await proveToken(token, attempt: attempt), purpose: purpose)
        case .password(let email, let password):
            try await AuthError.naming(.password) { () async throws(AuthError) in
                Proof(evidence: try await provePassword(password, of: email, from: origin), purpose: purpose)
            }
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

    private func proveToken(_ text: String, attempt: String) async throws(AuthError) -> Proof.Evidence {
        let (attempt, provider) = try await begun(attempt)
        guard let verifier = provider.verifier else {
            throw AuthError(.operationNotAllowed, "the provider has no ID tokens", provider: provider.id)
        }
        let token = try await AuthError.naming(provider.id) { () async throws(AuthError) in
            try await verify(text, of: attempt, provider, by: verifier)
        }
        let once = onceOnly(token, provider, leeway: verifier.policy.leeway)
        return .token(VerifiedCredential(token, of: provider), attempt: attempt, once: once)
    }

    /// Verifies a token against the nonce of an attempt.
    func verify(_ text: String, of attempt: AttemptToken, _ provider: AuthProvider, by verifier: TokenVerifier)
        async throws(AuthError) -> VerifiedToken
    {
        let nonce: NonceExpectation =
            if !provider.hasNonce {
                .mustBeAbsent
            } else if provider.isNonceHashed {
                .sha256(of: attempt.nonce)
            } else {
                .exactly(attempt.nonce)
            }
        do throws(VerificationError) {
            return try await verifier.verify(text, nonce: nonce)
        } catch {
            throw AuthError(error)
        }
    }

    /// What a token without a nonce is remembered by, since nothing else tells that it was shown before; nil of one with a nonce.
    func onceOnly(_ token: VerifiedToken, _ provider: AuthProvider, leeway: Duration) -> OnceOnlyToken? {
        guard !provider.hasNonce else { return nil }
        return OnceOnlyToken(
            hash: Digest.sha256.hash(token.jws.payload),
            // Clocks may disagree by the leeway, for as long as which the token is still taken.
            expiresAt: StoreTime(token.expiresAt) + leeway
        )
    }

    /// The attempt of this secret, and with whose token it ends.
    ///
    /// What is read here only says what to verify; using the attempt asks for it once more.
    func begun(_ text: String) async throws(AuthError) -> (AttemptToken, AuthProvider) {
        guard let token = AttemptToken(text) else {
            throw AuthError(.missingOrInvalidNonce, "this is no token of an attempt")
        }
        let record: AttemptRecord? = try await read { transaction in
            try transaction.first(where: AttemptRecord.Column.hash.equals(token.hash))
        }
        guard let record else { throw AuthError(.missingOrInvalidNonce, "the attempt is unknown, or was long ago") }
        return (token, try configured(record.providerID))
    }
}

extension AuthError {
    /// Why a token proves nothing.
    init(_ error: VerificationError) {
        switch error {
        case .refused(let refusal):
            let isOfNonce = refusal.code == .nonce
            self.init(
                isOfNonce ? .missingOrInvalidNonce : .invalidCredential,
                refusal.description,
                refusal: refusal
            )
        case .undecided(let unavailable):
            self.init(.providerUnavailable, unavailable.description)
        }
    }
}
