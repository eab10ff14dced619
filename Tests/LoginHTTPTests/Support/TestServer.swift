// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import Logging

@testable import LoginHTTP

/// A server without sockets: the API of a service, a route `/notes` that needs a session, and other routes.
struct TestServer: Sendable {
    /// A route of the application, which also serves visitors who are not signed in.
    typealias Route = @Sendable (_ visit: Visit) async throws -> String

    let logger: Logger
    let respond: @Sendable (ServerRequest) async throws -> ServerResponse

    init(
        logger: Logger = Logger(label: "test"),
        respond: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) {
        (self.logger, self.respond) = (logger, respond)
    }

    init(_ login: LoginService, routes own: [String: Route] = [:], logger: Logger = Logger(label: "test")) {
        let routes = LoginRoutes(login.apiRoutes(title: "Test", version: "1"))
        self.init(logger: logger) { request in
            if let response = try await routes.respond(to: request) { return response }
            if request.path == "/notes" {
                return try await login.respond(to: request) { session, _ in
                    ServerResponse(status: .ok, body: ServerResponse.Body(session.accountID.rawValue.utf8))
                }
            }
            guard let route = own[request.path] else { return try await login.refuseUnknownPath(of: request) }
            switch try await login.session(of: request, isOptional: true) {
            case .answer(let response): return response
            case .signedIn(_, let visit), .signedOut(let visit):
                do {
                    let text = try await withIdentity(visit.session) { try await route(visit) }
                    var response = ServerResponse(status: .ok, body: ServerResponse.Body(text.utf8))
                    visit.finish(&response.headers)
                    return response
                } catch {
                    return try await login.answer(to: error, of: visit)
                }
            }
        }
    }

    /// Sends a request, over a Unix socket unless the peer is another.
    func send(
        _ method: HTTPRequest.Method,
        _ target: String,
        _ headers: HTTPFields = [:],
        body: [UInt8] = [],
        from peer: ServerRequest.Peer = .unixSocket
    ) async throws -> ServerResponse {
        let head = HTTPRequest(method: method, scheme: nil, authority: nil, path: target, headerFields: headers)
        return try await respond(ServerRequest(head, from: peer, body: ServerRequest.Body(body), logger: logger))
    }
}

extension ServerResponse {
    /// The body as text.
    var text: String { String(decoding: body.bytes, as: UTF8.self) }
}
#endif
