// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Auth {
    /// How long an attempt lasts: as long as a person may take for the provider's dialog.
    static let attemptLifetime = Duration.seconds(600)

    /// The maximum age of an attempt that ends a reauthentication, where the provider does not say when it authenticated the user.
    static let reauthenticationTime = Duration.seconds(300)

    /// The maximum time by which the `auth_time` of a reauthentication may lie in the future, since clocks differ.
    static let providerClockTolerance = Duration.seconds(60)

    /// Begins an attempt: the app has the nonce signed by the provider, and ends it with what the provider gave and with the
    /// attempt's token.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.signIn, with: .facebook)
    /// ```
    ///
    /// It lasts ten minutes and ends once. What began as one thing cannot end as another, nor in another session.
    ///
    /// - Parameters:
    ///   - purpose: What for.
    ///   - provider: Whose token will end it.
    /// - Returns: The attempt, with the secret for the client. Where the provider was declared with `isNonceHashed`, the app
    ///   sends it the SHA-256 of the nonce.
    /// - Throws: ``AuthError``: `operation-not-allowed` where the provider is not configured; `invalid-user-token` and others where
    ///   the session is not open.
    public func begin(_ purpose: AttemptPurpose, with provider: ProviderID) async throws(AuthError) -> AuthAttempt {
        _ = try configured(provider)
        let token = AttemptToken()
        let expiresAt = try await transaction { transaction in
            if let session = purpose.session { _ = try transaction.currentSession(session) }
            let attempt = AttemptRecord(
                hash: token.hash,
                purpose: purpose.name,
                providerID: provider,
                sessionID: purpose.session?.id,
                createdAt: transaction.now,
                expiresAt: transaction.now + Self.attemptLifetime
            )
            try transaction.add(attempt)
            return attempt.expiresAt
        }
        return AuthAttempt(token: token.text, nonce: token.nonce, expiresAt: expiresAt.date)
    }

    /// Returns the identity provider of this name.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed` where there is none.
    func configured(_ provider: ProviderID) throws(AuthError) -> SignInProvider {
        // A stranger's text is not looked up before it is short: it could be slow to compare.
        guard provider.rawValue.utf8.count <= ProviderID.longestName,
            let found = providers[provider]?.federated
        else {
            throw AuthError(.operationNotAllowed, "the provider is not configured")
        }
        return found
    }
}
