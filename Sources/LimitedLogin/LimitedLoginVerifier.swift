// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Verifies the ID tokens of Facebook Limited Login on a server.
///
/// ```swift
/// let verifier = try LimitedLoginVerifier(appIDs: ["1234567890"], keys: keys)
/// let token = try await verifier.verify(text, nonce: .exactly(expected))
/// print(token.profile.userID)
/// ```
///
/// It is a `TokenVerifier` with Facebook's issuers, for the moment of sign-in: by default it accepts tokens that are at
/// most ten minutes old, as Facebook's own SDK does. Verify a token once, then open a session of your own for the user.
/// The token does not reflect later decisions of the user.
public struct LimitedLoginVerifier: Sendable {
    package let verifier: TokenVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - appIDs: The IDs of your apps at Facebook; at least one. A user has a different ID in each.
    ///   - keys: The source of Facebook's keys.
    ///   - maximumAge: The maximum age of a token; nil to accept it until it expires, about an hour.
    ///   - leeway: The clock skew that is tolerated, 0 to 300 seconds.
    ///   - clock: The clock for expiry checks.
    ///   - cache: The cache of verified tokens, which saves the signature check of a known token; nil for none.
    /// - Throws: `PolicyError` if there is no app ID or an empty one, or a duration is out of range.
    public init(
        appIDs: [String],
        keys: any KeySource,
        maximumAge: Duration? = .seconds(600),
        leeway: Duration = .seconds(30),
        clock: any WallClock = .system,
        cache: VerifiedTokenCache? = nil
    ) throws(PolicyError) {
        let policy = try TokenPolicy(provider: .facebook, audiences: appIDs, leeway: leeway, maximumAge: maximumAge)
        self.verifier = TokenVerifier(policy: policy, keys: keys, clock: clock, cache: cache)
    }

    /// Verifies a token and returns it with the user's profile.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: The expected nonce, which your server issued for this attempt.
    ///   - explain: Called with each check's result, in order, whatever the outcome.
    /// - Returns: The verified token, with the user's profile.
    /// - Throws: `VerificationError`, which distinguishes a refusal from keys that are unavailable.
    public func verify(
        _ tokenString: String,
        nonce: NonceExpectation,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> AuthenticationToken {
        let verified = try await verifier.verify(tokenString, nonce: nonce, explain: explain)
        return Self.token(tokenString, verified)
    }

    /// Verifies a token whose nonce a store issued, and consumes the nonce, so that no token is accepted twice.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: The store, the purpose and the binding of the nonce.
    ///   - explain: Called with each check's result, in order, whatever the outcome.
    /// - Returns: The verified token, with the user's profile.
    /// - Throws: `VerificationError`; rethrows errors of the store.
    public func verify(
        _ tokenString: String,
        nonce: SingleUseNonce,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws -> AuthenticationToken {
        let verified = try await verifier.verify(tokenString, nonce: nonce, explain: explain)
        return Self.token(tokenString, verified)
    }

    /// Verifies a token that Facebook's SDK obtained by refreshing a Limited Login, without a new login of the user.
    ///
    /// ```swift
    /// let token = try await verifier.verify(text, refreshing: session.original, nonce: .unchanged)
    /// ```
    ///
    /// It must pass every check of a sign-in token, its age included. It must belong to the user, the app and the
    /// issuer of the first token, and must not be older. It proves that the app is still connected, not that the user
    /// is present. If presence matters, require a login.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - original: The stored facts about the token that the user signed in with,
    ///     `OriginalAuthentication(token.verified)`.
    ///   - nonce: The check of its nonce, which depends on the kind of refresh.
    ///   - explain: Called with each check's result, in order, whatever the outcome.
    /// - Returns: The verified token, with the user's current profile.
    /// - Throws: `VerificationError`, with the codes of other tokens: `subject` for a token of another user.
    public func verify(
        _ tokenString: String,
        refreshing original: OriginalAuthentication,
        nonce: RefreshedNonce,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> AuthenticationToken {
        let nonce = nonce.expectation(refreshing: original)
        let verified = try await verifier.verifyRefreshed(tokenString, of: original, nonce: nonce, explain: explain)
        return Self.token(tokenString, verified)
    }

    /// Verifies a token with given keys: the same checks, without waiting.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: The expected nonce.
    ///   - snapshot: Facebook's keys.
    ///   - explain: Called with each check's result, in order, whatever the outcome.
    /// - Returns: The verified token, with the user's profile.
    /// - Throws: `TokenRefusal`.
    public func verify(
        _ tokenString: String,
        nonce: NonceExpectation,
        with snapshot: KeySnapshot,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(TokenRefusal) -> AuthenticationToken {
        let verified = try verifier.verify(tokenString, nonce: nonce, with: snapshot, explain: explain)
        return Self.token(tokenString, verified)
    }

    private static func token(_ text: String, _ verified: VerifiedToken) -> AuthenticationToken {
        guard let token = AuthenticationToken(tokenString: text, verified) else {
            preconditionFailure("the policy requires Facebook's issuer, and a jti")
        }
        return token
    }
}
