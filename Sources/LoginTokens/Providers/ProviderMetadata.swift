// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// What an OpenID provider says about itself: where it is asked, and what it can do (OpenID Connect Discovery §3).
///
/// ```swift
/// let metadata = try await ProviderMetadata.fetch(issuer: "https://accounts.google.com", transport: transport)
/// ```
///
/// Only the issuer and the address of the keys are insisted on, because some providers leave out members that the standard
/// requires, and Facebook leaves out the token endpoint. The issuer must be the one that was asked for, byte for byte: another's
/// document would let that one sign for this. Endpoints may be on other hosts.
///
/// Microsoft's document for any tenant stands elsewhere than its issuer says, which has a place for the tenant in it:
///
/// ```swift
/// let metadata = try await ProviderMetadata.fetch(
///     issuer: "https://login.microsoftonline.com/{tenantid}/v2.0",
///     document: "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
///     transport: transport)
/// ```
public struct ProviderMetadata: Sendable, Hashable {
    /// The provider's name for itself, `issuer`.
    public let issuer: String

    /// Where people are sent to log in; nil where it is not said, or is no address that may be asked.
    public let authorizationEndpoint: EndpointURL?

    /// Where codes are exchanged for tokens; nil where it is not said, or is no address that may be asked.
    public let tokenEndpoint: EndpointURL?

    /// Where the keys are, `jwks_uri`.
    public let keySetURL: EndpointURL

    /// Whether every authorization response names its issuer (RFC 9207 §3).
    ///
    /// One without `iss` is then refused.
    public let sendsIssuerInResponse: Bool

    /// The methods of PKCE it knows (RFC 8414 §2); nil where it is not said.
    public let codeChallengeMethods: [String]?

    /// The response types it knows; nil where it is not said.
    public let responseTypes: [String]?

    /// How clients may prove at the token endpoint who they are; nil where it is not said.
    public let tokenEndpointAuthenticationMethods: [String]?

    /// The scopes it knows; nil where it is not said.
    public let scopes: [String]?

