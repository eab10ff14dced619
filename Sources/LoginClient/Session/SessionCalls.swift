// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The requests of a session's operations, which throw refusals of the service.
struct SessionCalls: Sendable {
    let session: ClientSession

    /// Sends a request without a body, and returns the content of the response.
    func content<Content: Decodable>(_ method: String, _ path: String) async throws -> Content {
        try session.service.content(of: await session.send(LoginClientRequest(method, path)))
    }

    /// Sends a request with a body, and returns the content of the response.
    func content<Content: Decodable>(
        _ method: String,
        _ path: String,
        _ body: some Encodable,
        idempotencyKey: String? = nil
    ) async throws -> Content {
        var request = try session.service.post(path, body, as: method)
        if let idempotencyKey { request.headers["Idempotency-Key"] = idempotencyKey }
        return try session.service.content(of: await session.send(request))
    }

    /// Sends a request without a body, and returns the successful response.
    @discardableResult
    func perform(_ method: String, _ path: String) async throws -> LoginClientResponse {
        let response = try await session.send(LoginClientRequest(method, path))
        try session.service.check(response)
        return response
    }
}
