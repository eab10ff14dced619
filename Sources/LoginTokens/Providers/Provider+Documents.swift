// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// The places of a provider's documents: its key set (RFC 7517 §5), and its discovery document (OpenID Connect
    /// Discovery §4); and what their servers may do that others must not.
    ///
    /// ```swift
    /// var provider = Provider.openID(issuers: ["https://login.example"])
    /// provider.documents.keySet = .url("https://keys.example/login.json")
    /// ```
    ///
    /// By default, the discovery document is where the issuer implies, and it names the key set.
    public struct Documents: Sendable, Hashable {
        /// The place of a key set.
        public enum KeySet: Sendable, Hashable {
            /// The URL that the discovery document names, `jwks_uri`.
            case discovered
            /// This URL.
            case url(String)
            /// A file at this path, which must belong to the process's user or to root, and which only its owner may be able
            /// to write.
            ///
            /// It is read again within five minutes, and when a token names an unknown key.
            case file(String)
        }

        /// The place of the key set.
        public var keySet = KeySet.discovered

        /// The URL of the discovery document; nil for the one that the first issuer implies.
        ///
        /// The document must have the first of the provider's issuers, or ``discoveryIssuer``.
        public var discoveryURL: String?

        /// Another issuer that the discovery document may have; nil for none.
        ///
        /// Tokens, and authorization responses (RFC 9207), must have an issuer of the provider in any case.
        public var discoveryIssuer: String?

        /// The media types that responses may have, in lower case and without parameters, beside `application/json` and
        /// `application/jwk-set+json`; empty by default.
        ///
        /// ``missingContentType`` stands for a response without `Content-Type`.
        public var contentTypes: Set<String> = []

        /// Whether redirects are followed, at most three, to the same scheme, host and port; false by default.
        ///
        /// Only the requests for the discovery document and for the key set are redirected.
        public var followsRedirects = false

        /// The path of a file with a bearer token (RFC 6750 §2.1), for a server that gives its documents only to clients with
        /// one, as Kubernetes does; nil to send none.
        ///
        /// The token is sent over `https` only, and only to the origin of the configured URL of the key set or, without
        /// one, of the discovery document. The file is read for each request, so it can be replaced at any time. Its owner
        /// and mode must be those of a ``KeySet/file(_:)``.
        public var bearerTokenFile: String?

        /// The word for a response without `Content-Type`, which no media type can be: it has no slash.
        public static let missingContentType = "missing"

        /// Creates the default places.
        public init() {}
    }

    /// The URL of the key set; nil if it is discovered, or if the key set is a file.
    public var keySetURL: String? {
        if case .url(let url) = documents.keySet { url } else { nil }
    }

    /// Parses the URL of one of the provider's documents or endpoints.
    ///
    /// - Parameter text: The URL.
    /// - Returns: The URL; with `http` only if the provider allows that.
    /// - Throws: ``TransportFailure`` with the code `url`.
    package func endpoint(_ text: String) throws(TransportFailure) -> EndpointURL {
        try EndpointURL(text, allowsLoopbackHTTP: allowsLoopbackHTTP, cleartextHosts: cleartextHosts)
    }
}

extension Provider.Documents {
    /// Throws an error if a value could not have an effect.
    package func check() throws(TransportFailure) {
        for type in contentTypes where type != Self.missingContentType {
            guard type.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"ABCDEFGHIJKLMNOPQRSTUVWXYZ,;".utf8.contains($0) }),
                type.split(separator: "/", omittingEmptySubsequences: false).map(\.isEmpty) == [false, false]
            else {
                throw TransportFailure(
                    .url,
                    "contentTypes: \(quoted(type)) is not a media type in lower case without parameters"
                )
            }
        }
    }
}
