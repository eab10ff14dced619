// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Signs somebody in: to the account that their login belongs to, or to a new one.
    ///
    /// ```swift
    /// let result = try await auth.signIn(with: .idToken(jwt, attempt: token))
    /// ```
    ///
    /// A login leads to one account, always the same, whatever e-mail address it names. It never joins an account because somebody is
    /// signed in to that: see ``Session``.
    ///
    /// - Parameters:
    ///   - credential: What the person showed.
    ///   - origin: From where the request came, which the person then sees beside the session, and by which guesses are counted.
    /// - Returns: The account, and a new session.
    /// - Throws: ``AuthError``: `second-factor-required` where the account has one; `account-exists-with-different-credential`
    ///   where the e-mail address is another account's; `user-disabled`; `invalid-credential`, `missing-or-invalid-nonce`,
    ///   `wrong-password`, `invalid-verification-code`, `invalid-verification-id`, `session-expired`, `too-many-requests`,
    ///   `operation-not-allowed` or `provider-unavailable` where nothing is proven.
    public func signIn(with credential: AuthCredential, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> AuthDataResult
    {
        let proof = try await prove(credential, for: .signIn, from: origin)
        return try await AuthError.naming(proof.provider) { () async throws(AuthError) in
            try await settle { transaction in
                transaction.origin = origin
                return try transaction.signIn(transaction.use(proof))
            }
        }
    }
}
