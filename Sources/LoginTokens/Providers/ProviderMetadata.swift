// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The metadata of an OpenID provider: its endpoints and capabilities (OpenID Connect Discovery §3).
///
/// ```swift
/// let metadata = try await ProviderMetadata.fetch(provider: .google, transport: transport)
/// ```
///
/// Only the issuer and the key set URL are required, because some providers omit members that the standard requires,
/// and Facebook omits the token endpoint. The issuer must be the requested one, byte for byte: otherwise another
/// issuer's document could supply the keys for this one. Endpoints may be on other hosts.
///
/// Microsoft's document for several tenants, or any, is at another URL than their issuers imply, and its issuer contains
/// a placeholder for the tenant. The documents of `Provider.microsoft(tenantIDs:)` and `Provider.microsoftAnyTenant`
/// have both.
public struct ProviderMetadata: Sendable, Hashable {
    /// The issuer of the provider's tokens: the first of its issuers.
    public let issuer: String

    /// The authorization endpoint; nil if it is missing or not an acceptable URL.
    public let authorizationEndpoint: EndpointURL?

    /// The token endpoint; nil if it is missing or not an acceptable URL.
    public let tokenEndpoint: EndpointURL?

    /// The UserInfo endpoint; nil if it is missing or not an acceptable URL.
    ///
    /// It receives access tokens, so it has `https` even at the hosts of ``Provider/cleartextHosts``; `http` only on this
    /// machine, with ``Provider/allowsLoopbackHTTP``.
    public let userInfoEndpoint: EndpointURL?

    /// The device authorization endpoint (RFC 8628 §4); nil if it is missing or not an acceptable URL.
    public let deviceAuthorizationEndpoint: EndpointURL?

    /// The URL of the key set, `jwks_uri`.
    public let keySetURL: EndpointURL

    /// Whether every authorization response contains `iss` (RFC 9207 §3).
    ///
    /// If so, a response without `iss` is refused.
    public let sendsIssuerInResponse: Bool

    /// The supported PKCE methods (RFC 8414 §2); nil if not specified.
    public let codeChallengeMethods: [String]?

    /// The supported response types; nil if not specified.
    public let responseTypes: [String]?

    /// The signature algorithms of ID tokens, `id_token_signing_alg_values_supported`; nil if not specified.
    public let idTokenSigningAlgorithms: [String]?

    /// The supported methods of client authentication at the token endpoint; nil if not specified.
    public let tokenEndpointAuthenticationMethods: [String]?

    /// The signature algorithms of client assertions at the token endpoint,
    /// `token_endpoint_auth_signing_alg_values_supported`; nil if not specified.
    public let tokenEndpointSigningAlgorithms: [String]?

    /// The supported scopes; nil if not specified.
    public let scopes: [String]?

    /// Fetches a provider's discovery document.
    ///
    /// - Parameters:
    ///   - provider: The provider. Its ``Provider/documents`` tell the place of the document, and the issuer in it.
    ///   - transport: The HTTP client.
    ///   - deadline: The deadline for the request.
    /// - Returns: The metadata.
    /// - Throws: ``ProviderMetadataError``.
    public static func fetch(
        provider: Provider,
        transport: any HTTPTransport,
        deadline: Duration = .seconds(5)
    ) async throws(ProviderMetadataError) -> ProviderMetadata {
        let url: EndpointURL
        do throws(TransportFailure) { url = try Self.url(of: provider) } catch {
            throw ProviderMetadataError(.transport(error.code), error.detail)
        }
        let limit = Limits.discoveryDocumentBytes
        let response: TransportResponse
        do throws(ProviderMetadataError) {
            response = try await provider.requestDocument(
                at: url,
                limit: limit,
                transport: transport,
                deadline: deadline
            )
            guard ![404, 410].contains(response.status) else {
                throw ProviderMetadataError(
                    .document,
                    "there is no discovery document: the server answered \(response.status)"
                )
            }
            try provider.checkDocument(in: response, limit: limit)
        } catch {
            throw error.from(url)
        }
        return try ProviderMetadata(json: response.body, provider: provider)
    }

