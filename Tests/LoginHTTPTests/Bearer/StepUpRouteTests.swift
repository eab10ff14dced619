// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Routes that require a recent authentication of the user, or one of certain classes (RFC 9470).
@Suite struct StepUpRouteTests {
    private static let metadata = ResourceBench.metadata

    /// The challenge for an insufficient authentication.
    private func challenge(_ code: String, _ parameters: String, scheme: String = "Bearer") -> [String] {
        [
            #"\#(scheme) error="insufficient_user_authentication", error_description="\#(code)", \#(parameters), "#
                + Self.metadata
        ]
    }

    /// Returns a token for a user who was authenticated some seconds ago.
    private func token(_ bench: ResourceBench, ago seconds: Int?, acr: String? = nil, scopes: [String] = []) -> String {
        bench.issuer.accessToken(scopes: scopes) {
            $0.claims["auth_time"] = seconds.map { .number(String(1_760_000_000 - $0)) }
            $0.claims["acr"] = acr.map { .string($0) }
        }
    }

    @Test(.rule("T-232"))
    func `a route with a maximum authentication age accepts a recent authentication, and no older or unknown one`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        let server = bench.server(
            (bench.resource, RouteRequirements(scopes: ["pay"], maximumAuthenticationAge: .seconds(300)))
        )
        let recent = token(bench, ago: 330, scopes: ["pay"])
        #expect(try await bench.ask("Bearer \(recent)", on: server).status == .ok)
        for seconds in [331, nil] {
            try bench.expect(
                try await bench.ask("Bearer \(token(bench, ago: seconds, scopes: ["pay"]))", on: server),
                "auth-time",
                .unauthorized,
                challenge("auth-time", #"max_age="300", scope="pay""#)
            )
        }
        let lines = bench.log.lines.filter { $0.hasPrefix("info credential refused") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("error.code=auth-time") })
    }

    @Test(.rule("T-232"))
    func `a route with classes accepts one of them, and its challenge names them in order`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let server = bench.server((bench.resource, RouteRequirements(acceptedACRs: ["phrh", "phr"])))
        #expect(try await bench.ask("Bearer \(token(bench, ago: nil, acr: "phr"))", on: server).status == .ok)
        for acr in ["pwd", nil] {
            try bench.expect(
                try await bench.ask("Bearer \(token(bench, ago: nil, acr: acr))", on: server),
                "acr",
                .unauthorized,
                challenge("acr", #"acr_values="phrh phr""#)
            )
        }
    }

    @Test func `a challenge names only the classes that the policy accepts too`() async throws {
        let bench = try ResourceBench(requiredValues: ["acr": ["phr", "pwd"]], proofs: nil)
        let server = bench.server((bench.resource, RouteRequirements(acceptedACRs: ["phrh", "phr"])))
        #expect(try await bench.ask("Bearer \(token(bench, ago: nil, acr: "phr"))", on: server).status == .ok)
        for (acr, code) in [("pwd", "acr"), ("phrh", "claim-value")] {
            try bench.expect(
                try await bench.ask("Bearer \(token(bench, ago: nil, acr: acr))", on: server),
                code,
                .unauthorized,
                challenge(code, #"acr_values="phr""#)
            )
        }
    }

    @Test func `a token that lacks the authentication and the scope is told both, and then the scope`() async throws {
        let bench = try ResourceBench(requiredScopes: ["api"], proofs: nil)
        let requirements = RouteRequirements(
            scopes: ["pay"],
            maximumAuthenticationAge: .seconds(60),
            acceptedACRs: ["phr"]
        )
        let server = bench.server((bench.resource, requirements))
        try bench.expect(
            try await bench.ask("Bearer \(token(bench, ago: 3600, acr: "phr", scopes: ["api"]))", on: server),
            "auth-time",
            .unauthorized,
            challenge("auth-time", #"acr_values="phr", max_age="60", scope="api pay""#)
        )
        let recent = try await bench.ask("Bearer \(token(bench, ago: 1, acr: "phr", scopes: ["api"]))", on: server)
        #expect(try recent.status == .forbidden && recent.code() == "insufficient-scope")
    }

    @Test func `a route in a group may require more than the group`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let inner = RouteRequirements(maximumAuthenticationAge: .seconds(60))
        let server = bench.server((bench.resource, RouteRequirements()), (bench.resource, inner))
        #expect(try await bench.ask("Bearer \(token(bench, ago: 60))", on: server).status == .ok)
        #expect(try await bench.ask("Bearer \(token(bench, ago: 3600))", on: server).code() == "auth-time")
    }

    @Test func `the challenge for a token that is bound to a key has the scheme DPoP`() async throws {
        let bench = try ResourceBench()
        let server = bench.server((bench.resource, RouteRequirements(maximumAuthenticationAge: .seconds(60))))
        let bound = bench.boundToken()
        try bench.expect(
            try await bench.ask("DPoP \(bound)", proofs: [bench.proof(bound)], on: server),
            "auth-time",
            .unauthorized,
            challenge("auth-time", #"max_age="60", \#(ResourceBench.algorithms)"#, scheme: "DPoP")
        )
    }

    @Test func `a request without a token is told the scope, but no authentication`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let server = bench.server(
            (bench.resource, RouteRequirements(scopes: ["pay"], maximumAuthenticationAge: .seconds(60)))
        )
        try bench.expect(
            try await bench.ask(nil, on: server),
            "missing-token",
            .unauthorized,
            [#"Bearer scope="pay", \#(Self.metadata)"#]
        )
    }
}
#endif
