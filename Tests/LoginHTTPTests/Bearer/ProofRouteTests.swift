// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import Logging
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// Routes that need an access token, requested with DPoP proofs.
@Suite struct ProofRouteTests {
    private static let metadata = ResourceBench.metadata
    private static let algorithms = ResourceBench.algorithms

    /// The challenge after a fault of a proof, or of a token that was sent with one.
    private func challenge(_ error: String, _ code: String) -> [String] {
        [#"DPoP error="\#(error)", error_description="\#(code)", \#(Self.algorithms), \#(Self.metadata)"#]
    }

    @Test func `a bound token with a proof for the request is accepted, in any letter case of the scheme`()
        async throws
    {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        for scheme in ["DPoP", "dpop", "DPOP"] {
            let answer = try await bench.ask("\(scheme) \(token)", .get, "/me?a=b", proofs: [bench.proof(token)])
            #expect(answer.status == .ok, "\(answer.text)")
        }
    }

    @Test func `a proof is accepted once`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        let proof = bench.proof(token)
        #expect(try await bench.ask("DPoP \(token)", proofs: [proof]).status == .ok)
        try bench.expect(
            try await bench.ask("DPoP \(token)", proofs: [proof]),
            "proof-replayed",
            .unauthorized,
            challenge("invalid_dpop_proof", "proof-replayed")
        )
    }

    @Test(arguments: ["/x/../me", "/x/%2E%2e/me", "/x/./../me"])
    func `a path that the router does not normalize is refused with a proof for the normalized one`(path: String)
        async throws
    {
        let bench = try ResourceBench()
        let server = bench.server((bench.resource, RouteRequirements()))
        let token = bench.boundToken()
        let answer = try await bench.ask("DPoP \(token)", .get, path, proofs: [bench.proof(token)], on: server)
        #expect(try answer.status == .unauthorized && answer.code() == "proof-url", "\(answer.text)")
    }

    @Test func `a route in a group verifies a proof once`() async throws {
        let bench = try ResourceBench()
        let scoped = RouteRequirements(scopes: ["orders:read"])
        let server = bench.server((bench.resource, RouteRequirements()), (bench.resource, scoped))
        let good = bench.boundToken(scopes: ["orders:read"])
        #expect(try await bench.ask("DPoP \(good)", proofs: [bench.proof(good)], on: server).status == .ok)
        let weak = bench.boundToken()
        let answer = try await bench.ask("DPoP \(weak)", proofs: [bench.proof(weak)], on: server)
        #expect(answer.status == .forbidden)
        #expect(answer.challenges.count == 1)
        #expect(answer.challenges.first?.hasPrefix(#"DPoP error="insufficient_scope""#) == true)
        #expect(answer.challenges.first?.contains(#"scope="orders:read""#) == true)
    }

    @Test(.rule("T-199"))
    func `a route within two resources that share a ledger uses a proof once`() async throws {
        let ledger = InMemoryDPoPLedger()
        let (outer, inner) = (try ResourceBench(ledger: ledger), try ResourceBench(ledger: ledger))
        let server = outer.server((outer.resource, RouteRequirements()), (inner.resource, RouteRequirements()))
        let token = outer.boundToken()
        let proof = outer.proof(token)
        let first = try await outer.ask("DPoP \(token)", proofs: [proof], on: server)
        #expect(first.status == .ok, "\(first.text)")
        #expect(try await outer.ask("DPoP \(token)", proofs: [proof], on: server).code() == "proof-replayed")
        #expect(try await inner.ask("DPoP \(token)", proofs: [proof]).code() == "proof-replayed")
    }

    @Test func `a route within two resources needs a proof that both accept`() async throws {
        let ledger = InMemoryDPoPLedger()
        let outer = try ResourceBench(ledger: ledger)
        let inner = try ResourceBench(proofs: DPoPPolicy(algorithms: [.rs256]), ledger: ledger)
        let server = outer.server((outer.resource, RouteRequirements()), (inner.resource, RouteRequirements()))
        let token = outer.boundToken()
        let answer = try await outer.ask("DPoP \(token)", proofs: [outer.proof(token)], on: server)
        #expect(try answer.code() == "proof-algorithm")
    }

