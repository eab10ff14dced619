// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// Why an issuer's keys could not be fetched.
public struct KeyFetchFailure: Error, Sendable, Hashable {
    /// The stable name of a reason, bounded in number and therefore fit for metrics.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `status`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The server could not be asked, or its answer not be heard.
        public static func transport(_ code: TransportFailure.Code) -> Self { Self(code.rawValue) }
        /// The answer sends us to another address, and we do not go.
        public static let redirect = Self("redirect")
        /// The status is not 200.
        public static let status = Self("status")
        /// The answer is not said to be JSON.
        public static let contentType = Self("content-type")
        /// The answer is compressed, though that was not asked for.
        public static let contentEncoding = Self("content-encoding")
        /// The answer is not a key set, or has no key, or too many, or none that can be used.
        public static let keySet = Self("key-set")
        /// The answer is not a discovery document, or names no address of keys.
        public static let discoveryDocument = Self("discovery-document")
        /// The discovery document is another issuer's.
        public static let discoveryIssuer = Self("discovery-issuer")
        /// The discovery document sends us for keys to a host that we were not told of.
        public static let keySetHost = Self("key-set-host")

        /// What is wrong with an answer, whatever it answers.
        static func response(_ code: ResponseFault.Code) -> Self { Self(ProviderMetadataError.Code.response(code)) }

        /// Why there is no discovery document to believe, which has the same name here.
        init(_ code: ProviderMetadataError.Code) { self.init(code.rawValue) }

        /// All of them.
        public static let all: [Self] =
            TransportFailure.Code.all.map { .transport($0) } + [
                .redirect, .status, .contentType, .contentEncoding, .keySet, .discoveryDocument, .discoveryIssuer,
                .keySetHost,
            ]
    }

    /// What was fetched.
    public enum Document: String, Sendable {
        /// What the issuer says about itself (OpenID Connect Discovery §4).
        case discovery = "discovery document"
        /// The issuer's keys (RFC 7517 §5).
        case keySet = "key set"
    }

    /// The stable name of the reason.
    public let code: Code

    /// What was fetched.
    public let document: Document

    /// What was seen, in a few words, for the operator; of what the server sent, no more than
    /// numbers and, escaped and short, a media type, key IDs, and the issuer and the origin that a discovery document
    /// names.
    public let detail: String

    init(_ code: Code, of document: Document, _ detail: String) {
        self.code = code
        self.document = document
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// Whether something else than a discovery document of the issuer was found in its place.
    ///
    /// A provider that cannot be reached says nothing of the kind.
    var isOfDiscovery: Bool {
        let mistaken: [Code] = [.discoveryDocument, .discoveryIssuer, .keySetHost, .redirect, .contentType]
        return document == .discovery && mistaken.contains(code)
    }

    /// The same, saying what was asked; a query may hold a secret, and is left out.
    func from(_ url: EndpointURL) -> KeyFetchFailure {
        KeyFetchFailure(code, of: document, "\(detail); asked \(quoted(url.withoutQuery))")
    }

    init(_ failure: TransportFailure, of document: Document) {
        self.init(.transport(failure.code), of: document, failure.detail)
    }

    init(_ error: ProviderMetadataError) {
        self.init(Code(error.code), of: .discovery, error.detail)
    }
}

extension KeyFetchFailure: CustomStringConvertible {
    /// The code, what was fetched and what was seen, for the operator.
    public var description: String { "\(code): \(document.rawValue): \(detail)" }
}
