// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension Auth {
    /// How long an attempt lasts: as long as a person may take for the provider's dialog.
    static let attemptLifetime = Duration.seconds(600)

    /// The maximum age of an attempt that ends a reauthentication, where the provider does not say when it authenticated the user.
    static let reauthenticationTime = Duration.seconds(300)

    /// The maximum time by which the `auth_time` of a reauthentication may lie in the future, since clocks differ.
    static let providerClockTolerance = Duration.seconds(60)

    /// Begins an attempt of an app: the app has the provider sign the nonce, and completes the attempt with what the provider returned and
    /// the attempt's token.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.signIn, with: .facebook)
    /// ```
    ///
    /// It lasts ten minutes and is used once. Its purpose, its session and its channel cannot change: a browser's callback never completes it.
    ///
    /// - Parameters:
    ///   - purpose: The purpose.
    ///   - provider: The provider whose token will complete it.
    /// - Returns: The attempt, with the secret for the app. What the app passes to the provider is `SignInProvider.appNonce`.
    /// - Throws: ``AuthError``: `operation-not-allowed` where the provider is not configured; `invalid-user-token` and others where
    ///   the session is not open.
    public func begin(_ purpose: AttemptPurpose, with provider: ProviderID) async throws(AuthError) -> AuthAttempt {
        _ = try configured(provider)
        let secret = AttemptSecret()
        let expiresAt = try await transaction { transaction in
            if let session = purpose.session { _ = try transaction.sessions.current(session) }
            let attempt = AttemptRecord(
                hash: secret.hash,
                providerID: provider,
                channel: .app,
                purpose: purpose.noncePurpose.storageKey,
                createdAt: transaction.now,
                expiresAt: transaction.now + Self.attemptLifetime
            )
            guard try transaction.tables.attempts.insert(attempt) else {
                throw StoreError(.constraint, "an attempt has the secret of another")
            }
            return attempt.expiresAt
        }
        return AuthAttempt(token: secret.text, nonce: secret.appNonce, expiresAt: expiresAt.date)
    }

    /// Checks that users can still sign in with the provider of a credential, which may have been switched off since it was proven.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed`. The transaction is undone then, so that nothing is consumed.
    func checkAllowed(_ credential: VerifiedCredential) throws(AuthError) {
        guard allows(credential.providerID) else {
            throw AuthError(.operationNotAllowed, "the provider is switched off", provider: credential.providerID)
        }
    }

    /// Returns the identity provider of this name, with its verifier.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed` where there is none, or it is switched off.
    func configured(_ provider: ProviderID) throws(AuthError) -> SignInProviders.Entry {
        guard let entry = providers.entry(provider) else {
            throw AuthError(.operationNotAllowed, "the provider is not configured")
        }
        return entry
    }
}
