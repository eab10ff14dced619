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
            let pending = try transaction.heldSignIns.find(token)
            let factors = try transaction.factors.confirmed(of: pending.accountID)
            return transaction.heldSignIns.resolver(for: pending, token: token, factors: factors)
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
            try transaction.factorSignIns.beginChallenge(token, factor: uid, from: origin)
        }
    }

    /// Signs in with the second factor.
    ///
    /// This completes the sign-in of the first factor: the session opens with level 2, and a new login that was to join
    /// the account joins it. A correct code is used up in the same transaction, so none is lost without a session.
    ///
    /// - Parameters:
    ///   - token: ``MultiFactorResolver/token``.
    ///   - assertion: The second factor.
    ///   - origin: The origin of the request.
    /// - Returns: The account, and a new session.
    /// - Throws: ``AuthError``: `invalid-verification-code`, which is counted; `missing-multi-factor-session`,
    ///   `invalid-multi-factor-session`, `missing-multi-factor-info`, `multi-factor-info-not-found`,
    ///   `invalid-verification-id`, `session-expired`, `user-disabled`, `too-many-requests`.
    public func resolveSignIn(
        _ token: String,
        with assertion: MultiFactorAssertion,
        from origin: RequestOrigin? = nil
    ) async throws(AuthError) -> AuthDataResult {
        try await settle { transaction in try transaction.factorSignIns.resolve(token, assertion, from: origin) }
    }
}

extension MultiFactorResolver {
    /// Sends a code to a phone.
    ///
    /// - Parameters:
    ///   - uid: The ``MultiFactorInfo/uid`` of one of ``hints``.
    ///   - origin: The origin of the request.
    /// - Returns: The challenge.
    /// - Throws: ``AuthError``: the errors of ``Auth/beginChallenge(_:factor:from:)``.
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
    /// - Throws: ``AuthError``: the errors of ``Auth/resolveSignIn(_:with:from:)``.
    public func resolveSignIn(with assertion: MultiFactorAssertion, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try await auth.resolveSignIn(token, with: assertion, from: origin)
    }
}
