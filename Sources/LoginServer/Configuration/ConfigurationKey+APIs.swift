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
        "The issuer of the access tokens if they follow RFC 9068, or have the form that `jwt.mark` describes; compared byte for byte. Its keys come from its discovery document. Either this or `preset` is required."
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
    static let apiMark = Self(
        "api.<name>.jwt.mark",
        .text("claim or claim=value"),
        "",
        "With `issuer`: its access tokens are JWTs with the `typ` `JWT` or none, instead of those of RFC 9068. This claim, or this value of it, is what every access token of the issuer has and no other token of it, for example `scp` or `token_use=access`; never a claim of ID tokens, such as `azp`. No audience may be the ID of a client."
    )
    static let apiClientClaim = Self(
        "api.<name>.jwt.client-claim",
        .text("claim"),
        "client_id",
        "With `jwt.mark`: the claim that names the client, or `none` if tokens name none."
    )
    static let apiScopeClaim = Self(
        "api.<name>.jwt.scope-claim",
        .text("claim"),
        "scope",
        "With `jwt.mark`: the claim with the scopes, a string separated by spaces or an array."
    )
    static let apiIntrospection = Self(
        "api.<name>.introspection.endpoint",
        .text("URL"),
        "",
        "With `issuer`: the introspection endpoint of the issuer (RFC 7662), which is asked about each token instead of verifying a signature. It is for opaque tokens, and for JWTs that must be refused soon after they were revoked. It is `introspection_endpoint` in the discovery document."
    )
    static let apiIntrospectionClient = Self(
        "api.<name>.introspection.client-id",
        .text("text"),
        "",
        "Required with `introspection.endpoint`. The client ID of the API at the issuer, by which the service authenticates (`client_secret_basic`)."
    )
    static let apiIntrospectionSecret = Self(
        "api.<name>.introspection.client-secret-file",
        .secretFile,
        "",
        "Required with `introspection.endpoint`. The client secret of `introspection.client-id`."
    )
    static let apiIntrospectionOptional = Self(
        "api.<name>.introspection.optional",
        .list("member", empty: .word("none")),
        "none",
        "The members that an answer may omit: `iss`, `aud`, `client_id`, `iat` and `exp`. Without `aud`, tokens for other APIs are accepted, unless the endpoint answers only about tokens for this one."
    )
    static let apiIntrospectionSubject = Self(
        "api.<name>.introspection.subject",
        .list("member", empty: .refused),
        "sub",
        "The members that name the subject; the first in an answer counts. With `[sub, client_id]`, a client without a user is the subject itself: only if no user can have the ID of a client. With `username`, a name must never pass from one user to another."
    )
    static let apiIntrospectionCache = Self(
        "api.<name>.introspection.cache-seconds",
        .number(0...300),
        "60",
        "The maximum number of seconds for which an answer is used again, and thus for which a revoked token may still be accepted."
    )
    static let apiIntrospectionSigned = flag(
        "api.<name>.introspection.signed",
        "Whether answers must be signed by the issuer (RFC 9701), with one of `algorithms`. Its keys come from its discovery document. Otherwise they are plain JSON, which rests on TLS alone."
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
    static let apiOrigins = Self(
        "api.<name>.origins",
        .list("origin", empty: .word("none")),
        "none",
        "The origins whose scripts may call the API in browsers and read its responses (CORS), for example `https://app.example.com`: exactly as browsers send them, in lower case and without a path. Cookies are never allowed with them."
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
        "The accepted signature algorithms, for example `ES256`; with `introspection`, those of signed answers; with `secret-file`, one of `HS256`, `HS384` and `HS512`."
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
    static let proofNonces = flag(
        "dpop-nonces",
        "Whether DPoP proofs for the APIs must contain a nonce of the service (RFC 9449 §9), which clients receive in `DPoP-Nonce`. A proof then cannot be made in advance, and the clocks of the clients do not matter. It requires an API with `dpop`. The nonces are derived from `secrets-file`, so all instances agree on them."
    )
    static let apiLoopback = flag(
        "api.<name>.allow-loopback-http",
        "Whether an issuer on this machine can be used over `http`, for development."
    )
}
#endif
