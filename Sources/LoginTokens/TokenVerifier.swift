// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Verifies that an ID token is genuine, meant for this client, and currently valid, and reports the reason if it is
/// not.
///
/// ```swift
/// let verifier = TokenVerifier(policy: policy, keys: keys)
/// let token = try await verifier.verify(text, nonce: .exactly(expected))
/// ```
///
/// The checks run in the order of ``Check/inOrder``, and the first failure is the reason. A token with an unknown
/// issuer or for another audience is refused before any key is looked up. Claims about a user or a time are judged only
/// after the signature was verified.
///
/// Any number of tasks may use one verifier. The verifier remembers parts of verified tokens to save work; this never
/// changes a result.
public struct TokenVerifier: Sendable {
    /// The policy that tokens must meet.
    public var policy: TokenPolicy { pipeline.rules }

    /// A closure called with the result of each verification, for metrics: the error, or nil if the token was accepted.
    ///
    /// It is called synchronously before the result is returned, and must not block. For a single-use nonce, it is
    /// called before the nonce is consumed, so a refusal of the nonce is not reported to it.
    public var onVerdict: (@Sendable (VerificationError?) -> Void)? {
        get { pipeline.onVerdict }
        set { pipeline.onVerdict = newValue }
    }

    private var pipeline: TokenPipeline<TokenPolicy>

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet.
    ///   - keys: The source of the issuer's keys.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens, which saves repeated signature checks; nil for none.
    public init(
        policy: TokenPolicy,
        keys: any KeySource,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) {
        var rules = policy
        rules.signatures = AcceptedSignatures(policy.algorithms)
        pipeline = TokenPipeline(rules: rules, keys: keys, clock: clock, cache: cache)
    }

    /// Creates a verifier for the tokens that an issuer signs with a secret of this client (OpenID Connect Core §10.1).
    ///
    /// ```swift
    /// let web = try TokenVerifier(policy: policy, secret: SharedSecret(channelSecret, algorithm: .hs256))
    /// let app = TokenVerifier(policy: policy, keys: keys)
    /// ```
    ///
    /// No key verifies a token of this verifier, and no secret one of a verifier with keys. If an issuer uses both, create
    /// two verifiers, and choose one by the client that sent the token, never by its header.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet. Its algorithms, which are those of keys, are not used. It must have
    ///     one audience, the client that has the secret, no trusted audiences, and no other authorized parties: OpenID
    ///     Connect Core §3.1.3.7, step 8, defines no key for a token of several clients.
    ///   - secret: The secret that the issuer shares with the client.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens, which saves parsing them again; nil for none.
    /// - Throws: ``PolicyError`` if the policy is for several clients, or the secret is the client ID or the issuer.
    public init(
        policy: TokenPolicy,
        secret: SharedSecret,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) throws(PolicyError) {
        guard policy.audiences.count == 1, policy.trustedAudiences == [], policy.authorizedParties.isEmpty else {
            throw PolicyError("audiences: a shared secret is that of one client, so only its client ID is accepted")
        }
        try secret.refuse(policy.audiences + policy.provider.issuers)
        var rules = policy
        rules.signatures = .secret(secret)
        pipeline = TokenPipeline(rules: rules, keys: .none(of: policy.provider), clock: clock, cache: cache)
    }

    /// Creates a verifier for tokens that are signed with a secret, or else with the issuer's keys.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet.
    ///   - secret: The secret; nil for keys.
    ///   - keys: The source of the issuer's keys.
    ///   - listing: The algorithms of the keys that the provider lists, in place of those of the policy; nil for those
    ///     of the policy.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens; nil for none.
    /// - Throws: ``PolicyError`` if there is a secret, and the policy is for several clients or contains it.
    package init(
        policy: TokenPolicy,
        secret: SharedSecret?,
        otherwise keys: any KeySource,
        listing: (any AlgorithmListing)? = nil,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) throws(PolicyError) {
        if let secret {
            try self.init(policy: policy, secret: secret, clock: clock, cache: cache)
        } else {
            self.init(policy: policy, keys: keys, clock: clock, cache: cache)
            if let listing { pipeline.rules.signatures = .listed(listing) }
        }
    }

