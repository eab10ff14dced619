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

/// Routes that need an access token, requested with bearer tokens.
@Suite struct AccessTokenRouteTests {
    private static let metadata = ResourceBench.metadata

    @Test func `each of two routes accepts a token with its scope, and refuses one with the scope of the other`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        let tokens = (
            read: "Bearer \(bench.issuer.accessToken(scopes: ["orders:read"]))",
            write: "Bearer \(bench.issuer.accessToken(scopes: ["orders:write"]))"
        )
        #expect(try await bench.ask(tokens.read, .get, "/orders").text == "read")
        #expect(try await bench.ask(tokens.write, .post, "/orders").text == "written")
        for (token, method, scope) in [
            (tokens.write, HTTPRequest.Method.get, "orders:read"), (tokens.read, .post, "orders:write"),
        ] {
            try bench.expect(
                try await bench.ask(token, method, "/orders"),
                "insufficient-scope",
                .forbidden,
                [
                    #"Bearer error="insufficient_scope", error_description="insufficient-scope", scope="\#(scope)", "#
                        + Self.metadata
                ]
            )
        }
    }

    @Test func `a token with all scopes is accepted by both routes, and a handler has it`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let token = "Bearer \(bench.issuer.accessToken(scopes: ["orders:write", "orders:read"]))"
        #expect(try await bench.ask(token, .get, "/orders").status == .ok)
        #expect(try await bench.ask(token, .post, "/orders").status == .ok)
        #expect(try await bench.ask(token).text == "1000000000000001")
    }

    @Test func `a request without a token gets challenges without an error, with the scope of the route`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        let answer = try await bench.ask(nil, .get, "/orders")
        try bench.expect(answer, "missing-token", .unauthorized, [#"Bearer scope="orders:read", \#(Self.metadata)"#])
        recordCode("missing-token", of: "ProblemCode")
        let basic = try await bench.ask("Basic YTpi")
        try bench.expect(basic, "missing-token", .unauthorized, ["Bearer \(Self.metadata)"])
        #expect(bench.log.lines.filter { $0.contains("refused") } == [])
    }

    @Test(arguments: ["Bearer", "Bearer ", "Bearer a b", "Bearer \"x\""])
    func `a malformed Authorization is an invalid request`(authorization: String) async throws {
        let bench = try ResourceBench(proofs: nil)
        try bench.expect(
            try await bench.ask(authorization),
            "invalid-request",
            .unauthorized,
            [#"Bearer error="invalid_request", \#(Self.metadata)"#]
        )
    }

    @Test func `two Authorization fields are an invalid request`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let good = "Bearer \(bench.issuer.accessToken())"
        #expect(try await bench.ask(good).status == .ok)
        let answer = try await bench.ask(good, headers: [.authorization: good])
        #expect(answer.status == .unauthorized)
        #expect(try answer.code() == "invalid-request")
    }

    @Test func `a token that the verifier refuses is answered with 401 and its code`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let refused: [(String, String)] = [
            (bench.issuer.accessToken { $0.claims["exp"] = 1 }, "expired"),
            (bench.issuer.accessToken { $0.claims["aud"] = "invoices" }, "audience"),
            (bench.issuer.accessToken { $0.claims["iss"] = "https://other.example" }, "issuer"),
            (bench.issuer.accessToken { $0.signing = .key(.another) }, "signature"),
            (bench.issuer.token(nonce: "n-1"), "token-type"),
            ("a.b", "segments"),
        ]
        for (token, code) in refused {
            try bench.expect(
                try await bench.ask("Bearer \(token)"),
                code,
                .unauthorized,
                [#"Bearer error="invalid_token", error_description="\#(code)", \#(Self.metadata)"#]
            )
        }
    }

    @Test func `an opaque token is named in the detail of the problem`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let answer = try await bench.ask("Bearer gho_16C7e42F292c6912E7710c838347Ae178B4a")
        #expect(answer.status == .unauthorized)
        #expect(try answer.json()["detail"]?.string == RecognizedInput.opaqueToken.explanation)
        #expect(!answer.text.contains("gho_16C7e42F292c6912E7710c838347Ae178B4a"))
    }

    @Test func `a scope of the policy is required on every route, and added to the scopes of the challenge`()
        async throws
    {
        let bench = try ResourceBench(requiredScopes: ["api"], proofs: nil)
        let token = bench.issuer.accessToken(scopes: ["orders:read"])
        try bench.expect(
            try await bench.ask("Bearer \(token)", .get, "/orders"),
            "insufficient-scope",
            .forbidden,
            [
                #"Bearer error="insufficient_scope", error_description="insufficient-scope", scope="api orders:read", "#
                    + Self.metadata
            ]
        )
        let both = bench.issuer.accessToken(scopes: ["api", "orders:read"])
        #expect(try await bench.ask("Bearer \(both)", .get, "/orders").status == .ok)
    }

    @Test func `a token without the required authentication is answered with the accepted classes`() async throws {
        let bench = try ResourceBench(requiredValues: ["acr": ["phr", "phrh"]], proofs: nil)
        let weak = bench.issuer.accessToken { $0.claims["acr"] = "pwd" }
        try bench.expect(
            try await bench.ask("Bearer \(weak)"),
            "claim-value",
            .unauthorized,
            [
                #"Bearer error="insufficient_user_authentication", error_description="claim-value", "#
                    + #"acr_values="phr phrh", \#(Self.metadata)"#
            ]
        )
        let strong = bench.issuer.accessToken { $0.claims["acr"] = "phr" }
        #expect(try await bench.ask("Bearer \(strong)").status == .ok)
    }

    @Test func `unavailable keys are answered with 503 and Retry-After, and logged at error once a minute`()
        async throws
    {
        let bench = try ResourceBench()
        bench.keys.areUnavailable.change { $0 = true }
        for _ in 0..<3 {
            let answer = try await bench.ask("Bearer \(bench.issuer.accessToken())")
            try bench.expect(answer, "keys-unavailable", .serviceUnavailable, [])
            #expect(answer.headers[.retryAfter] == "1")
        }
        #expect(bench.log.lines.filter { $0.hasPrefix("error request failed") }.count == 1)
    }

    @Test func `a refused token is logged once with its code, without the token, unless it has only expired`()
        async throws
    {
        let bench = try ResourceBench()
        let token = bench.issuer.accessToken { $0.claims["aud"] = "invoices" }
        _ = try await bench.ask("Bearer \(token)")
        _ = try await bench.ask("Bearer \(bench.issuer.accessToken { $0.claims["exp"] = 1 })")
        let refused = bench.log.lines.filter { $0.hasPrefix("info credential refused") }
        #expect(refused.count == 1)
        #expect(refused.first?.contains("error.code=audience") == true)
        #expect(!bench.log.lines.joined().contains("eyJ"))
    }

    @Test func `the log lines of a refused request and of a handler have the request ID of the response`() async throws
    {
        let bench = try ResourceBench()
        let refused = try await bench.ask("Bearer \(bench.issuer.accessToken { $0.claims["aud"] = "invoices" })")
        let id = try #require(try refused.json()["requestID"]?.string)
        #expect(
            bench.log.lines.contains { $0.hasPrefix("info credential refused") && $0.hasSuffix("request.id=\(id)") }
        )
        #expect(id == refused.headers[.xRequestID])
        let server = bench.server((bench.resource, RouteRequirements())) { visit in
            visit.logger.info("handled")
            return .text(visit.requestID)
        }
        let accepted = try await bench.ask("Bearer \(bench.issuer.accessToken())", on: server)
        #expect(bench.log.lines.contains("info handled request.id=\(accepted.text)"))
    }

    @Test(.rule("T-197"))
    func `a bound token is refused by an API without DPoP, as a bearer token and with the scheme DPoP`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        let token = bench.boundToken()
        try bench.expect(
            try await bench.ask("Bearer \(token)"),
            "proof-required",
            .unauthorized,
            [#"Bearer error="invalid_token", error_description="proof-required", \#(Self.metadata)"#]
        )
        let answer = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)])
        try bench.expect(answer, "missing-token", .unauthorized, ["Bearer \(Self.metadata)"])
    }

    @Test func `a token whose confirmation cannot be checked is refused`() async throws {
        for proofs in [nil, DPoPPolicy.standard] {
            let bench = try ResourceBench(proofs: proofs)
            let token = bench.issuer.accessToken { $0.claims["cnf"] = ["kid": "key-1"] }
            let answer = try await bench.ask("Bearer \(token)")
            #expect(answer.status == .unauthorized)
            #expect(try answer.code() == "confirmation-unsupported")
        }
    }

    @Test(arguments: ["https://other.example", "https://api.example"])
    func `a route within two resources needs a token that both accept, even if they have one identifier`(
        identifier: String
    ) async throws {
        let (outer, inner) = (try ResourceBench(), try ResourceBench(identifier, requiredScopes: ["api"]))
        let server = outer.server((outer.resource, RouteRequirements()), (inner.resource, RouteRequirements()))
        let weak = outer.issuer.accessToken()
        #expect(try await outer.ask("Bearer \(weak)", on: server).status == .forbidden)
        let strong = outer.issuer.accessToken(scopes: ["api"])
        #expect(try await outer.ask("Bearer \(strong)", on: server).status == .ok)
    }
}
#endif
