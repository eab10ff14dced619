// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import Logging
import TestSupport
import Testing

@testable import LoginHTTP

/// An API with two routes for different scopes and one for any token, an authorization server, and a client with a key.
struct ResourceBench: Sendable {
    /// The algorithms of the standard policy for proofs, as a challenge lists them.
    static let algorithms = #"algs="ES256 Ed25519 EdDSA PS256 RS256""#
    /// The parameter of each challenge with the URL of the metadata.
    static let metadata = #"resource_metadata="https://api.example/.well-known/oauth-protected-resource""#

    let issuer: TestIssuer
    let prover: TestProver
    let keys: SwitchableKeys
    let log = LogLines()
    var resource: ProtectedResource

    /// Creates an API; without a policy for proofs, it does not support DPoP.
    init(
        _ identifier: String = "https://api.example",
        requiredScopes: [String] = [],
        requiredValues: [String: [String]] = [:],
        scopes: [String] = [],
        proofs: DPoPPolicy? = .standard,
        ledger: any DPoPLedger = InMemoryDPoPLedger(),
        certificates: ClientCertificateField? = nil,
        proxies: TrustedProxies = .none,
        requestsPerMinute: Int? = nil,
        limits: TokenLimits = .standard,
        origins: AllowedOrigins = .none
    ) throws {
        let form = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
        issuer = TestIssuer(accessTokensOf: form, audience: "orders")
        prover = TestProver(clock: issuer.clock)
        keys = SwitchableKeys(issuer.keys)
        let policy = try AccessTokenPolicy(
            issuer: form,
            audiences: ["orders"],
            requiredScopes: requiredScopes,
            requiredValues: requiredValues,
            limits: limits
        )
        let clock = issuer.clock
        resource = try ProtectedResource(
            identifier,
            verifier: AccessTokenVerifier(policy: policy, keys: keys, clock: clock),
            scopes: scopes,
            dpop: proofs.map { DPoPVerifier(policy: $0, ledger: ledger, clock: clock) },
            clientCertificates: certificates,
            trustedProxies: proxies,
            requestsPerMinute: requestsPerMinute,
            allowedOrigins: origins
        )
    }

    /// A requirement of a route: a resource, and what its tokens must have.
    typealias Check = (resource: ProtectedResource, requirements: RouteRequirements)

    /// Returns a server with one route behind checks, each of which gets what the one before has found.
    func server(
        _ checks: Check...,
        respond: @escaping @Sendable (Visit) async throws -> ServerResponse = { _ in .text("open") }
    ) -> TestServer {
        TestServer(logger: log.logger) { request in
            guard let last = checks.last else { preconditionFailure("a route has a check") }
            if checks.count == 1 {
                return try await last.resource.respond(to: request, meeting: last.requirements) { _, visit in
                    try await respond(visit)
                }
            }
            var visit = last.resource.visit(request)
            for check in checks {
                switch try await check.resource.token(of: visit, meeting: check.requirements) {
                case .authorized(_, let checked): visit = checked
                case .answer(let response): return response
                }
            }
            var response = try await respond(visit)
            visit.finish(&response.headers)
            return response
        }
    }

    /// The routes.
    var server: TestServer {
        let metadata = LoginRoutes([resource.metadataRoute])
        let me = server((resource, RouteRequirements())) { visit in .text(visit.token?.subject ?? "") }
        let read = server((resource, RouteRequirements(scopes: ["orders:read"]))) { _ in .text("read") }
        let write = server((resource, RouteRequirements(scopes: ["orders:write"]))) { _ in .text("written") }
        return TestServer(logger: log.logger) { request in
            if let response = try await metadata.respond(to: request) { return response }
            switch (request.method, request.path) {
            case (.get, "/me"): return try await me.respond(request)
            case (.get, "/orders"): return try await read.respond(request)
            case (.post, "/orders"): return try await write.respond(request)
            default: return ServerResponse(status: .notFound)
            }
        }
    }

    /// Returns a token that is bound to the key of the client.
    func boundToken(scopes: [String] = []) -> String {
        issuer.accessToken(scopes: scopes) { $0.claims["cnf"] = prover.confirmation }
    }

    /// Returns a proof for a request to `/me` with a token.
    func proof(_ token: String, url: String = "https://api.example/me", nonce: String? = nil) -> String {
        prover.proof(method: "GET", url: url, token: token, nonce: nonce)
    }

    /// A response.
    struct Answer: Sendable {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let text: String

        /// The challenges, in order.
        var challenges: [String] { headers[values: .wwwAuthenticate] }

        /// Returns the body as JSON.
        func json() throws -> JSONValue {
            try JSONDocument.read(Array(text.utf8), limits: JSONLimits(bytes: 1 << 20, depth: 32, members: 1000)).root
        }

        /// Returns the code of the problem.
        func code() throws -> String? { try json()["code"]?.string }
    }

    /// Sends a request, without sockets.
    func ask(
        _ authorization: String?,
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/me",
        proofs: [String] = [],
        headers: HTTPFields = [:],
        from peer: ServerRequest.Peer = .unixSocket,
        on other: TestServer? = nil
    ) async throws -> Answer {
        var headers = headers
        if let authorization { headers.append(HTTPField(name: .authorization, value: authorization)) }
        for proof in proofs { headers.append(HTTPField(name: .dpop, value: proof)) }
        let response = try await (other ?? server).send(method, path, headers, from: peer)
        return Answer(status: response.status, headers: response.headers, text: response.text)
    }

    /// Expects a problem with a code, a status, and challenges.
    func expect(
        _ answer: Answer,
        _ code: String,
        _ status: HTTPResponse.Status,
        _ challenges: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.headers[.contentType] == "application/problem+json", sourceLocation: sourceLocation)
        #expect(answer.headers[.cacheControl] == "no-store", sourceLocation: sourceLocation)
        #expect(try answer.code() == code, "\(answer.text)", sourceLocation: sourceLocation)
        #expect(answer.challenges == challenges, sourceLocation: sourceLocation)
        #expect(!answer.text.contains("eyJ"), sourceLocation: sourceLocation)
    }
}

extension ServerResponse {
    /// Returns a response with a text.
    static func text(_ text: String, _ headers: HTTPFields = [:]) -> Self {
        Self(status: .ok, headers: headers, body: Body(text.utf8))
    }
}
#endif
