// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginProviders

/// The keys for the protection of logins at an identity provider, and for its UserInfo endpoint.
extension ConfigurationKey {
    static let providerAppNonce = Self(
        "provider.<name>.app-nonce",
        .choice(SignInProvider.AppNonce.allCases.map(\.rawValue)),
        SignInProvider.AppNonce.plain.rawValue,
        "The form of the nonce in the ID tokens that apps send to sign in. `plain`: as the app got it. `sha256`: its SHA-256 in lower-case hexadecimal. `absent`: the token has none, is at most five minutes old, and is accepted once; whoever obtains it before the app sends it can sign in with it."
    )
    static let providerNonce = Self(
        "provider.<name>.nonce",
        .choice(SignInProvider.BrowserNonce.allCases.map(\.rawValue)),
        SignInProvider.BrowserNonce.required.rawValue,
        "The nonce in the ID tokens of logins in browsers. `absent`: the token may have none, for providers such as LinkedIn; one that it has is compared. The log has a warning at each start. It requires client authentication."
    )
    static let providerPKCE = Self(
        "provider.<name>.pkce",
        .choice(SignInProvider.PKCE.allCases.map(\.rawValue)),
        SignInProvider.PKCE.required.rawValue,
        "Whether logins in browsers use PKCE with the method `S256`, whatever the discovery document says. `off`: for providers that refuse its parameters. The log has a warning at each start. It requires client authentication."
    )
    static let providerCodeInjection = Self(
        "provider.<name>.code-injection",
        .choice(SignInProvider.CodeInjection.allCases.map(\.rawValue)),
        SignInProvider.CodeInjection.protected.rawValue,
        "`unprotected` admits that nothing ties a code to its login; `nonce: absent` requires it together with `pkce: off`, and at a provider whose discovery document does not list the code challenge method `S256`. Whoever steals a code can then sign in with it."
    )
    static let providerUserInfo = Self(
        "provider.<name>.user-info",
        .choice(SignInProvider.UserInfo.allCases.map(\.rawValue)),
        SignInProvider.UserInfo.off.rawValue,
        "`used`: a login in a browser asks the UserInfo endpoint for the name and the e-mail address that the ID token lacks, with the access token of the same code. `email-domains` applies. While the endpoint does not respond, nobody can sign in."
    )

    /// All of them, in the order of the reference.
    static let protection = [
        providerAppNonce, providerNonce, providerPKCE, providerCodeInjection, providerUserInfo,
    ]
}

extension SignInProvider.Setting {
    /// The key of the setting.
    var key: ConfigurationKey {
        switch self {
        case .appNonce: .providerAppNonce
        case .nonce: .providerNonce
        case .pkce: .providerPKCE
        case .codeInjection: .providerCodeInjection
        case .userInfo: .providerUserInfo
        }
    }
}
#endif
