// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
public import LoginTokens

/// Configurations with nonces of a store.
extension LoginConfiguration {
    /// Returns a configuration for one login, with a single-use nonce issued by a store.
    ///
    /// ```swift
    /// // At the beginning of the attempt, the app gets both, and treats the secret as any secret of its own.
    /// let secret = Nonce.random()
    /// let configuration = try await LoginConfiguration.issuing(
    ///     from: nonces, purpose: .signIn, binding: NonceBinding(secret: secret), tracking: .limited)
    ///
    /// // At the end, `secret` is the value that the app sends with the token.
    /// let token = try await verifier.verify(
    ///     text, nonce: .singleUse(nonces, purpose: .signIn, binding: NonceBinding(secret: secret)))
    /// ```
    ///
    /// If the configuration is invalid, no nonce is issued.
    ///
    /// - Parameters:
    ///   - nonces: The store that issues the nonce.
    ///   - purpose: The purpose of the login.
    ///   - binding: The client that the nonce is issued to, derived from a secret other than the nonce.
    ///   - lifetime: The lifetime of the nonce, within `Limits.nonceLifetime`.
    ///   - permissions: The requested permissions, as in an initializer.
    ///   - tracking: Whether Facebook may use the login for advertising. It has no default here.
    ///   - messengerPageID: The ID of the page that the user is asked to contact by Messenger; at most 256 bytes.
    ///   - authType: The repeated request to a user who has signed in before.
    ///   - appSwitch: Whether a phone may switch to Facebook's app.
    ///   - codeVerifier: The code verifier of the login.
    /// - Returns: The configuration, for this one login.
    /// - Throws: ``LoginConfigurationError``; rethrows errors of the store.
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
        // Validated before a nonce is issued, so that an invalid configuration uses no capacity of the store.
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

    /// Returns the same configuration with the nonce replaced by its SHA-256 in lower-case hexadecimal.
    ///
    /// Some services, Firebase for one, expect the value whose hash a token has as its nonce: the app gives Facebook
    /// the hash, and the service the value. Send such an app the nonce, which it hashes itself, or both: ``nonce`` of
    /// this configuration, and the configuration for Facebook that this function returns. The nonce of a configuration
    /// is always the value for Facebook.
    ///
    /// Your server then expects `.singleUse(…, hashedByApp: true)`, or `.sha256(of:)` if it stores nonces itself.
    ///
    /// - Returns: The configuration for Facebook.
    public func hashingNonce() -> LoginConfiguration {
        let hash = hexadecimal(Digest.sha256.hash(nonce.utf8))
        guard let configuration = try? replacingNonce(with: hash) else {
            preconditionFailure("64 hexadecimal digits are a nonce")
        }
        return configuration
    }

    /// Returns the same configuration for another login, with a nonce of its own and a new code verifier.
    ///
    /// - Parameter nonce: The nonce for Facebook.
    /// - Returns: The configuration; nil if the nonce is invalid.
    func forAnotherLogin(nonce: String) -> LoginConfiguration? {
        try? LoginConfiguration(
            validating: requestedPermissions,
            tracking: tracking,
            nonce: nonce,
            messengerPageID: messengerPageID,
            authType: authType,
            appSwitch: appSwitch
        )
    }

    private func replacingNonce(with nonce: String) throws(LoginConfigurationError) -> LoginConfiguration {
        try Self.check(nonce)
        var configuration = self
        configuration.nonce = nonce
        return configuration
    }
}
