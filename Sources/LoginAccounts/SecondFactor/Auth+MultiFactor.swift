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
            let pending = try transaction.pendingSignIns.find(token)
            let factors = try transaction.factors.confirmed(of: pending.accountID)
            return transaction.pendingSignIns.resolver(for: pending, token: token, factors: factors)
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
        try await commit { transaction in try transaction.factorSignIns.resolve(token, assertion, from: origin) }
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

extension Auth {
    /// Removes all second factors of an account, for a user who has lost them and the recovery codes.
    ///
    /// Afterwards the first factor alone signs in. Verify the identity of the requester in a way that the holder of the
    /// first factor alone cannot pass. All sessions are closed, and pending operations are voided.
    ///
    /// - Parameter account: The account.
    /// - Returns: The number of confirmed factors. If there were none, nothing changes.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `store-unavailable`, `conflict-retry`.
    @discardableResult
    public func removeSecondFactors(of account: AccountID) async throws(AuthError) -> Int {
        try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.enrollments.removeAll(of: account)
        }
    }
}

extension Auth {
    /// Imports an authenticator app's factor that a user has enrolled elsewhere, so that the app keeps working.
    ///
    /// The factor is confirmed at once. If it is the account's first factor, the account's sessions are closed, because
    /// they have only one factor.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32, of 16 to 128 bytes (RFC 4226 §4, R6).
    ///   - account: The account.
    ///   - algorithm: The algorithm of the codes.
    ///   - digits: The number of digits of a code, 6 or 8.
    ///   - displayName: The user's name for it. It is truncated to 100 characters.
    /// - Returns: The factor.
    /// - Throws: ``AuthError``: `invalid-credential` if the secret or the number of digits is invalid,
    ///   `unsupported-first-factor`, `unverified-email`, `maximum-second-factor-count-exceeded`, `user-not-found`,
    ///   `account-merged`.
    @discardableResult
    public func importTOTP(
        _ secret: String,
        for account: AccountID,
        algorithm: TOTPAlgorithm = .sha1,
        digits: Int = 6,
        displayName: String? = nil
    ) async throws(AuthError) -> MultiFactorInfo {
        guard let bytes = Base32.decode(secret), (16...128).contains(bytes.count) else {
            throw AuthError(.invalidCredential, "the secret is not 16 to 128 bytes in Base32")
        }
        guard digits == 6 || digits == 8 else {
            throw AuthError(.invalidCredential, "codes have 6 or 8 digits, not \(digits)")
        }
        let totp = TOTP(secret: bytes, parameters: .init(algorithm: algorithm, digits: digits))
        return try await transaction { transaction in
            transaction.context.actor = .service
            return try transaction.enrollments.add(totp, to: account, displayName: displayName)
        }
    }
}
