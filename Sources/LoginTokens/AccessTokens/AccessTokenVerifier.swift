// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Verifies that an access token is genuine, issued for this API, and currently valid, and reports the reason if it is
/// not.
///
/// ```swift
/// let policy = try AccessTokenPolicy(
///     issuer: .auth0(domain: "example.eu.auth0.com"),
///     audiences: ["https://orders.example"],
///     requiredScopes: ["orders:read"]
/// )
/// let verifier = AccessTokenVerifier(policy: policy, keys: keys)
/// let token = try await verifier.verify(bearer)
/// let mayWrite = token.scopes.contains("orders:write")
/// ```
///
/// The checks run in the order of ``Check/inAccessTokenOrder``, and the first failure is the reason. They are those of
/// ``TokenVerifier`` as far as they apply, and the path of a token is the same: a token with an unknown issuer or for
/// another audience is refused before any key is looked up, and claims about a user or a time are judged only after the
/// signature was verified.
///
/// Any number of tasks may use one verifier.
public struct AccessTokenVerifier: Sendable {
    /// The policy that tokens must meet.
    public var policy: AccessTokenPolicy { pipeline.rules }

    /// A closure called with the result of each verification, for metrics: the error, or nil if the token was accepted.
    ///
    /// It is called synchronously before the result is returned, and must not block.
    public var onVerdict: (@Sendable (VerificationError?) -> Void)? {
        get { pipeline.onVerdict }
        set { pipeline.onVerdict = newValue }
    }

    /// The clock used for time checks.
    public var clock: any WallClock { pipeline.clock }

    private var pipeline: TokenPipeline<AccessTokenPolicy>

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet.
    ///   - keys: The source of the keys of the policy's issuer, ``AccessTokenIssuer/provider``.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens, which saves repeated signature checks; nil for none. Most clients send an
    ///     access token with many requests.
    public init(
        policy: AccessTokenPolicy,
        keys: any KeySource,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) {
        var rules = policy
        rules.signatures = AcceptedSignatures(policy.algorithms)
        pipeline = TokenPipeline(rules: rules, keys: keys, clock: clock, cache: cache)
    }

    /// Creates a verifier for the tokens that an issuer signs with a secret of this API.
    ///
    /// No key verifies a token of this verifier, and no secret one of a verifier with keys. If an issuer changes from one
    /// to the other, create two verifiers for two APIs; a header must not choose.
    ///
    /// - Parameters:
    ///   - policy: The policy that tokens must meet. Its algorithms, which are those of keys, are not used.
    ///   - secret: The secret that the issuer shares with this API. It must be no other API's: all who have it can sign.
    ///   - clock: The clock used for expiry and other time checks.
    ///   - cache: The cache of verified tokens, which saves parsing them again; nil for none.
    /// - Throws: ``PolicyError`` if the secret is the issuer, an audience or an allowed client.
    public init(
        policy: AccessTokenPolicy,
        secret: SharedSecret,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) throws(PolicyError) {
        try secret.refuse(policy.audiences + policy.allowedClients + policy.issuer.provider.issuers)
        var rules = policy
        rules.signatures = .secret(secret)
        pipeline = TokenPipeline(rules: rules, keys: .none(of: policy.issuer.provider), clock: clock, cache: cache)
    }

    /// Creates a verifier for tokens that are signed with a secret, or else with the issuer's keys.
    ///
    /// - Throws: ``PolicyError`` if the secret is a name in the policy.
    package init(
        policy: AccessTokenPolicy,
        secret: SharedSecret?,
        otherwise keys: any KeySource,
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) throws(PolicyError) {
        if let secret {
            try self.init(policy: policy, secret: secret, clock: clock, cache: cache)
        } else {
            self.init(policy: policy, keys: keys, clock: clock, cache: cache)
        }
    }

    /// Verifies a token, fetching keys if necessary.
    ///
    /// If the token names a key that is not available, or its signature does not verify with the available keys, the
    /// source is asked once for newer keys.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without the scheme `Bearer` or `DPoP`.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token. If it has a ``VerifiedAccessToken/confirmation``, it is bound to a key or a
    ///   certificate, and the caller must check that the client possesses it.
    /// - Throws: ``VerificationError/refused(_:)`` if the token is not acceptable, with a code of
    ///   ``VerificationCode/refusals``, or `confirmation-unsupported` for a DPoP token that names no key;
    ///   ``VerificationError/undecided(_:)`` if the keys are unavailable.
    public func verify(
        _ text: String,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> VerifiedAccessToken {
        var log = CheckLog(observer: explain, steps: Check.inAccessTokenOrder)
        return try await pipeline.verify(text, (), log: &log)
    }

    /// Verifies a token with the given keys, without waiting; the checks are the same.
    ///
    /// A verifier with a secret does not use the keys.
    ///
    /// - Parameters:
    ///   - text: The token in its compact serialization, without the scheme `Bearer` or `DPoP`.
    ///   - snapshot: The issuer's keys.
    ///   - explain: A closure that receives the result of each check, in order, whatever the outcome.
    /// - Returns: The verified token, whose ``VerifiedAccessToken/confirmation`` the caller must check.
    /// - Throws: ``TokenRefusal``, with a code of ``VerificationCode/refusals``, or `confirmation-unsupported` for a DPoP
    ///   token that names no key.
    public func verify(
        _ text: String,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> VerifiedAccessToken {
        var log = CheckLog(observer: explain, steps: Check.inAccessTokenOrder)
        return try pipeline.verify(text, (), with: snapshot, log: &log)
    }
}
