// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// LINE.
    ///
    /// - The audience is the channel ID, whatever the way in which a user logs in.
    /// - ID tokens for native apps, the LINE SDK and LIFF apps are signed with a key, ES256, and have a key ID. Those of web
    ///   logins are signed with the channel secret, HS256, and have none. Create a verifier for each, and choose it by the
    ///   client that sends the token.
    /// - The discovery document lists ES256 alone.
    /// - Users have the same subject in all channels of one provider, in the sense of LINE's console.
    ///
    /// Source: "Get profile information from ID tokens" (developers.line.biz/en/docs/line-login/verify-id-token).
    public static let line = Provider(
        name: "line",
        issuers: ["https://access.line.me"],
        keySetURL: "https://api.line.me/oauth2/v2.1/certs",
        requiresKeyID: true,
        hostedDomainClaim: nil
    )
}
