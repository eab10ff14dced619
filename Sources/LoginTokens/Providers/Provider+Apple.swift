// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Apple, "Sign in with Apple".
    ///
    /// - `email_verified` and `is_private_email` are booleans or the strings `"true"` and `"false"`: read them with
    ///   ``VerifiedToken/boolean(_:)``.
    /// - An address whose `is_private_email` is true forwards to the person, and only from senders registered with Apple. It is
    ///   another one for each team of developers.
    /// - The subject belongs to the team too. For sixty days after an app moved to another team, tokens carry `transfer_sub`,
    ///   which leads from the old subject to the new.
    /// - The name never stands in the token: the app receives it once, at the first sign-in.
    /// - Native apps may send the SHA-256 of a nonce or the nonce itself; the claim is what they sent. `nonce_supported` is
    ///   false on platforms that have none.
    /// - Every token names its key.
    ///
    /// Source: "Authenticating users with Sign in with Apple" (developer.apple.com/documentation/signinwithapple).
    public static let apple = Provider(
        name: "apple",
        issuers: ["https://appleid.apple.com"],
        keySetURL: "https://appleid.apple.com/auth/keys",
        requiresKeyID: true,
        stringBooleans: ["email_verified", "is_private_email"],
        hostedDomainClaim: nil,
        reauthentication: .apple
    )
}
