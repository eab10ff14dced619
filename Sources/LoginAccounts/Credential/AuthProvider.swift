// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LimitedLogin
public import LoginTokens

/// Who vouches for people, and how far that is believed.
public struct AuthProvider: Sendable {
    /// Whether an e-mail address that a provider calls verified is taken for the person's.
    public enum EmailTrust: Sendable, Hashable {
        /// Never.
        case never
        /// Where the claim `email_verified` says so.
        case verifiedClaimOfAnyDomain
        /// Where the claim says so, and the address is of one of these domains, in letters of either case.
        case verifiedClaim(domains: Set<String>)
    }

    /// The name under which its identities are kept.
    public let id: ProviderID

    let verifier: TokenVerifier?
    let isNonceHashed: Bool
    let hasNonce: Bool
    let emailTrust: EmailTrust
    let graph: GraphAPI?
    let mail: (any EmailSender)?

    /// Any provider of OpenID Connect.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are kept. It must never change, and never be another provider's; nor `password` or
    ///     `phone`, which are names of what is proven here: that is a mistake of the configuration, and stops the program.
    ///   - verifier: What verifies its tokens.
    ///   - isNonceHashed: Whether apps send the provider the SHA-256 of the nonce, in lower-case hexadecimal, and not the nonce.
    ///   - hasNonce: Whether its tokens carry a nonce. Where they do not, each is remembered until it ends, and taken once.
    ///   - emailTrust: Whether an e-mail address that it calls verified is taken for the person's.
    /// - Returns: The provider.
    public static func openID(
        _ id: ProviderID,
        verifier: TokenVerifier,
        isNonceHashed: Bool = false,
        hasNonce: Bool = true,
        emailTrust: EmailTrust = .never
    ) -> Self {
        precondition(id != .password && id != .phone, "this name is of what is proven here")
        return Self(
            id: id,
            verifier: verifier,
            isNonceHashed: isNonceHashed,
            hasNonce: hasNonce,
            emailTrust: emailTrust,
            graph: nil,
            mail: nil
        )
    }

    /// Facebook: Limited Login by its ID token, and where a Graph API is given, login with tracking by its access token.
    ///
    /// - Parameters:
    ///   - verifier: What verifies its ID tokens.
    ///   - graph: What is asked about access tokens; nil to take none.
    /// - Returns: The provider.
    public static func facebook(verifier: TokenVerifier, graph: GraphAPI? = nil) -> Self {
        Self(
            id: .facebook,
            verifier: verifier,
            isNonceHashed: false,
            hasNonce: true,
            emailTrust: .never,
            graph: graph,
            mail: nil
        )
    }

    /// Facebook, with the verifier of Limited Login that the rest of the service has.
    ///
    /// - Parameters:
    ///   - verifier: What verifies its ID tokens.
    ///   - graph: What is asked about access tokens; nil to take none.
    /// - Returns: The provider.
    public static func facebook(verifier: LimitedLoginVerifier, graph: GraphAPI? = nil) -> Self {
        facebook(verifier: verifier.verifier, graph: graph)
    }

    /// E-mail addresses with passwords, here.
    ///
    /// - Parameter sender: What sends the links by which people prove their addresses, and choose new passwords.
    /// - Returns: The provider.
    public static func password(_ sender: any EmailSender) -> Self {
        Self(
            id: .password,
            verifier: nil,
            isNonceHashed: false,
            hasNonce: false,
            emailTrust: .never,
            graph: nil,
            mail: sender
        )
    }

    /// Phone numbers, here: people sign in by a code that is sent to them.
    ///
    /// Who sends the codes is given to ``Auth``. A number can become somebody else's, and codes can be redirected: NIST SP
    /// 800-63B §5.1.3.3 calls phones restricted, so offer something else too.
    public static let phone = Self(
        id: .phone,
        verifier: nil,
        isNonceHashed: false,
        hasNonce: false,
        emailTrust: .never,
        graph: nil,
        mail: nil
    )
}
