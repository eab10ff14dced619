// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginProviders
internal import LoginTokens

/// The keys of the client registration at an identity provider, and of the ID tokens for it.
extension ConfigurationKey {
    static let providerTenants = Self(
        "provider.<name>.tenants",
        .list("tenant ID", empty: .refused),
        "",
        "For the kind `microsoft`, where it is required: the tenants whose users can sign in, as GUIDs in lower case (personal accounts are the tenant `9188040d-6c67-4c5b-b112-36a304b66dad`); `*` for any tenant, whose e-mail addresses are never trusted, since anybody can create one. Users are stored with their tenant, so tenants can be added and removed."
    )
    static let providerAuthentication = Self(
        "provider.<name>.client-authentication",
        .choice(ServiceConfiguration.ClientSettings.Authentication.allCases.map(\.rawValue)),
        "`none` without a client secret; with one, as the discovery document lists, and `post` for `microsoft`",
        "For the kinds `openid` and `microsoft`: how the service authenticates at the token endpoint. `basic` and `post`: by the client secret, in a header or in the form. By discovery, the first of the two that the document lists is used, and `basic` if it lists no methods. `private-key-jwt`: by a JWT that is signed with `client-key-file` (RFC 7523). `none`: not at all, as a public client with PKCE."
    )
    static let providerClientKey = Self(
        "provider.<name>.client-key-file",
        .secretFile,
        "",
        "Required with the client authentication `private-key-jwt`. The private key in PEM: RSA with 2048 bits or more, EC (P-256, P-384, P-521) or Ed25519."
    )
    static let providerClientKeyID = Self(
        "provider.<name>.client-key-id",
        .text("text"),
        "",
        "The ID of the key in `client-key-file`, as the provider knows it (`kid`)."
    )
    static let providerAlgorithms = Self(
        "provider.<name>.algorithms",
        .list("name", empty: .refused),
        "those that the discovery document lists, and `RS256` if it lists none",
        "For other kinds than `facebook` and `line`: the accepted signature algorithms of ID tokens, for example `ES256`. By discovery, every supported algorithm that the document lists is accepted, but none of a secret. Until the document is known, `RS256` is accepted, and a token with another algorithm gets 503: set this key if the service cannot reach the document."
    )
    static let providerTrustedAudiences = Self(
        "provider.<name>.trusted-audiences",
        .list("text", empty: .refused),
        "",
        "For the kind `openid`: further audiences that an ID token may have beside a client ID, for providers that name all clients of a project in `aud`; `*` for any. The token must then name the client ID in `azp`, so tokens of the other clients are refused."
    )
    static let providerTokenType = Self(
        "provider.<name>.token-type",
        .choice(SignInProvider.TokenType.allCases.map(\.rawValue)),
        SignInProvider.TokenType.required.rawValue,
        "For the kind `openid`: whether responses of the token endpoint must have `token_type` (RFC 6749 §5.1). `optional`: it may be missing; a type other than `Bearer` is refused in any case."
    )
    static let providerScopes = Self(
        "provider.<name>.scopes",
        .list("scope", empty: .refused),
        "email, profile",
        "For other kinds than `facebook` and `apple`: the scopes that logins in browsers request, beside `openid`."
    )
    static let providerAge = Self(
        "provider.<name>.max-age",
        .number(1...31_536_000),
        "no limit",
        "The maximum number of seconds since an ID token was issued, for sign-ins in browsers and in apps. Its expiry is checked in any case."
    )
    static let providerAppsOnly = flag(
        "provider.<name>.apps-only",
        "Whether only apps sign in with the provider: the pages do not offer it."
    )

    /// All of them, in the order of the reference.
    static let clients = [
        providerTenants, providerAuthentication, providerClientKey, providerClientKeyID, providerAlgorithms,
        providerTrustedAudiences, providerTokenType, providerScopes, providerAge, providerAppsOnly,
    ]
}
#endif