    /// Returns the URL of a provider's discovery document: the configured one, or the one that the issuer implies
    /// (OpenID Connect Discovery §4).
    ///
    /// - Parameter provider: The provider. One trailing slash of its first issuer is ignored.
    /// - Returns: The URL.
    /// - Throws: ``TransportFailure`` with the code `url` if the URL is not acceptable, or the issuer has a query.
    package static func url(of provider: Provider) throws(TransportFailure) -> EndpointURL {
        if let url = provider.documents.discoveryURL { return try provider.endpoint(url) }
        let issuer = provider.issuers.first ?? ""
        _ = try provider.endpoint(issuer)
        guard !issuer.utf8.contains(UInt8(ascii: "?")) else {
            throw TransportFailure(.url, "an issuer must not have a query (OpenID Connect Discovery, section 4)")
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return try provider.endpoint(base + "/.well-known/openid-configuration")
    }

    /// Parses a discovery document from another source.
    ///
    /// - Parameters:
    ///   - json: The document, in UTF-8.
    ///   - provider: The provider. The document must contain the first of its issuers, byte for byte (§4.3), or
    ///     ``Provider/Documents/discoveryIssuer``.
    /// - Throws: ``ProviderMetadataError`` with the code `discovery-document` or `discovery-issuer`.
    public init(json: some Collection<UInt8>, provider: Provider) throws(ProviderMetadataError) {
        let issuer = provider.issuers.first ?? ""
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(json.withoutByteOrderMark, limits: .keySet).root
        } catch {
            throw ProviderMetadataError(.document, "not strict JSON: \(error)")
        }
        guard let named = root["issuer"]?.string else {
            throw ProviderMetadataError(.document, "issuer is missing, or is not a string")
        }
        let other = provider.documents.discoveryIssuer
        guard isEqual(named, issuer) || other.map({ isEqual(named, $0) }) == true else {
            let expected = ([issuer] + [other].compactMap(\.self)).map { quoted($0) }.joined(separator: " or ")
            throw ProviderMetadataError(.issuer, "the document is from \(quoted(named)), expected \(expected)")
        }
        guard let keys = root["jwks_uri"]?.string else {
            throw ProviderMetadataError(.document, "jwks_uri is missing, or is not a string")
        }
        do throws(TransportFailure) {
            keySetURL = try provider.endpoint(keys)
        } catch {
            throw ProviderMetadataError(.document, "jwks_uri: \(error.detail)")
        }
        self.issuer = issuer
        authorizationEndpoint = Self.endpoint(root["authorization_endpoint"], of: provider)
        tokenEndpoint = Self.endpoint(root["token_endpoint"], of: provider)
        deviceAuthorizationEndpoint = Self.endpoint(root["device_authorization_endpoint"], of: provider)
        var encrypted = provider
        encrypted.cleartextHosts = []
        userInfoEndpoint = Self.endpoint(root["userinfo_endpoint"], of: encrypted)
        sendsIssuerInResponse = root["authorization_response_iss_parameter_supported"]?.boolean ?? false
        codeChallengeMethods = Self.texts(root["code_challenge_methods_supported"])
        responseTypes = Self.texts(root["response_types_supported"])
        idTokenSigningAlgorithms = Self.texts(root["id_token_signing_alg_values_supported"])
        tokenEndpointAuthenticationMethods = Self.texts(root["token_endpoint_auth_methods_supported"])
        tokenEndpointSigningAlgorithms = Self.texts(root["token_endpoint_auth_signing_alg_values_supported"])
        scopes = Self.texts(root["scopes_supported"])
    }

    /// Parses a discovery document from another source.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - provider: The provider. The document must contain the first of its issuers, byte for byte (§4.3), or
    ///     ``Provider/Documents/discoveryIssuer``.
    /// - Throws: ``ProviderMetadataError`` with the code `discovery-document` or `discovery-issuer`.
    public init(json: some StringProtocol, provider: Provider) throws(ProviderMetadataError) {
        try self.init(json: json.utf8, provider: provider)
    }

    /// Returns an optional endpoint; nil if it is missing or invalid, because clients that need only the keys do not
    /// use it.
    private static func endpoint(_ value: JSONValue?, of provider: Provider) -> EndpointURL? {
        value?.string.flatMap { try? provider.endpoint($0) }
    }

    /// Returns a list of strings; a single string counts as a list of one, which Facebook has used.
    private static func texts(_ value: JSONValue?) -> [String]? {
        value?.string.map { [$0] } ?? value?.elements?.compactMap(\.string)
    }
}

extension ProviderMetadata {
    /// The algorithms of a provider that lists none: RS256, which every provider supports (OpenID Connect Core §15.1).
    package static let defaultAlgorithms: [SignatureAlgorithm] = [.rs256]

    /// The algorithms of ID tokens that are both listed and supported; RS256 if the document lists none.
    ///
    /// It is empty if the document lists only others. No listed algorithm of HMAC and no `none` is among them.
    public var algorithms: Set<SignatureAlgorithm> {
        guard let names = idTokenSigningAlgorithms, !names.isEmpty else { return Set(Self.defaultAlgorithms) }
        return Set(
            SignatureAlgorithm.allCases.filter { algorithm in names.contains { isEqual($0, algorithm.rawValue) } }
        )
    }
}

/// An error for provider metadata that could not be fetched, or is not acceptable.
public struct ProviderMetadataError: Error, Sendable, Hashable {
    /// The stable code of the reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code, for example `discovery-issuer`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The code, the same as ``rawValue``.
        public var description: String { rawValue }

        /// The request failed without a usable response; the code is that of the transport failure.
        public static func transport(_ code: TransportFailure.Code) -> Self { Self(code.rawValue) }
        /// The response is a redirect that is not followed.
        public static let redirect = Self("redirect")
        /// The status is not 200.
        public static let status = Self("status")
        /// The media type of the response is not JSON.
        public static let contentType = Self("content-type")
        /// The response is compressed, although no encoding was requested.
        public static let contentEncoding = Self("content-encoding")
        /// There is no document, or it is not a discovery document.
        public static let document = Self("discovery-document")
        /// A configured file cannot be read, or has no bearer token.
        public static let file = Self("file")
        /// The document belongs to another issuer.
        public static let issuer = Self("discovery-issuer")

        package static func response(_ code: ResponseFault.Code) -> Self {
            switch code {
            case .redirect: .redirect
            case .status: .status
            case .contentType: .contentType
            case .contentEncoding: .contentEncoding
            case .tooLarge: .transport(.tooLarge)
            }
        }
    }

    /// The stable code of the reason.
    public let code: Code

    /// A short description for the operator.
    ///
    /// Of the server's data it quotes at most a media type and the issuer in the document, escaped and shortened.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// Returns the same error with the requested URL added.
    func from(_ url: EndpointURL) -> Self {
        Self(code, "\(detail); requested \(quoted(url.withoutQuery))")
    }
}

extension ProviderMetadataError: CustomStringConvertible {
    /// The code and the description, for the operator.
    public var description: String { "\(code): \(detail)" }
}
