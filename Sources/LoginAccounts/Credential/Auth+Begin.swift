// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension Auth {
    /// The lifetime of an attempt: the time that a user may need for the provider's dialog.
    static let attemptLifetime = Duration.seconds(600)

    /// The maximum age of an attempt that completes a reauthentication, if the provider reports no time of
    /// authentication.
    static let reauthenticationTime = Duration.seconds(300)

    /// Begins an attempt of an app.
    ///
    /// The app passes the nonce to the provider, and completes the attempt with the provider's token and the attempt's
    /// token. At Facebook, ``AuthAttempt/configuration(as:)`` has all that the app passes to Facebook's SDK.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.signIn, with: .facebook)
    /// ```
    ///
    /// An attempt expires after ten minutes, and is used once. Its purpose, its session and its channel are fixed: a
    /// browser's callback never completes it.
    ///
    /// - Parameters:
    ///   - purpose: The purpose.
    ///   - provider: The provider whose token will complete it.
    /// - Returns: The attempt, with the secret for the app. `SignInProvider.appNonce` defines the form in which the app
    ///   passes the nonce to the provider.
    /// - Throws: ``AuthError``: `operation-not-allowed` if the provider is not configured; `invalid-user-token` and
    ///   others if the session is not open.
    public func begin(_ purpose: AttemptPurpose, with provider: ProviderID) async throws(AuthError) -> AuthAttempt {
        let declared = try configured(provider).provider
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
                throw StoreError(.constraint, "two attempts have the same secret")
            }
            return attempt.expiresAt
        }
        return AuthAttempt(
            token: secret.text,
            nonce: secret.appNonce,
            expiresAt: expiresAt.date,
            configuration: declared.configuration(for: secret.appNonce)
        )
    }

    /// Requires that the provider of a credential is still enabled.
    ///
    /// It may have been disabled since the credential was verified.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed`. The transaction is rolled back then, so that nothing is used
    ///   up.
    func checkAllowed(_ credential: VerifiedCredential) throws(AuthError) {
        guard allows(credential.providerID) else {
            throw AuthError(.operationNotAllowed, "the provider is disabled", provider: credential.providerID)
        }
    }

    /// Returns the identity provider of this name, with its verifier.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed` if it is unknown or disabled.
    func configured(_ provider: ProviderID) throws(AuthError) -> SignInProviders.Entry {
        guard let entry = providers.entry(provider) else {
            throw AuthError(.operationNotAllowed, "the provider is not configured")
        }
        return entry
    }
}
