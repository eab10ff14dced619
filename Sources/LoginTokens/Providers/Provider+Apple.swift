// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Apple, "Sign in with Apple".
    ///
    /// - `email_verified` and `is_private_email` are Booleans or the strings `"true"` and `"false"`: read them with
    ///   ``VerifiedToken/boolean(_:)``.
    /// - An address whose `is_private_email` is true forwards to the user, and only from senders registered with Apple.
    ///   It differs for each developer team.
    /// - The subject is specific to the team too. For sixty days after an app moved to another team, tokens carry
    ///   `transfer_sub`, which maps the old subject to the new one.
    /// - The token never contains the user's name: the app receives it once, at the first sign-in.
    /// - Native apps may send a nonce or its SHA-256; the claim is the value they sent. `nonce_supported` is false on
    ///   platforms that do not support nonces.
    /// - Every token has a key ID.
    ///
    /// Source: "Authenticating users with Sign in with Apple" (developer.apple.com/documentation/signinwithapple).
    public static let apple = Provider(
        name: "apple",
        issuers: ["https://appleid.apple.com"],
        keySetURL: "https://appleid.apple.com/auth/keys",
        requiresKeyID: true,
        stringBooleans: ["is_private_email"],
        privateEmailClaim: "is_private_email",
        hostedDomainClaim: nil,
        reauthentication: .apple
    )
}