    @Test(.rule("T-203"))
    func `the URLs of a proof for another URL and of the request are not logged`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        for url in ["https://api.example/users/alice@mail.example?secret=1", "https://api.example/%"] {
            let answer = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token, url: url)])
            #expect(try answer.code() == "proof-url")
        }
        let lines = bench.log.lines.filter { $0.hasPrefix("info credential refused") }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("error.code=proof-url") })
        #expect(!bench.log.lines.joined().contains("alice") && !bench.log.lines.joined().contains("api.example"))
    }

    @Test(.rule("T-197"))
    func `a bound token is refused as a bearer token, with and without a proof`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        for proofs in [[], [bench.proof(token)]] {
            try bench.expect(
                try await bench.ask("Bearer \(token)", proofs: proofs),
                "proof-required",
                .unauthorized,
                [
                    #"Bearer error="invalid_token", error_description="proof-required", \#(Self.metadata)"#,
                    "DPoP \(Self.algorithms), \(Self.metadata)",
                ]
            )
        }
    }

    @Test(.rule("T-197"))
    func `the scheme DPoP needs exactly one proof, for any token`() async throws {
        let bench = try ResourceBench()
        for token in [bench.boundToken(), bench.issuer.accessToken()] {
            try bench.expect(
                try await bench.ask("DPoP \(token)"),
                "proof-required",
                .unauthorized,
                challenge("invalid_token", "proof-required")
            )
            try bench.expect(
                try await bench.ask("DPoP \(token)", proofs: [bench.proof(token), bench.proof(token)]),
                "proof-malformed",
                .unauthorized,
                challenge("invalid_dpop_proof", "proof-malformed")
            )
        }
    }

    @Test func `a token that is not bound is accepted as a bearer token, and refused with a proof`() async throws {
        let bench = try ResourceBench()
        let token = bench.issuer.accessToken()
        #expect(try await bench.ask("Bearer \(token)").status == .ok)
        try bench.expect(
            try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)]),
            "proof-binding",
            .unauthorized,
            challenge("invalid_token", "proof-binding")
        )
    }

    @Test func `a token that is not bound is refused if the policy requires bound tokens`() async throws {
        let bench = try ResourceBench(proofs: DPoPPolicy(requiresBoundTokens: true))
        let answer = try await bench.ask("Bearer \(bench.issuer.accessToken())")
        #expect(answer.status == .unauthorized)
        #expect(try answer.code() == "proof-required")
        let none = try await bench.ask(nil)
        try bench.expect(none, "missing-token", .unauthorized, ["DPoP \(Self.algorithms), \(Self.metadata)"])
    }

    @Test func `a request without a token gets a challenge for each scheme`() async throws {
        let bench = try ResourceBench()
        try bench.expect(
            try await bench.ask(nil, .get, "/orders"),
            "missing-token",
            .unauthorized,
            [#"Bearer scope="orders:read", \#(Self.metadata)"#, "DPoP \(Self.algorithms), \(Self.metadata)"]
        )
    }

    @Test func `a proof for another method, URL, key or token is refused`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        let other = TestProver(key: .proofRS256, clock: bench.issuer.clock)
        let url = "https://api.example/me"
        let refused: [(String, String, String)] = [
            (bench.prover.proof(method: "POST", url: url, token: token), "proof-method", "invalid_dpop_proof"),
            (bench.proof(token, url: "https://api.example/orders"), "proof-url", "invalid_dpop_proof"),
            (bench.proof(token, url: "https://evil.example/me"), "proof-url", "invalid_dpop_proof"),
            (bench.proof(token, url: "http://api.example/me"), "proof-url", "invalid_dpop_proof"),
            (bench.proof("another token"), "proof-token-hash", "invalid_dpop_proof"),
            (other.proof(method: "GET", url: url, token: token), "proof-binding", "invalid_token"),
        ]
        for (proof, code, error) in refused {
            try bench.expect(
                try await bench.ask("DPoP \(token)", proofs: [proof]),
                code,
                .unauthorized,
                challenge(error, code)
            )
        }
    }

    @Test(.rule("T-195"))
    func `the URL of a proof is compared with the configured origin, not with fields of the request`()
        async throws
    {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        var fields: HTTPFields = [.xForwardedFor: "198.51.100.7"]
        for name in ["X-Forwarded-Host", "Forwarded", "Host"] {
            let value = name == "Forwarded" ? "host=evil.example;proto=https" : "evil.example"
            let field = try #require(HTTPField.Name(name))
            fields[field] = value
        }
        let good = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)], headers: fields)
        #expect(good.status == .ok)
        let proof = bench.proof(token, url: "https://evil.example/me")
        let answer = try await bench.ask("DPoP \(token)", proofs: [proof], headers: fields)
        #expect(try answer.code() == "proof-url")
    }

    @Test(.rule("T-195"))
    func `a request target without a slash does not continue the host`() throws {
        let resource = try ResourceBench("https://api.example/orders").resource
        for (path, url) in [
            ("/orders?a=b", "https://api.example/orders"),
            (".evil.example/orders", "https://api.example/.evil.example/orders"),
            ("@evil.example/", "https://api.example/@evil.example/"), ("", "https://api.example/"),
            ("https://evil.example/orders", "https://api.example/orders"),
        ] {
            let head = HTTPRequest(method: .get, scheme: "https", authority: "evil.example", path: path)
            let request = ServerRequest(head, from: .unixSocket, logger: Logger(label: "test"))
            #expect(resource.url(of: request) == url)
        }
    }

    @Test func `with server nonces a client gets a nonce, succeeds with it, and gets the next one`() async throws {
        let nonces = try DPoPNonces(secret: [UInt8](repeating: 7, count: 32))
        let bench = try ResourceBench(proofs: DPoPPolicy(nonces: nonces))
        let token = bench.boundToken()
        let first = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)])
        try bench.expect(first, "proof-nonce", .unauthorized, challenge("use_dpop_nonce", "proof-nonce"))
        let nonce = try #require(first.headers[.dpopNonce])
        bench.issuer.clock.advance(by: .seconds(60))
        let second = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token, nonce: nonce)])
        #expect(second.status == .ok)
        #expect(second.headers[.cacheControl] == "no-store")
        #expect(second.headers[.dpopNonce] != nil && second.headers[.dpopNonce] != nonce)
        #expect(bench.log.lines.filter { $0.contains("refused") } == [])
    }

    @Test func `a response that may be cached has no server nonce`() async throws {
        let nonces = try DPoPNonces(secret: [UInt8](repeating: 7, count: 32))
        let bench = try ResourceBench(proofs: DPoPPolicy(nonces: nonces))
        let server = bench.server((bench.resource, RouteRequirements())) { _ in
            .text("open", [.cacheControl: "private, max-age=60"])
        }
        let token = bench.boundToken()
        let proof = bench.proof(token, nonce: bench.resource.dpop?.nonce)
        let answer = try await bench.ask("DPoP \(token)", proofs: [proof], on: server)
        #expect(answer.status == .ok)
        #expect(answer.headers[.dpopNonce] == nil)
    }

    @Test func `a full ledger is answered with 503 and Retry-After`() async throws {
        let bench = try ResourceBench(ledger: InMemoryDPoPLedger(capacity: 1))
        let token = bench.boundToken()
        #expect(try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)]).status == .ok)
        for _ in 0..<3 {
            let answer = try await bench.ask("DPoP \(token)", proofs: [bench.proof(token)])
            try bench.expect(answer, "proof-undecided", .serviceUnavailable, [])
            #expect(answer.headers[.retryAfter] == "1")
        }
        #expect(bench.log.lines.filter { $0.hasPrefix("error request failed") }.count == 1)
    }

    @Test func `of 16 requests with one proof exactly one is accepted`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        let proof = bench.proof(token)
        let accepted: Int = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { try await bench.ask("DPoP \(token)", proofs: [proof]).status == .ok }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(accepted == 1)
    }
}
#endif
