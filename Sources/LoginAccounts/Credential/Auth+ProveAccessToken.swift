// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginCrypto
internal import LoginTokens

extension Auth {
    /// How long Facebook has for all that is asked of it.
    private static let graphTime = Duration.seconds(15)

    /// How long a token that never ends is remembered.
    private static let longestMemory = Duration.seconds(90 * 86400)

    /// Asks Facebook whose an access token is, and what it permits.
    ///
    /// The token has no nonce, so it counts once: who finds one cannot begin an attempt of their own with it after its owner has
    /// used it.
    ///
    /// - Throws: ``AuthError``: `invalid-credential` for a token that is none, ended, or is another app's; `operation-not-allowed` where
    ///   no access tokens are taken; `provider-unavailable` where Facebook does not answer.
    func proveAccessToken(_ text: String, attempt: String) async throws(AuthError) -> Proof.Evidence {
        let (attempt, provider) = try await begun(attempt)
        guard let graph = provider.graph?.ending(within: Self.graphTime) else {
            throw AuthError(.operationNotAllowed, "the provider takes no access tokens", provider: provider.id)
        }
        let credential: VerifiedCredential
        let token: AccessToken
        do throws(GraphError) {
            let received = try await graph.debug(text)
            token = received.with(try await graph.permissions(of: received), at: clock.now)
            credential = VerifiedCredential(try await graph.profile(of: token), token, of: provider, at: clock)
        } catch {
            throw AuthError(error, from: provider.id)
        }
        guard (1...Limits.subjectBytes).contains(token.userID.utf8.count) else {
            throw AuthError(.invalidCredential, "the person's ID is longer than any", provider: provider.id)
        }
        let end = token.expirationDate.map { StoreTime($0) } ?? StoreTime(clock.now) + Self.longestMemory
        let once = OnceOnlyToken(hash: Digest.sha256.hash(text.utf8), expiresAt: end)
        return .token(credential, attempt: attempt, once: once)
    }
}

extension VerifiedCredential {
    /// What Facebook says of the person whose access token it is.
    ///
    /// It does not say whether the address was verified.
    fileprivate init(_ profile: Profile, _ token: AccessToken, of provider: AuthProvider, at clock: any WallClock) {
        self.init(
            providerID: provider.id,
            subject: token.userID,
            email: profile.email.flatMap(EmailAddress.init)?.text,
            isEmailVerified: false,
            displayName: profile.name.flatMap { Self.line($0, bytes: Self.nameBytes) },
            photoURL: nil,
            permissions: GrantedPermissions(
                granted: Self.names(token.permissions),
                declined: Self.names(token.declinedPermissions),
                expired: Self.names(token.expiredPermissions)
            ),
            method: Self.federated,
            begunAt: StoreTime(clock.now)
        )
    }
}

extension AuthError {
    /// Why an access token proves nothing.
    fileprivate init(_ error: GraphError, from provider: ProviderID) {
        let code: Code =
            switch error.category {
            case .relogin, .userMustAct, .foreignToken: .invalidCredential
            case .appConfiguration: .operationNotAllowed
            default: .providerUnavailable
            }
        self.init(code, error.description, retryAfter: error.retryAfter, provider: provider)
    }
}