    /// Verifies a token, fetching keys if necessary.
    ///
    /// If the token names a key that is not available, or its signature does not verify with the available keys, the
    /// source is asked once for newer keys. A provider that has just begun to use a new key, under a new ID or an old
    /// one, costs one wait and no refusal.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The expected nonce.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable, with a code of
    ///   ``VerificationCode/refusals``; ``VerificationError/undecided(_:)`` if the keys are unavailable.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, code: code)
        return try await pipeline.verify(text, expectations, log: &log)
    }

    /// Verifies a token whose nonce a store issued, and consumes the nonce, so that no token is accepted twice.
    ///
    /// ```swift
    /// let token = try await verifier.verify(text, nonce: .singleUse(nonces, purpose: .signIn, binding: binding))
    /// ```
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The nonce store, and the purpose and the binding for which the nonce was issued.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token, whose nonce is now consumed.
    /// - Throws: ``VerificationError``; rethrows errors of the nonce store. After a store error the token may still be
    ///   valid, and the nonce may be consumed.
    public func verify(
        _ text: String,
        nonce: SingleUseNonce,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: .storeIssued, accessToken: accessToken, code: code)
        let token = try await pipeline.verify(text, expectations, log: &log)
        let refusal: TokenRefusal?
        do {
            refusal = try await nonce.refusal(of: token)
        } catch {
            log.skip(.singleUse, "the nonce store is unavailable")
            throw error
        }
        if let refusal {
            log.fail(.refused(refusal))
            throw VerificationError.refused(refusal)
        }
        log.pass(.singleUse, "consumed now, not used before")
        return token
    }

    /// Verifies a token that a provider issued in exchange for a refresh token.
    ///
    /// The token must meet the policy like any other, including a maximum authentication age. It must have the same
    /// issuer, subject, audience and authentication as the first token of the sign-in, and the same nonce or none
    /// (OpenID Connect Core §12.2).
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - original: The data retained from the first token.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``VerificationError``, with the same codes as for other tokens.
    public func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        accessToken: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        let nonce = NonceExpectation.unchanged(from: original.nonce)
        return try await verifyRefreshed(text, of: original, nonce: nonce, accessToken: accessToken, explain: explain)
    }

    /// Verifies a refreshed token of a provider whose refreshed tokens do not follow the nonce rule of Core §12.2.
    package func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, original: original)
        return try await pipeline.verify(text, expectations, log: &log)
    }
}

// MARK: With given keys

extension TokenVerifier {
    /// Verifies a token with the given keys, without waiting; the checks are the same.
    ///
    /// A verifier with a secret does not use the keys.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - nonce: The expected nonce.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - code: The authorization code issued with the ID token, whose hash is `c_hash`; nil if there is none.
    ///   - snapshot: The issuer's keys.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``TokenRefusal``, with a code of ``VerificationCode/refusals``.
    public func verify(
        _ text: String,
        nonce: NonceExpectation,
        accessToken: HashExpectation? = nil,
        code: HashExpectation? = nil,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, code: code)
        return try pipeline.verify(text, expectations, with: snapshot, log: &log)
    }

    /// Verifies a token that a provider issued in exchange for a refresh token, with the given keys.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without surrounding characters.
    ///   - original: The data retained from the first token.
    ///   - accessToken: The access token issued with the ID token, whose hash is `at_hash`; nil if there is none.
    ///   - snapshot: The issuer's keys.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token.
    /// - Throws: ``TokenRefusal``, with a code of ``VerificationCode/refusals``.
    public func verifyRefreshed(
        _ text: String,
        of original: OriginalAuthentication,
        accessToken: HashExpectation? = nil,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedToken {
        var log = CheckLog(observer: explain)
        let nonce = NonceExpectation.unchanged(from: original.nonce)
        let expectations = Expectations(nonce: nonce, accessToken: accessToken, original: original)
        return try pipeline.verify(text, expectations, with: snapshot, log: &log)
    }
}
