// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

extension Auth {
    /// Verifies an ID token of a sign-in attempt and uses up the attempt, for applications that store their accounts
    /// elsewhere.
    ///
    /// Of all calls with one attempt, on any number of servers, one succeeds.
    ///
    /// - Parameters:
    ///   - token: The ID token, as the app sent it.
    ///   - attempt: The secret of the attempt: ``AuthAttempt/token``.
    ///   - provider: The provider of the attempt.
    ///   - verifier: The verifier. For `SignInProvider.AppNonce.absent`, the maximum age of its policy must be at most five
    ///     minutes.
    /// - Returns: The verified token.
    /// - Throws: ``AuthError``: `operation-not-allowed` for a verifier without this maximum age; `missing-or-invalid-nonce` for an attempt that is unknown, expired, used, or of another
    ///   provider; `invalid-credential` with the refusal; `provider-unavailable`, `store-unavailable`,
    ///   `conflict-retry`.
    public func verify(
        _ token: String,
        attempt: String,
        of provider: ProviderID,
        by verifier: TokenVerifier
    ) async throws(AuthError) -> VerifiedToken {
        let (attempt, entry) = try await begun(attempt)
        let begun = entry.provider
        guard begun.id == provider else {
            throw AuthError(.missingOrInvalidNonce(.issuerMismatch), "the attempt began with another provider")
        }
        guard begun.appNonce != .absent || verifier.policy.maximumAge.map({ $0 <= .seconds(300) }) ?? false else {
            let detail = "tokens without a nonce need a policy with a maximum age of at most five minutes"
            throw AuthError(.operationNotAllowed, detail, provider: provider)
        }
        let verified = try await verify(token, of: attempt, begun, by: verifier)
        let proof = Proof(
            evidence: .identity(
                try verifiedCredential(of: VerifiedIdentity(providerID: provider, token: verified), at: begun),
                attempt: attempt,
                channel: .app,
                once: onceOnly(verified, begun, leeway: verifier.policy.leeway)
            ),
            purpose: .signIn
        )
        return try await transaction { transaction in
            _ = try transaction.credentialUse.use(proof)
            return verified
        }
    }
}
