// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The reason why an issuer's keys could not be fetched.
public struct KeyFetchFailure: Error, Sendable, Hashable {
    /// The kind of failure, identified by a stable name from a bounded set, suitable for metrics.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `status`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The request failed, or the response could not be received.
        public static func transport(_ code: TransportFailure.Code) -> Self { Self(code.rawValue) }
        /// The response is a redirect that is not followed.
        public static let redirect = Self("redirect")
        /// The status is not 200.
        public static let status = Self("status")
        /// The media type of the response is not JSON.
        public static let contentType = Self("content-type")
        /// The response has a content encoding, although the request accepts none.
        public static let contentEncoding = Self("content-encoding")
        /// The response is not a key set, or has no keys, too many keys, or no usable key.
        public static let keySet = Self("key-set")
        /// The response is not a discovery document, or has no `jwks_uri`.
        public static let discoveryDocument = Self("discovery-document")
        /// A configured file cannot be read, or has no bearer token.
        public static let file = Self("file")
        /// The discovery document has another issuer.
        public static let discoveryIssuer = Self("discovery-issuer")
        /// The `jwks_uri` of the discovery document has a host that the configuration does not allow.
        public static let keySetHost = Self("key-set-host")

        /// Creates the code for an error of a request, with the same name.
        init(_ code: ProviderMetadataError.Code) { self.init(code.rawValue) }

        /// All codes.
        public static let all: [Self] =
            TransportFailure.Code.all.map { .transport($0) } + [
                .redirect, .status, .contentType, .contentEncoding, .keySet, .discoveryDocument, .discoveryIssuer,
                .keySetHost, .file,
            ]
    }

    /// A kind of document.
    public enum Document: String, Sendable {
        /// The issuer's metadata (OpenID Connect Discovery §4).
        case discovery = "discovery document"
        /// The issuer's key set (RFC 7517 §5).
        case keySet = "key set"
    }

    /// The kind of failure.
    public let code: Code

    /// The document that was requested.
    public let document: Document

    /// The details of the failure, for the operator.
    ///
    /// Of the response it contains at most numbers and, escaped and shortened, a media type, key IDs, and the issuer
    /// and the origin in a discovery document.
    public let detail: String

    init(_ code: Code, of document: Document, _ detail: String) {
        self.code = code
        self.document = document
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// Whether the response was something other than the issuer's discovery document.
    ///
    /// It is false for an unreachable provider.
    var isOfDiscovery: Bool {
        let mistaken: [Code] = [.discoveryDocument, .discoveryIssuer, .keySetHost, .redirect, .contentType]
        return document == .discovery && mistaken.contains(code)
    }

    /// Returns the failure with the requested URL in its details, without the query, which may contain a secret.
    func from(_ url: EndpointURL) -> KeyFetchFailure {
        KeyFetchFailure(code, of: document, "\(detail); requested \(quoted(url.withoutQuery))")
    }

    /// Returns the failure with the setting that raises the limit in its details, if a key set is too large.
    func naming(_ limits: KeySetLimits) -> KeyFetchFailure {
        guard code == .transport(.tooLarge) else { return self }
        return KeyFetchFailure(code, of: document, detail + limits.remedy)
    }

    init(_ failure: TransportFailure, of document: Document) {
        self.init(.transport(failure.code), of: document, failure.detail)
    }

    /// Creates the failure for an error of a request, with the same code and details.
    package init(_ error: ProviderMetadataError, of document: Document = .discovery) {
        self.init(Code(error.code), of: document, error.detail)
    }
}

extension KeyFetchFailure: CustomStringConvertible {
    /// The code, the document and the details, for the operator.
    public var description: String { "\(code): \(document.rawValue): \(detail)" }
}
