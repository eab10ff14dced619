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
/// It is a `TokenVerifier` with Facebook's issuers and habits, for the moment of sign-in: by default it
/// takes tokens that are at most ten minutes old, as Facebook's own SDK does. Verify a token once, then give the person
/// a session of your own; the token itself says nothing about the person's later wishes.
public struct LimitedLoginVerifier: Sendable {
    package let verifier: TokenVerifier

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - appIDs: The IDs of your apps at Facebook; at least one. A person has another ID in each.
    ///   - keys: Where Facebook's keys come from.
    ///   - maximumAge: How long ago a token may have been issued; nil to accept it until it expires, about an hour.
    ///   - leeway: 0 … 300 seconds by which clocks may disagree.
    ///   - clock: Who says what time it is.
    ///   - cache: What remembers tokens that were verified, so that each has its signature checked once; nil for none.
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

    /// Verifies a token and reads what the person shared.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: What the nonce must be: the one your server issued for this attempt.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven, with the person's profile.
    /// - Throws: `VerificationError`, which tells a refusal from keys that could not be had.
    public func verify(
        _ tokenString: String,
        nonce: NonceExpectation,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws(VerificationError) -> AuthenticationToken {
        let verified = try await verifier.verify(tokenString, nonce: nonce, explain: explain)
        return Self.token(tokenString, verified)
    }

    /// Verifies a token whose nonce a store issued, and takes the nonce back, so that no token is accepted twice.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: Who issued the nonce, what for, and to whom.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven and used up, with the person's profile.
    /// - Throws: `VerificationError`; and what the store throws when it cannot be asked.
    public func verify(
        _ tokenString: String,
        nonce: SingleUseNonce,
        explain: ((CheckReport) -> Void)? = nil
    ) async throws -> AuthenticationToken {
        let verified = try await verifier.verify(tokenString, nonce: nonce, explain: explain)
        return Self.token(tokenString, verified)
    }

    /// Verifies a token that Facebook's SDK got by refreshing a Limited Login, without the person signing in again.
    ///
    /// ```swift
    /// let token = try await verifier.verify(text, refreshing: session.original, nonce: .unchanged)
    /// ```
    ///
    /// It meets every check of a token of a sign-in, its age included; and it is of the person, the app and the issuer
    /// of the first token, and not older. It says that the person still has the app connected, not that they are there:
    /// where that matters, have them sign in.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - original: What was kept of the token that the person signed in with,
    ///     `OriginalAuthentication(token.verified)`.
    ///   - nonce: What its nonce can be compared with, which depends on the way it was refreshed.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven, with the person's profile of today.
    /// - Throws: `VerificationError`, with the same codes as for other tokens: `subject` for that of another person.
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

    /// Verifies a token with keys that are at hand: the same checks, without waiting.
    ///
    /// - Parameters:
    ///   - tokenString: `AuthenticationToken.tokenString` of Facebook's SDK, unchanged.
    ///   - nonce: What the nonce must be.
    ///   - snapshot: Facebook's keys.
    ///   - explain: Receives each check's result, in order, whatever the outcome.
    /// - Returns: The token, now proven, with the person's profile.
    /// - Throws: `TokenRefusal`, which says why.
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
            preconditionFailure("the policy asks for Facebook's tokens, and for their jti")
        }
        return token
    }
}
