// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// An identity provider, as a server that keeps accounts knows it.
public struct SignInProvider: Sendable {
    /// Whether an e-mail address that a provider calls verified is accepted as proven by the user.
    public enum EmailTrust: Sendable, Hashable {
        /// Never.
        case never
        /// Where the claim `email_verified` is true.
        case verifiedClaimOfAnyDomain
        /// Where the claim is true, and the address is of one of these domains, in letters of either case.
        case verifiedClaim(domains: Set<String>)
    }

    /// The name under which its identities are stored.
    public let id: ProviderID

    /// The verifier of its ID tokens.
    public let verifier: TokenVerifier

    /// Whether apps send the provider the SHA-256 of the nonce, in lower-case hexadecimal, and not the nonce.
    package let isNonceHashed: Bool

    /// Whether its ID tokens carry a nonce.
    package let hasNonce: Bool

    /// How far its e-mail addresses are trusted.
    package let emailTrust: EmailTrust

    /// The inspection of its access tokens; nil where they are not accepted as credentials.
    package let accessTokens: (any AccessTokenInspector)?

    /// Returns the permissions that the claims of an ID token show to be granted; nil where they show none at this provider.
    package let impliedPermissions: @Sendable (VerifiedToken) -> Set<Permission>?

    /// Creates a provider.
    package init(
        id: ProviderID,
        verifier: TokenVerifier,
        isNonceHashed: Bool = false,
        hasNonce: Bool = true,
        emailTrust: EmailTrust = .never,
        accessTokens: (any AccessTokenInspector)? = nil,
        impliedPermissions: @escaping @Sendable (VerifiedToken) -> Set<Permission>? = { _ in nil }
    ) {
        self.id = id
        self.verifier = verifier
        self.isNonceHashed = isNonceHashed
        self.hasNonce = hasNonce
        self.emailTrust = emailTrust
        self.accessTokens = accessTokens
        self.impliedPermissions = impliedPermissions
    }

    /// Returns a provider of OpenID Connect.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored. It must never change, and never name another provider.
    ///   - verifier: The verifier of its ID tokens.
    ///   - isNonceHashed: Whether apps send the provider the SHA-256 of the nonce, in lower-case hexadecimal, and not the nonce.
    ///   - hasNonce: Whether its ID tokens carry a nonce. Without one, each token is remembered until it expires, and accepted once.
    ///   - emailTrust: Whether an e-mail address that it calls verified is accepted as proven by the user.
    /// - Returns: The provider.
    public static func openID(
        _ id: ProviderID,
        verifier: TokenVerifier,
        isNonceHashed: Bool = false,
        hasNonce: Bool = true,
        emailTrust: EmailTrust = .never
    ) -> Self {
        Self(id: id, verifier: verifier, isNonceHashed: isNonceHashed, hasNonce: hasNonce, emailTrust: emailTrust)
    }
}
