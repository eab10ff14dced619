// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Facebook, whose Limited Login gives an app an ID token and no access token.
    ///
    /// - `https://www.facebook.com` is the issuer of all tokens seen since August 2021, including those of
    ///   limited.facebook.com. The tests of Facebook's own SDK use it with a trailing slash, so that spelling has its
    ///   own entry.
    /// - `https://facebook.com` was the issuer before. Facebook changed it without notice and may do so again; its SDK
    ///   still accepts both.
    /// - The key set URL ends with a slash; without it Facebook redirects.
    /// - Every token has a `jti` and a key ID, and Facebook's SDK requires both.
    ///
    /// Sources: "Validating the OIDC Token"
    /// (developers.facebook.com/docs/facebook-login/limited-login/token/validating), and facebook-ios-sdk 18.1:
    /// AuthenticationTokenClaims, AuthenticationTokenHeader.
    public static let facebook = Provider(
        name: "facebook",
        issuers: ["https://www.facebook.com", "https://www.facebook.com/", "https://facebook.com"],
        keySetURL: "https://limited.facebook.com/.well-known/oauth/openid/jwks/",
        requiresKeyID: true,
        requiredClaims: ["jti"],
        hostedDomainClaim: nil,
        reauthentication: .facebook
    )
}
