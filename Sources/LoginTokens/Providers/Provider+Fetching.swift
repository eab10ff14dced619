// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Requests one of the provider's documents, without a check of the final response.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - limit: The maximum size of the document, in bytes.
    ///   - transport: The HTTP client.
    ///   - deadline: The deadline for all requests.
    /// - Returns: The response.
    /// - Throws: ``ProviderMetadataError``.
    package func requestDocument(
        at url: EndpointURL,
        limit: Int,
        transport: any HTTPTransport,
        deadline: Duration
    ) async throws(ProviderMetadataError) -> TransportResponse {
        let end = ContinuousClock.now + deadline
        var request = TransportRequest(
            url: url,
            headers: [("Accept", documents.accept)],
            responseLimit: limit,
            deadline: deadline
        )
        if isBearerTokenSent(to: url), let token = try bearerToken() {
            request.headers.append((name: "Authorization", value: "Bearer \(token)"))
        }
        var redirects = 0
        while true {
            let response: TransportResponse
            do throws(TransportFailure) { response = try await transport.send(request) } catch {
                throw ProviderMetadataError(.transport(error.code), error.detail)
            }
            guard documents.followsRedirects, let target = try redirectTarget(of: response, from: url) else {
                return response
            }
            redirects += 1
            guard redirects <= Self.redirectLimit else {
                throw ProviderMetadataError(.redirect, "the server redirects more than \(Self.redirectLimit) times")
            }
            request.url = target
            request.deadline = max(end - .now, .zero)
        }
    }

    /// Checks that a response is a document, before its body is read.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - limit: The maximum size of the document, in bytes.
    /// - Throws: ``ProviderMetadataError``.
    package func checkDocument(in response: TransportResponse, limit: Int) throws(ProviderMetadataError) {
        do throws(ResponseFault) {
            try response.check(contentTypes: documents.acceptedContentTypes, limit: limit)
        } catch {
            let remedy =
                switch error.code {
                case .contentType: "; if the document is right, allow its type (contentTypes, --content-type)"
                case .redirect where !documents.followsRedirects:
                    "; within one host, allow them (followsRedirects, --follow-redirects)"
                default: ""
                }
            throw ProviderMetadataError(.response(error.code), error.detail + remedy)
        }
    }

    /// Returns the bearer token for requests of documents; nil if none is configured.
    ///
    /// - Throws: ``ProviderMetadataError`` with the code `file`.
    package func bearerToken() throws(ProviderMetadataError) -> String? {
        guard let path = documents.bearerTokenFile else { return nil }
        do throws(ConfiguredFile.Fault) {
            return try ConfiguredFile(path).bearerToken()
        } catch {
            throw ProviderMetadataError(.file, error.description)
        }
    }

    /// Returns whether the bearer token is sent to a URL: it has the configured origin, and `https`.
    ///
    /// A discovery document may name a URL of another origin, which must not receive the token.
    private func isBearerTokenSent(to url: EndpointURL) -> Bool {
        guard documents.bearerTokenFile != nil, url.scheme == .https else { return false }
        let configured = if let keySetURL { try? endpoint(keySetURL) } else { try? ProviderMetadata.url(of: self) }
        return configured?.hasSameOrigin(as: url) == true
    }

    /// The maximum number of redirects that are followed: 3.
    ///
    /// A slash at the end and a renamed path make two.
    private static let redirectLimit = 3

    /// Returns the URL to which a response redirects (RFC 9110 §15.4); nil if it is another response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - url: The URL of the first request.
    /// - Returns: The URL, which has the same scheme, host and port.
    /// - Throws: ``ProviderMetadataError`` with the code `redirect`: another origin would decide whose tokens are
    ///   accepted.
    private func redirectTarget(
        of response: TransportResponse,
        from url: EndpointURL
    ) throws(ProviderMetadataError) -> EndpointURL? {
        guard [301, 302, 303, 307, 308].contains(response.status) else { return nil }
        let locations = response.values(of: "Location")
        guard locations.count == 1 else {
            throw ProviderMetadataError(.redirect, "the server redirects without a single Location")
        }
        let location = locations[0]
        let start = location.hasPrefix("//") ? "\(url.scheme.rawValue):" : location.hasPrefix("/") ? url.origin : ""
        guard let target = try? endpoint(start + location), target.hasSameOrigin(as: url) else {
            throw ProviderMetadataError(
                .redirect,
                "the server redirects to another scheme, host or port, or to no absolute URL or path; configure the target, if it is the provider's"
            )
        }
        return target
    }
}

extension Provider.Documents {
    /// The media types that responses may have in any case.
    private static let standardContentTypes: Set = ["application/json", "application/jwk-set+json"]

    /// The media types that responses may have, in lower case.
    fileprivate var acceptedContentTypes: Set<String> { Self.standardContentTypes.union(contentTypes) }

    /// The value of `Accept`.
    fileprivate var accept: String {
        acceptedContentTypes.filter { $0 != Self.missingContentType }.sorted().joined(separator: ", ")
    }
}
