// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginTokens

/// The keys of APIs whose access tokens the service verifies.
extension ConfigurationKey {
    static let apis = Self(
        "apis",
        .list("name", empty: .nothing),
        "",
        "The APIs whose access tokens are verified by `POST /v1/verify`, with the name as the policy, and by `GET /v1/forward-auth/<name>`. Each is configured as `api.<name>`. A name must not be that of a policy or a provider."
    )
    static let apiIssuer = Self(
        "api.<name>.issuer",
        .text("URL"),
        "",
        "The issuer of the access tokens if they follow RFC 9068, compared byte for byte. Its keys come from its discovery document. Either this or `preset` is required."
    )
    /// The presets, as the reference lists them.
    private static let presets = AccessTokenPreset.allCases.map { "`\($0.rawValue)` (\($0.value))" }
        .joined(separator: ", ")
    static let apiPreset = Self(
        "api.<name>.preset",
        .text("name:value"),
        "",
        "Instead of `issuer`: an issuer whose access tokens differ from RFC 9068, for example `keycloak:https://login.example.com/realms/main`. The names and their values: \(presets)."
    )
    static let apiAudiences = Self(
        "api.<name>.audiences",
        .list("text", empty: .refused),
        "",
        "Required. The identifiers of the API at the issuer. A token must be issued for one of them."
    )
    static let apiResource = Self(
        "api.<name>.resource",
        .text("URL"),
        "",
        "Required. The public URL of the API, for example `https://api.example.com`. Challenges name its metadata, and the URLs of proofs begin with its origin."
    )
    static let apiScopes = Self(
        "api.<name>.scopes",
        .list("scope", empty: .word("none")),
        "none",
        "The scopes that every token must contain. The proxy can require more for a route."
    )
    static let apiClients = Self(
        "api.<name>.clients",
        .list("text", empty: .word("*")),
        "all clients of the issuer",
        "The IDs of the clients that can call the API."
    )
    static let apiValues = Self(
        "api.<name>.required-values",
        .list("claim=value", empty: .word("none")),
        "none",
        "Values that claims must have, or contain as an element, for example `ref=refs/heads/main`. If a claim is listed with several values, one of them suffices."
    )
    static let apiAlgorithms = Self(
        "api.<name>.algorithms",
        .list("name", empty: .refused),
        "those of the issuer, `RS256` for most; with `secret-file`, `HS256`",
        "The accepted signature algorithms, for example `ES256`; with `secret-file`, one of `HS256`, `HS384` and `HS512`."
    )
    static let apiSecret = Self(
        "api.<name>.secret-file",
        .secretFile,
        "",
        "The secret that the issuer signs the access tokens of this API with, instead of a key: at least 32, 48 or 64 bytes, depending on the algorithm. No keys are fetched. Everybody who has the secret can sign tokens."
    )
    static let apiSecretEncoding = Self(
        "api.<name>.secret-encoding",
        .choice(SharedSecret.Encoding.allCases.map(\.rawValue)),
        SharedSecret.Encoding.text.rawValue,
        "The form of the secret in the file. `text`: its octets are used as written. `base64` and `base64url`: they are decoded first."
    )
    static let apiAge = Self(
        "api.<name>.max-age",
        .number(1...31_536_000),
        "no limit",
        "The maximum number of seconds since a token was issued. Its expiry is checked in any case."
    )
    static let apiProofs = Self(
        "api.<name>.dpop",
        .choice(ServiceConfiguration.APISettings.Proofs.allCases.map(\.rawValue)),
        ServiceConfiguration.Defaults.proofs.rawValue,
        "The use of DPoP proofs (RFC 9449). `off`: tokens that are bound to a key are refused. `accepted`: they need a proof, and other tokens do not. `required`: tokens that are bound to neither a key nor, with `client-certificate`, a certificate are refused."
    )
    static let apiCertificates = Self(
        "api.<name>.client-certificate",
        .choice(ServiceConfiguration.APISettings.Certificates.allCases.map(\.rawValue)),
        ServiceConfiguration.Defaults.certificates.rawValue,
        "The field in which a proxy passes the client certificate (RFC 8705) to `GET /v1/forward-auth/<name>`, read only from `trusted-proxies`, which it requires. `off`: tokens that are bound to a certificate are refused. `client-cert`: `Client-Cert` (RFC 9440). `escaped-pem`: `SSL-Client-Cert`, with percent-encoded PEM. The proxy must remove the field from what clients send."
    )
    static let apiLoopback = flag(
        "api.<name>.allow-loopback-http",
        "Whether an issuer on this machine can be used over `http`, for development."
    )
}
#endif
