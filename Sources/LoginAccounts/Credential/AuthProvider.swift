// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// A way to sign in: an identity provider, or a credential that this package checks itself.
public struct AuthProvider: Sendable {
    /// The name under which its identities are stored.
    public let id: ProviderID

    /// The identity provider; nil for a credential that is checked here.
    let federated: SignInProvider?

    /// The sender of messages; nil for anything but passwords.
    let mail: (any EmailSender)?

    /// Returns sign-in with an identity provider, for example `.federated(.facebook(verifier: verifier))`.
    ///
    /// - Parameter provider: The provider. A name that belongs to a credential checked here, `password` or `phone`, is a mistake in the
    ///   configuration, and stops the program.
    /// - Returns: The way to sign in.
    public static func federated(_ provider: SignInProvider) -> Self {
        precondition(provider.id != .password && provider.id != .phone, "this name is of what is proven here")
        return Self(id: provider.id, federated: provider, mail: nil)
    }

    /// Returns sign-in with any provider of OpenID Connect.
    ///
    /// - Parameters:
    ///   - id: The name under which its identities are stored. It must never change, and never name another provider; nor `password` or
    ///     `phone`, which stops the program.
    ///   - verifier: The verifier of its ID tokens.
    ///   - isNonceHashed: Whether apps send the provider the SHA-256 of the nonce, in lower-case hexadecimal, and not the nonce.
    ///   - hasNonce: Whether its ID tokens carry a nonce. Without one, each token is remembered until it expires, and accepted once.
    ///   - emailTrust: Whether an e-mail address that it calls verified is accepted as proven by the user.
    /// - Returns: The way to sign in.
    public static func openID(
        _ id: ProviderID,
        verifier: TokenVerifier,
        isNonceHashed: Bool = false,
        hasNonce: Bool = true,
        emailTrust: SignInProvider.EmailTrust = .never
    ) -> Self {
        federated(
            .openID(id, verifier: verifier, isNonceHashed: isNonceHashed, hasNonce: hasNonce, emailTrust: emailTrust)
        )
    }

    /// Returns sign-in with an e-mail address and a password.
    ///
    /// - Parameter sender: The sender of the links by which users prove their addresses, and choose new passwords.
    /// - Returns: The way to sign in.
    public static func password(_ sender: any EmailSender) -> Self {
        Self(id: .password, federated: nil, mail: sender)
    }

    /// Sign-in with a phone number, by a code that is sent to it.
    ///
    /// The sender of the codes is given to ``Auth``. A number can get another owner, and codes can be redirected: NIST SP 800-63B
    /// §5.1.3.3 calls phones restricted, so offer another way too.
    public static let phone = Self(id: .phone, federated: nil, mail: nil)
}
