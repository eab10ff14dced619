// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import LoginClient
internal import LoginTokens

/// The connection to a service over the HTTP client that also fetches keys.
struct ServiceTransport: LoginClientTransport {
    /// The URL of the service.
    let endpoint: EndpointURL

    let transport: any HTTPTransport

    var service: String {
        endpoint.origin + (endpoint.target.hasSuffix("/") ? String(endpoint.target.dropLast()) : endpoint.target)
    }

    func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
        guard let method = TransportRequest.Method(rawValue: request.method), request.path.hasPrefix("/") else {
            throw LoginClientError(.invalidURL)
        }
        let response = try await transport.send(
            TransportRequest(
                method: method,
                url: EndpointURL(service + request.path, allowsLoopbackHTTP: endpoint.scheme == .http),
                headers: request.headers.map { (name: $0.key, value: $0.value) },
                body: request.body ?? [],
                responseLimit: 1 << 20,
                deadline: .seconds(20)
            )
        )
        return LoginClientResponse(
            status: response.status,
            headers: Dictionary(response.headers.map { ($0.name, $0.value) }) { first, _ in first },
            body: response.body
        )
    }
}
#endif
