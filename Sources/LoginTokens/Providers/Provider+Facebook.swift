// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Facebook, whose Limited Login gives an app an ID token and no access token.
    ///
    /// - `https://www.facebook.com` is the issuer of all tokens seen since August 2021, those of limited.facebook.com
    ///   included. With a slash it appears in the tests of Facebook's own SDK, so that spelling has an entry of its own.
    /// - `https://facebook.com` was the issuer before. Facebook changed it without notice and may again; its SDK accepts
    ///   both to this day.
    /// - The key-set address ends with a slash; without it Facebook redirects.
    /// - Every token has a `jti` and names its key, and Facebook's SDK insists on both.
    ///
    /// Sources: "Validating the OIDC Token" (developers.facebook.com/docs/facebook-login/limited-login/token/validating),
    /// and facebook-ios-sdk 18.1: AuthenticationTokenClaims, AuthenticationTokenHeader.
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
