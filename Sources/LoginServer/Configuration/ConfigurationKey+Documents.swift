// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The keys for the places of the documents of an identity provider, or of the issuer of an API's access tokens.
struct DocumentKeys: Sendable {
    let keySetURL: ConfigurationKey
    let keysFile: ConfigurationKey
    let discoveryURL: ConfigurationKey
    let discoveryIssuer: ConfigurationKey
    let contentTypes: ConfigurationKey
    let redirects: ConfigurationKey
    let bearerFile: ConfigurationKey

    /// The keys of identity providers.
    static let provider = DocumentKeys("provider", login: " Logins in browsers still use the discovery document.")
    /// The keys of APIs.
    static let api = DocumentKeys("api", login: "")

    /// Creates the keys.
    ///
    /// - Parameters:
    ///   - section: The beginning of their names.
    ///   - login: What else uses the discovery document, as a sentence.
    private init(_ section: String, login: String) {
        keySetURL = ConfigurationKey(
            "\(section).<name>.jwks-uri",
            .text("URL"),
            "the one in the discovery document, or known for the kind or preset",
            "The URL of the key set.\(login)"
        )
        keysFile = ConfigurationKey(
            "\(section).<name>.keys-file",
            .text("file"),
            "",
            "A file with the key set (JWK Set), in place of a URL. It must belong to the service's user or to root, and only its owner may be able to write it. It is read again within five minutes, and when a token names an unknown key.\(login)"
        )
        discoveryURL = ConfigurationKey(
            "\(section).<name>.discovery-url",
            .text("URL"),
            "the one that the issuer implies",
            "The URL of the discovery document, which must have the issuer, or `discovery-issuer`."
        )
        discoveryIssuer = ConfigurationKey(
            "\(section).<name>.discovery-issuer",
            .text("text"),
            "",
            "Another issuer that the discovery document may have. The issuer of tokens and of login responses stays the configured one."
        )
        contentTypes = ConfigurationKey(
            "\(section).<name>.content-types",
            .list("type", empty: .refused),
            "",
            "Further media types that the documents may have, beside `application/json` and `application/jwk-set+json`, for example `text/plain`; `missing` for a response without `Content-Type`."
        )
        redirects = .flag(
            "\(section).<name>.follow-redirects",
            "Whether up to three redirects of the documents are followed, within the same scheme, host and port."
        )
        bearerFile = ConfigurationKey(
            "\(section).<name>.bearer-file",
            .text("file"),
            "",
            "A file with a bearer token for the requests of the documents, such as the token of a service account in Kubernetes. The token is sent over `https` only, to the origin of `jwks-uri` or, without it, of the discovery document. The file is read for each request; its owner and mode are checked as for `keys-file`."
        )
    }

    /// All of them, in the order of the reference.
    var all: [ConfigurationKey] {
        [keySetURL, keysFile, discoveryURL, discoveryIssuer, contentTypes, redirects, bearerFile]
    }
}
#endif
