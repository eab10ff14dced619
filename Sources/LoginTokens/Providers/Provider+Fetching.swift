// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider.Documents {
    /// The media types that responses may have in any case.
    private static let standardContentTypes: Set = ["application/json", "application/jwk-set+json"]

    /// The media types that responses may have, in lower case.
    private var acceptedContentTypes: Set<String> { Self.standardContentTypes.union(contentTypes) }

    /// The value of `Accept`.
    private var accept: String {
        acceptedContentTypes.filter { $0 != Self.missingContentType }.sorted().joined(separator: ", ")
    }

    /// Requests a document, without a check of the response.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - limit: The maximum size of the document, in bytes.
    ///   - transport: The HTTP client.
    ///   - deadline: The deadline for all requests.
    /// - Returns: The response.
    /// - Throws: ``ProviderMetadataError``.
    package func request(
        _ url: EndpointURL,
        limit: Int,
        transport: any HTTPTransport,
        deadline: Duration
    ) async throws(ProviderMetadataError) -> TransportResponse {
        let request = TransportRequest(
            url: url,
            headers: [("Accept", accept)],
            responseLimit: limit,
            deadline: deadline
        )
        do throws(TransportFailure) {
            return try await transport.send(request)
        } catch {
            throw ProviderMetadataError(.transport(error.code), error.detail)
        }
    }

    /// Checks that a response is a document, before its body is read.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - limit: The maximum size of the document, in bytes.
    /// - Throws: ``ProviderMetadataError``.
    package func check(_ response: TransportResponse, limit: Int) throws(ProviderMetadataError) {
        do throws(ResponseFault) {
            try response.check(contentTypes: acceptedContentTypes, limit: limit)
        } catch {
            let remedy =
                error.code == .contentType
                ? "; if the document is right, allow its type (contentTypes, --content-type)" : ""
            throw ProviderMetadataError(.response(error.code), error.detail + remedy)
        }
    }
}
