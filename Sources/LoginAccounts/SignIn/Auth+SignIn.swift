// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Signs in to the account of a login, or to a new account.
    ///
    /// ```swift
    /// switch try await auth.signIn(with: .idToken(jwt, attempt: token)) {
    /// case .signedIn(let result): return answer(result.tokens)
    /// case .secondFactorRequired(let resolver): return ask(resolver.hints, resolver.token)
    /// case .accountExists(let conflict): return offer(conflict.pendingCredential)
    /// }
    /// ```
    ///
    /// A login always leads to the same account, whatever e-mail address it names. It never joins an account because a
    /// user is signed in to it: see ``Session/link(with:idempotencyKey:from:)``.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - origin: The origin of the request. The user sees it in the list of sessions, and guesses are counted by it.
    /// - Returns: The account and a new session; or the reason why there is no session yet.
    /// - Throws: ``AuthError``: `user-disabled`; `invalid-credential`, `missing-or-invalid-nonce`, `wrong-password`,
    ///   `invalid-verification-code`, `invalid-verification-id`, `session-expired`, `too-many-requests`,
    ///   `operation-not-allowed` or `provider-unavailable` if the credential was not accepted; `internal-error` if
    ///   ``AuthHooks/onSignIn`` threw an error.
    public func signIn(with credential: AuthCredential, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> SignInOutcome
    {
        let proof = try await prove(credential, for: .signIn, from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await transaction { transaction in
                transaction.context.origin = origin
                return try transaction.signIns.signIn(transaction.credentialUse.use(proof))
            }
        }
    }
}
