// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
public import LoginTokens

/// From the nonce that a store issues to the one that it takes back.
extension LoginConfiguration {
    /// A configuration for one login, with a nonce that a store issued and will take back once.
    ///
    /// ```swift
    /// // The attempt begins: the app gets both, the secret as it gets any secret of its own.
    /// let secret = Nonce.random()
    /// let configuration = try await LoginConfiguration.issuing(
    ///     from: nonces, purpose: .signIn, binding: NonceBinding(secret: secret), tracking: .limited)
    ///
    /// // It ends: `secret` is what the app sends with the token.
    /// let token = try await verifier.verify(
    ///     text, nonce: .singleUse(nonces, purpose: .signIn, binding: NonceBinding(secret: secret)))
    /// ```
    ///
    /// Nothing is issued where there is no such configuration.
    ///
    /// - Parameters:
    ///   - nonces: Who issues the nonce.
    ///   - purpose: What the login is for.
    ///   - binding: To whom the nonce is issued: made of a secret that is not the nonce.
    ///   - lifetime: How long the login may take, within `Limits.nonceLifetime`.
    ///   - permissions: What the person is asked for, as in an initialiser.
    ///   - tracking: Whether Facebook may use the login for advertising. It has no default here.
    ///   - messengerPageID: The page that the person is asked to write to by Messenger; at most 256 bytes.
    ///   - authType: What a person who has signed in before is asked again.
    ///   - appSwitch: Whether a phone may go by way of Facebook's app.
    ///   - codeVerifier: What the authorization code is tied to.
    /// - Returns: The configuration, for this one login.
    /// - Throws: ``LoginConfigurationError``; and what the store throws when it issues none.
    public static func issuing(
        from nonces: any NonceStore,
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration = Limits.nonceLifetime.upperBound,
        permissions: Set<Permission> = [],
        tracking: LoginTracking,
        messengerPageID: String? = nil,
        authType: LoginAuthType? = .rerequest,
        appSwitch: AppSwitch = .enabled,
        codeVerifier: CodeVerifier = CodeVerifier()
    ) async throws -> LoginConfiguration {
        // With a nonce that is thrown away: a mistake must not take room in the store.
        let configuration = try LoginConfiguration(
            validating: permissions,
            tracking: tracking,
            messengerPageID: messengerPageID,
            authType: authType,
            appSwitch: appSwitch,
            codeVerifier: codeVerifier
        )
        let nonce = try await nonces.issue(purpose: purpose, binding: binding, lifetime: lifetime)
        return try configuration.replacingNonce(with: nonce)
    }

    /// The same login, with the SHA-256 of the nonce in lower-case hexadecimal in the nonce's place.
    ///
    /// Some services want the value whose hash a token carries, Firebase for one: an app then gives Facebook the hash,
    /// and the service the value. Such an app is sent the nonce itself and hashes it, or is sent both: ``nonce`` of
    /// this configuration and, for Facebook, the configuration that this function returns. A configuration's nonce is
    /// always what Facebook is to get, unchanged.
    ///
    /// Your server then expects `.singleUse(…, hashedByApp: true)`, or `.sha256(of:)` where it keeps nonces by itself.
    ///
    /// - Returns: The configuration for Facebook.
    public func hashingNonce() -> LoginConfiguration {
        let hash = hexadecimal(Digest.sha256.hash(nonce.utf8))
        guard let configuration = try? replacingNonce(with: hash) else {
            preconditionFailure("64 hexadecimal digits are a nonce")
        }
        return configuration
    }

    private func replacingNonce(with nonce: String) throws(LoginConfigurationError) -> LoginConfiguration {
        try Self.check(nonce)
        var configuration = self
        configuration.nonce = nonce
        return configuration
    }
}
