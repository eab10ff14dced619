// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// A resource whose tokens are opaque: the introspection endpoint of their issuer judges them.
struct IntrospectedBench: Sendable {
    static let token = "2YotnFZFEjr1zCsicMWpAA-opaque"
    private static let endpoint = "https://login.example/introspect"

    let transport = StubTransport()
    let clock = ManualClock()
    let prover: TestProver
    let log = LogLines()
    let resource: ProtectedResource

    init(optionalMembers: Set<IntrospectionPolicy.Member> = []) throws {
        prover = TestProver(clock: clock)
        let policy = try IntrospectionPolicy(
            issuers: ["https://login.example"],
            audiences: ["orders"],
            optionalMembers: optionalMembers
        )
        let introspector = try TokenIntrospector(
            endpoint: EndpointURL(Self.endpoint),
            clientID: "orders-api",
            clientSecret: "made-up-client-secret-0123456789",
            policy: policy,
            transport: transport,
            clock: clock
        )
        resource = try ProtectedResource(
            "https://api.example",
            verifier: introspector,
            dpop: DPoPVerifier(ledger: InMemoryDPoPLedger(), clock: clock)
        )
        answer()
    }

    /// Sets the answer of the endpoint, which is about an active token for an hour.
    func answer(_ change: (inout TestJSON) -> Void = { _ in }) {
        let now = Int(clock.now.timeIntervalSince1970)
        var members: TestJSON = [
            "active": true, "iss": "https://login.example", "aud": "orders", "sub": "user-1", "client_id": "client-app",
            "scope": "orders:read", "iat": .number("\(now - 60)"), "exp": .number("\(now + 3540)"),
        ]
        change(&members)
        transport.answer(.post, Self.endpoint, with: .json(members))
    }

    /// Sets the answer of the endpoint to a failure.
    func fail() { transport.answer(.post, Self.endpoint, with: .failure(.deadline)) }

    /// Sends a request to a route that needs the scope `orders:read`, or another requirement.
    func ask(
        _ authorization: String? = "Bearer \(Self.token)",
        meeting requirements: RouteRequirements = RouteRequirements(scopes: ["orders:read"]),
        proof: String? = nil
    ) async throws -> ServerResponse {
        var headers = HTTPFields()
        headers[.authorization] = authorization
        headers[.dpop] = proof
        let head = HTTPRequest(method: .get, scheme: nil, authority: "api.example", path: "/me", headerFields: headers)
        let request = ServerRequest(head, from: .unixSocket, logger: log.logger)
        return try await resource.respond(to: request, meeting: requirements) { token, _ in .text(token.subject) }
    }
}

/// Routes with opaque tokens.
@Suite struct IntrospectedRouteTests {
    private func code(_ response: ServerResponse) -> String? {
        response.headers[.wwwAuthenticate].flatMap { $0.firstMatch(of: /error_description="([a-z-]+)"/) }
            .map { String($0.1) }
    }

    @Test func `an opaque token that is active is accepted, and the route reads its subject`() async throws {
        let response = try await IntrospectedBench().ask()
        #expect(response.status == .ok)
        #expect(response.text == "user-1")
    }

    @Test func `an inactive token, one of another API, and one without the scope are refused with their challenge`()
        async throws
    {
        for (member, value, status, expected) in [
            ("active", false, .unauthorized, "inactive"), ("aud", "other", .unauthorized, "audience"),
            ("scope", "profile", .forbidden, "insufficient-scope"),
            ("token_use", "refresh_token", .unauthorized, "token-type"),
        ] as [(String, TestJSON, HTTPResponse.Status, String)] {
            let bench = try IntrospectedBench()
            bench.answer { $0[member] = value }
            let response = try await bench.ask()
            #expect(response.status == status)
            #expect(code(response) == expected)
        }
    }

    @Test func `a token without a subject is refused, also if the policy makes it optional`() async throws {
        let bench = try IntrospectedBench(optionalMembers: [.subject])
        bench.answer { $0["sub"] = nil }
        let response = try await bench.ask()
        #expect(response.status == .unauthorized)
        #expect(code(response) == "missing-claim")
    }

    @Test func `while the endpoint does not respond, the answer is 503 with Retry-After, and a log line`() async throws
    {
        let bench = try IntrospectedBench()
        bench.fail()
        let response = try await bench.ask()
        #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "1")
        #expect(response.text.contains("introspection-unavailable"))
        let log = bench.log.lines.joined()
        #expect(log.contains("introspection-unavailable") && !log.contains(IntrospectedBench.token))
    }

    @Test func `a token that is bound to a key needs its proof`() async throws {
        let bench = try IntrospectedBench()
        bench.answer {
            $0["token_type"] = "DPoP"
            $0["cnf"] = bench.prover.confirmation
        }
        #expect(code(try await bench.ask()) == "proof-required")
        let proof = bench.prover.proof(method: "GET", url: "https://api.example/me", token: IntrospectedBench.token)
        #expect(try await bench.ask("DPoP \(IntrospectedBench.token)", proof: proof).status == .ok)
    }

    @Test func `a route can require a recent authentication, which the answer states`() async throws {
        let bench = try IntrospectedBench()
        let recent = RouteRequirements(maximumAuthenticationAge: .seconds(300))
        #expect(code(try await bench.ask(meeting: recent)) == "auth-time")
        let stated = try IntrospectedBench()
        stated.answer { $0["auth_time"] = $0["iat"] }
        #expect(try await stated.ask(meeting: recent).status == .ok)
    }

    @Test func `the metadata names the issuer`() throws {
        let metadata = String(decoding: try IntrospectedBench().resource.metadata, as: UTF8.self)
        #expect(metadata.contains(#""authorization_servers":["https://login.example"]"#))
    }
}
#endif
