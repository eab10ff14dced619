// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginTokens

extension Auth {
    /// The maximum time for all requests to the provider with one access token.
    static let accessTokenTime = Duration.seconds(15)

    /// The time for which the replay mark of a token without an expiry is stored.
    private static let longestMemory = Duration.seconds(90 * 86400)

    /// Verifies an access token with the provider, which returns its user and its permissions.
    ///
    /// The token has no nonce, so it is accepted once: after its owner has used it, no one else can use it in an
    /// attempt of their own.
    ///
    /// - Throws: ``AuthError``: `invalid-credential` for a token that is invalid, expired, or another app's;
    ///   `operation-not-allowed` if access tokens are not accepted; `provider-unavailable` if the provider does not
    ///   respond.
    func proveAccessToken(_ text: String, attempt: String) async throws(AuthError) -> Proof.Evidence {
        let (attempt, entry) = try await begun(attempt)
        let provider = entry.provider
        let token = try await inspect(text, at: provider)
        let end = token.expirationDate.map { StoreTime($0) } ?? StoreTime(clock.now) + Self.longestMemory
        let once = OnceOnlyToken(hash: Digest.sha256.hash(text.utf8), expiresAt: end)
        let identity = VerifiedIdentity(providerID: provider.id, token)
        return .identity(
            try verifiedCredential(of: identity, at: provider),
            attempt: attempt,
            channel: .app,
            once: once
        )
    }

    /// Asks a provider about an access token.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`, `operation-not-allowed`, `provider-unavailable`.
    func inspect(_ accessToken: String, at provider: SignInProvider) async throws(AuthError) -> InspectedAccessToken {
        guard let inspector = provider.accessTokenInspector else {
            throw AuthError(.operationNotAllowed, "the provider does not accept access tokens", provider: provider.id)
        }
        let token: InspectedAccessToken
        do throws(AccessTokenFailure) {
            token = try await inspector.inspect(
                accessToken,
                transport: providers.transport,
                clock: clock,
                within: Self.accessTokenTime
            )
        } catch {
            throw AuthError(error, from: provider.id)
        }
        guard (1...Limits.subjectBytes).contains(token.subject.utf8.count) else {
            throw AuthError(.invalidCredential, "the user ID is too long", provider: provider.id)
        }
        return token
    }
}

extension AuthError {
    /// Creates the error of a call with an access token that failed at the provider.
    init(_ error: AccessTokenFailure, from provider: ProviderID) {
        let reason: Reason =
            switch error.kind {
            case .invalid: .invalidCredential
            case .notAllowed: .operationNotAllowed
            case .unavailable: error.retryAfter.map { .providerBusy(retryAfter: $0) } ?? .providerUnavailable
            }
        self.init(reason, error.description, provider: provider)
    }
}