    /// Asks a provider what it says about itself.
    ///
    /// - Parameters:
    ///   - issuer: The provider's name for itself, a slash at the end included where it has one. The document must have it byte for
    ///     byte.
    ///   - document: Where the document is; nil for where the standard has it, which the issuer says (§4).
    ///   - transport: Who asks.
    ///   - allowsLoopbackHTTP: Whether `http` will do on this machine, for tests and development.
    ///   - deadline: How long it may take.
    /// - Returns: What it says.
    /// - Throws: ``ProviderMetadataError``.
    public static func fetch(
        issuer: String,
        document: String? = nil,
        transport: any HTTPTransport,
        allowsLoopbackHTTP: Bool = false,
        deadline: Duration = .seconds(5)
    ) async throws(ProviderMetadataError) -> ProviderMetadata {
        let url: EndpointURL
        do throws(TransportFailure) {
            if let document {
                url = try EndpointURL(document, allowsLoopbackHTTP: allowsLoopbackHTTP)
            } else {
                url = try Self.url(of: issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
            }
        } catch {
            throw ProviderMetadataError(.transport(error.code), error.detail)
        }
        return try await fetch(
            issuer: issuer,
            document: url,
            transport: transport,
            contentTypes: ResponseFault.json,
            allowsLoopbackHTTP: allowsLoopbackHTTP,
            deadline: deadline
        )
    }

    /// The same, where the document's address is known.
    package static func fetch(
        issuer: String,
        document: EndpointURL,
        transport: any HTTPTransport,
        contentTypes: Set<String>,
        allowsLoopbackHTTP: Bool,
        deadline: Duration
    ) async throws(ProviderMetadataError) -> ProviderMetadata {
        let request = TransportRequest(
            url: document,
            headers: [("Accept", contentTypes.sorted().joined(separator: ", "))],
            responseLimit: Limits.discoveryDocumentBytes,
            deadline: deadline
        )
        let response: TransportResponse
        do throws(TransportFailure) {
            response = try await transport.send(request)
        } catch {
            throw ProviderMetadataError(.transport(error.code), error.detail).from(document)
        }
        if [404, 410].contains(response.status) {
            throw ProviderMetadataError(.document, "there is none: it answered \(response.status)").from(document)
        }
        do throws(ResponseFault) {
            try response.check(contentTypes: contentTypes, limit: request.responseLimit)
        } catch {
            throw ProviderMetadataError(.response(error.code), error.detail).from(document)
        }
        return try ProviderMetadata(json: response.body, issuer: issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
    }

    /// Where an issuer's discovery document is (OpenID Connect Discovery §4).
    ///
    /// - Parameters:
    ///   - issuer: The issuer; one slash at its end does not count.
    ///   - allowsLoopbackHTTP: Whether `http` will do on this machine.
    /// - Returns: Its address.
    /// - Throws: ``TransportFailure`` with the code `url` where the issuer is no address, or has a query.
    package static func url(of issuer: String, allowsLoopbackHTTP: Bool) throws(TransportFailure) -> EndpointURL {
        _ = try EndpointURL(issuer, allowsLoopbackHTTP: allowsLoopbackHTTP)
        guard !issuer.utf8.contains(UInt8(ascii: "?")) else {
            throw TransportFailure(.url, "an issuer has no query (OpenID Connect Discovery, section 4)")
        }
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        return try EndpointURL(base + "/.well-known/openid-configuration", allowsLoopbackHTTP: allowsLoopbackHTTP)
    }

    /// Reads a document that was obtained otherwise.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - issuer: Whose it must be, byte for byte (§4.3).
    ///   - allowsLoopbackHTTP: Whether addresses with `http` will do on this machine.
    /// - Throws: ``ProviderMetadataError`` with the code `discovery-document` or `discovery-issuer`.
    public init(json: [UInt8], issuer: String, allowsLoopbackHTTP: Bool = false) throws(ProviderMetadataError) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument.read(json, limits: .keySet).root
        } catch {
            throw ProviderMetadataError(.document, "not strict JSON: \(error)")
        }
        guard let named = root["issuer"]?.string else {
            throw ProviderMetadataError(.document, "it does not say whose it is (issuer)")
        }
        guard isEqual(named, issuer) else {
            throw ProviderMetadataError(.issuer, "it is of \(quoted(named)), not of \(quoted(issuer))")
        }
        guard let keys = root["jwks_uri"]?.string else {
            throw ProviderMetadataError(.document, "it does not say where the keys are (jwks_uri)")
        }
        do throws(TransportFailure) {
            keySetURL = try EndpointURL(keys, allowsLoopbackHTTP: allowsLoopbackHTTP)
        } catch {
            throw ProviderMetadataError(.document, "jwks_uri: \(error.detail)")
        }
        self.issuer = issuer
        authorizationEndpoint = Self.endpoint(root["authorization_endpoint"], allowsLoopbackHTTP)
        tokenEndpoint = Self.endpoint(root["token_endpoint"], allowsLoopbackHTTP)
        sendsIssuerInResponse = root["authorization_response_iss_parameter_supported"]?.boolean ?? false
        codeChallengeMethods = Self.texts(root["code_challenge_methods_supported"])
        responseTypes = Self.texts(root["response_types_supported"])
        tokenEndpointAuthenticationMethods = Self.texts(root["token_endpoint_auth_methods_supported"])
        scopes = Self.texts(root["scopes_supported"])
    }

    /// An address that who needs only the keys can do without.
    private static func endpoint(_ value: JSONValue?, _ allowsLoopbackHTTP: Bool) -> EndpointURL? {
        value?.string.flatMap { try? EndpointURL($0, allowsLoopbackHTTP: allowsLoopbackHTTP) }
    }

    /// A list of texts; Facebook has written a single text in place of one.
    private static func texts(_ value: JSONValue?) -> [String]? {
        value?.string.map { [$0] } ?? value?.elements?.compactMap(\.string)
    }
}

/// Why what a provider says about itself could not be had, or is not believed.
public struct ProviderMetadataError: Error, Sendable, Hashable {
    /// The stable name of a reason.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `discovery-issuer`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The provider could not be asked, or its answer not be heard.
        public static func transport(_ code: TransportFailure.Code) -> Self { Self(code.rawValue) }
        /// The answer sends us to another address, and we do not go.
        public static let redirect = Self("redirect")
        /// The status is not 200.
        public static let status = Self("status")
        /// The answer is not said to be JSON.
        public static let contentType = Self("content-type")
        /// The answer is compressed, though that was not asked for.
        public static let contentEncoding = Self("content-encoding")
        /// There is no document, or it is no discovery document.
        public static let document = Self("discovery-document")
        /// The document is another issuer's.
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

    /// The stable name of the reason.
    public let code: Code

    /// What was seen, in a few words, for the operator; of what the server sent, no more than, escaped and short, a media type
    /// and the issuer that the document names.
    public let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
    }

    /// The same, saying what was asked.
    func from(_ url: EndpointURL) -> Self {
        Self(code, "\(detail); asked \(quoted(url.withoutQuery))")
    }
}

extension ProviderMetadataError: CustomStringConvertible {
    /// The code and what was seen, for the operator.
    public var description: String { "\(code): \(detail)" }
}
