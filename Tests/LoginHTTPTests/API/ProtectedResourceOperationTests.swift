// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// The operations for APIs whose access tokens a service verifies.
@Suite struct ProtectedResourceOperationTests {
    /// A proxy on a Unix socket, as which a test without sockets appears.
    static let proxy = TrustedProxies([])

    /// Returns a service that verifies the access tokens of one API.
    func fixture(_ bench: ResourceBench) async throws -> LoginFixture {
        let fixture = try await LoginFixture()
        fixture.options.resources.replaceAll(with: ["orders": bench.resource])
        return fixture
    }

    private func code(_ code: VerificationCode, _ status: HTTPResponse.Status = .unauthorized) -> ProblemCode {
        ProblemCode(code, status: status)
    }

    /// Returns the body of a verification by the policy `orders`, or another.
    func body(_ token: String, policy: String = "orders", _ more: String = "") -> String {
        #"{"token":"\#(token)","policy":"\#(policy)"\#(more)}"#
    }

    /// Returns the members with a proof for `GET https://api.example/me`.
    func members(_ proof: String) -> String {
        #","dpop":"\#(proof)","method":"GET","url":"https://api.example/me""#
    }

    /// Returns the fields of a request with a proof that a proxy forwards.
    func forwarded(
        _ token: String,
        _ proof: String,
        method: String = "GET",
        target: String = "/me?a=b"
    ) -> HTTPFields {
        [
            .authorization: "DPoP \(token)", .dpop: proof, .xForwardedMethod: method, .xForwardedURI: target,
        ]
    }

    // MARK: POST /v1/verify

    @Test func `the verdict on an access token has its subject, client, scopes and claims`() async throws {
        let bench = try ResourceBench()
        let token = bench.issuer.accessToken(scopes: ["b", "a"])
        try await fixture(bench).run { client in
            let answer = try await client.ask(.post, "/v1/verify", body(token))
            #expect(try answer.text("verdict") == "verified")
            #expect(try answer.text("issuer") == "https://login.example")
            #expect(try answer.text("subject") == "1000000000000001")
            #expect(try answer.text("clientID") == "client-app")
            #expect(try answer.json()["scopes"]?.elements?.compactMap(\.string) == ["a", "b"])
            #expect(try answer.text("claims.jti") == "made-up-jti")
        }
    }

    @Test func `an ID token is refused by an API, and an access token by a policy for ID tokens`() async throws {
        let bench = try ResourceBench()
        let fixture = try await fixture(bench)
        try await fixture.run { client in
            let id = try await client.ask(.post, "/v1/verify", body(bench.issuer.token(nonce: "n-1")))
            #expect(try id.text("code") == "token-type")
            let access = fixture.google.accessToken()
            let other = try await client.ask(.post, "/v1/verify", body(access, policy: "app", #","nonce":"n-1""#))
            #expect(try other.text("code") == "token-type")
        }
    }

    @Test func `the verdict on a bound token needs a proof, which is accepted once`() async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        let proof = members(bench.proof(token))
        try await fixture(bench).run { client in
            let without = try await client.ask(.post, "/v1/verify", body(token))
            #expect(try without.text("code") == "proof-required")
            #expect(try await client.ask(.post, "/v1/verify", body(token, proof)).text("verdict") == "verified")
            #expect(try await client.ask(.post, "/v1/verify", body(token, proof)).text("code") == "proof-replayed")
        }
    }

    @Test(arguments: [
        ("https://api.example/me", "verified"), ("HTTPS://API.example:443/me?a=b#c", "verified"),
        ("https://evil.example/me", "proof-url"), ("https://api.example:8443/me", "proof-url"),
        ("http://api.example/me", "proof-url"), ("https://api.example.evil.example/me", "proof-url"),
        ("https://api.example@evil.example/me", "proof-url"), ("/me", "proof-url"),
    ])
    func `a proof for another origin than that of the resource is refused, also if the URL is the same`(
        url: String,
        verdict: String
    ) async throws {
        let bench = try ResourceBench()
        let token = bench.boundToken()
        let proof = bench.proof(token, url: url)
        let members = #","dpop":"\#(proof)","method":"GET","url":"\#(url)""#
        try await fixture(bench).run { client in
            let answer = try await client.ask(.post, "/v1/verify", body(token, members))
            #expect(try answer.text(verdict == "verified" ? "verdict" : "code") == verdict)
        }
    }

    @Test func `a bound token is refused by an API without DPoP, and its proof is an invalid request`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let token = bench.boundToken()
        try await fixture(bench).run { client in
            let answer = try await client.ask(.post, "/v1/verify", body(token))
            #expect(try answer.text("code") == "proof-required")
            let proof = members(bench.proof(token))
            try await client.refused(.invalidRequest, .post, "/v1/verify", body(token, proof))
        }
    }

    @Test(arguments: [
        #","nonce":"n-1""#, #","attempt":"a""#, #","dpop":"a.b.c""#, #","method":"GET","url":"https://api.example/""#,
    ])
    func `members of ID tokens, and a part of a proof, are an invalid request for an API`(more: String) async throws {
        let bench = try ResourceBench()
        let token = bench.issuer.accessToken()
        try await fixture(bench).run { client in
            try await client.refused(.invalidRequest, .post, "/v1/verify", body(token, more))
        }
    }

    @Test func `a proof is an invalid request for a policy for ID tokens`() async throws {
        let bench = try ResourceBench()
        let fixture = try await fixture(bench)
        let more = #","nonce":"n-1""# + members("a.b.c")
        try await fixture.run { client in
            let body = body(fixture.google.token(nonce: "n-1"), policy: "app", more)
            try await client.refused(.invalidRequest, .post, "/v1/verify", body)
        }
    }

    @Test func `without the keys of its issuer an access token is undecided, and can be tried again`() async throws {
        let bench = try ResourceBench()
        bench.keys.areUnavailable.change { $0 = true }
        let token = bench.issuer.accessToken()
        try await fixture(bench).run { client in
            let verdict = try await client.refused(.keysUnavailable, .post, "/v1/verify", body(token))
            #expect(verdict.headers[.retryAfter] == "1")
            let answer = try await client.refused(.keysUnavailable, .get, "/v1/forward-auth/orders", bearer: token)
            #expect(answer.headers[.retryAfter] == "1")
        }
    }

    @Test func `a proof is undecided while the ledger is full`() async throws {
        let bench = try ResourceBench(ledger: InMemoryDPoPLedger(capacity: 1), proxies: Self.proxy)
        let token = bench.boundToken()
        let code = code(.proofUndecided, .serviceUnavailable)
        try await fixture(bench).run { client in
            let first = try await client.ask(.post, "/v1/verify", body(token, members(bench.proof(token))))
            #expect(try first.text("verdict") == "verified")
            let full = body(token, members(bench.proof(token)))
            #expect(try await client.refused(code, .post, "/v1/verify", full).headers[.retryAfter] == "1")
            let fields = forwarded(token, bench.proof(token))
            let answer = try await client.refused(code, .get, "/v1/forward-auth/orders", headers: fields)
            #expect(answer.headers[.retryAfter] == "1")
        }
    }

    @Test func `an outage of the keys is one entry of the log, with its reason, for both operations`() async throws {
        let bench = try ResourceBench()
        bench.keys.areUnavailable.change { $0 = true }
        let token = bench.issuer.accessToken()
        let fixture = try await fixture(bench)
        try await fixture.run(logger: bench.log.logger) { client in
            for _ in 0..<2 {
                try await client.refused(.keysUnavailable, .get, "/v1/forward-auth/orders", bearer: token)
                try await client.refused(.keysUnavailable, .post, "/v1/verify", body(token))
            }
        }
        let errors = bench.log.lines.filter { $0.hasPrefix("error") }
        #expect(errors.count == 1)
        #expect(errors.first?.contains("as the test wants it") == true)
    }

    @Test func `a full ledger is one entry of the log`() async throws {
        let bench = try ResourceBench(ledger: InMemoryDPoPLedger(capacity: 1), proxies: Self.proxy)
        let token = bench.boundToken()
        let fixture = try await fixture(bench)
        try await fixture.run(logger: bench.log.logger) { client in
            let first = forwarded(token, bench.proof(token))
            #expect(try await client.ask(.get, "/v1/forward-auth/orders", headers: first).status == .ok)
            for _ in 0..<2 {
                let full = forwarded(token, bench.proof(token))
                let code = code(.proofUndecided, .serviceUnavailable)
                try await client.refused(code, .get, "/v1/forward-auth/orders", headers: full)
            }
        }
        #expect(bench.log.lines.filter { $0.hasPrefix("error") }.count == 1)
    }

    // MARK: GET /v1/forward-auth/{api}

    @Test func `forward-auth answers every header field of the token, whatever the request says`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let token = bench.issuer.accessToken(scopes: ["orders:write", "orders:read"])
        var forged: HTTPFields = [:]
        for (name, _) in ForwardedAccessToken.headers { forged[name] = "mallory" }
        let fields = forged
        try await fixture(bench).run { client in
            let path = "/v1/forward-auth/orders?scope=orders:read%20orders:write"
            let answer = try await client.ask(.get, path, bearer: token, headers: fields)
            #expect(answer.status == .ok && answer.text.isEmpty)
            let found = ForwardedAccessToken.headers.map { answer.headers[values: $0.name] }
            let expected = ["https://login.example", "1000000000000001", "client-app", "orders:read orders:write"]
            #expect(found == expected.map { [$0] })
        }
    }

    @Test func `a header field of a token without a client or scopes is empty`() async throws {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://login.example"])
        form.clientClaims = []
        form.requiresClient = false
        let issuer = TestIssuer(accessTokensOf: form, audience: "orders")
        let policy = try AccessTokenPolicy(issuer: form, audiences: ["orders"])
        let verifier = AccessTokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
        let fixture = try await LoginFixture()
        let resource = try ProtectedResource("https://api.example", verifier: verifier)
        fixture.options.resources.replaceAll(with: ["orders": resource])
        let token = issuer.accessToken(form)
        try await fixture.run { client in
            let answer = try await client.ask(.get, "/v1/forward-auth/orders", bearer: token)
            let found = ForwardedAccessToken.headers.map { answer.headers[values: $0.name] }
            #expect(found == [["https://login.example"], ["1000000000000001"], [""], [""]])
        }
    }

    @Test func `forward-auth refuses with the challenges of the API`() async throws {
        let bench = try ResourceBench(proofs: nil)
        let path = "/v1/forward-auth/orders?scope=orders:read"
        let metadata = ResourceBench.metadata
        try await fixture(bench).run { client in
            let missing = try await client.refused(.missingToken, .get, path)
            #expect(missing.headers[values: .wwwAuthenticate] == [#"Bearer scope="orders:read", \#(metadata)"#])
            let expired = bench.issuer.accessToken { $0.claims["exp"] = 1 }
            let old = try await client.refused(code(.expired), .get, path, bearer: expired)
            #expect(
                old.headers[values: .wwwAuthenticate]
                    == [#"Bearer error="invalid_token", error_description="expired", \#(metadata)"#]
            )
            #expect(old.headers[.xAuthError] == "expired")
            let weak = bench.issuer.accessToken()
            let lacking = try await client.refused(code(.insufficientScope, .forbidden), .get, path, bearer: weak)
            #expect(
                lacking.headers[values: .wwwAuthenticate] == [
                    #"Bearer error="insufficient_scope", error_description="insufficient-scope", scope="orders:read", "#
                        + metadata
                ]
            )
        }
    }

    @Test func `a session token is no access token, and an access token no session token`() async throws {
        let bench = try ResourceBench(proofs: nil)
        try await fixture(bench).run { client in
            let session = try await client.session(of: "ada")
            try await client.refused(code(.segments), .get, "/v1/forward-auth/orders", bearer: session)
            let token = bench.issuer.accessToken()
            #expect(try await client.ask(.get, "/v1/forward-auth", bearer: token).status == .unauthorized)
        }
    }

    @Test(arguments: [
        "scope=", "scope=%20", "scope=a&scope=b", "scope=%22", "scope=a%0Ab", "level=2", "scope=a&x=y", "scope=%zz",
        "max_age=", "max_age=0", "max_age=-1", "max_age=%2B60", "max_age=060", "max_age=1.5", "max_age=60s",
        "max_age=60%20", "max_age=31536001", "max_age=99999999999999999999", "max_age=60&max_age=60", "max_age",
        "acr_values=", "acr_values=%20", "acr_values=phr&acr_values=phr", "acr_values=a%0Ab", "acr_values=%C3%BC",
        "scope=a&max_age=x", "maxAge=60", "&",
    ])
    func `a malformed requirement of a route is an invalid request`(query: String) async throws {
        let bench = try ResourceBench(proofs: nil)
        let token = bench.issuer.accessToken(scopes: ["a", "b"]) {
            $0.claims["auth_time"] = .number("1760000000")
            $0.claims["acr"] = "phr"
        }
        try await fixture(bench).run { client in
            try await client.refused(.invalidRequest, .get, "/v1/forward-auth/orders?\(query)", bearer: token)
        }
    }

    @Test
    func `a route with a maximum authentication age accepts a recent authentication, and no older or unknown one`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        func token(ago seconds: Int?) -> String {
            bench.issuer.accessToken(scopes: ["pay"]) {
                $0.claims["auth_time"] = seconds.map { .number(String(1_760_000_000 - $0)) }
            }
        }
        let path = "/v1/forward-auth/orders?scope=pay&max_age=300"
        let (recent, refused) = (token(ago: 300), [token(ago: 3600), token(ago: nil)])
        let challenge =
            #"Bearer error="insufficient_user_authentication", error_description="auth-time", max_age="300", "#
            + #"scope="pay", \#(ResourceBench.metadata)"#
        try await fixture(bench).run { client in
            #expect(try await client.ask(.get, path, bearer: recent).status == .ok)
            for token in refused {
                let answer = try await client.refused(code(.authTime), .get, path, bearer: token)
                #expect(answer.headers[values: .wwwAuthenticate] == [challenge])
                #expect(answer.headers[.xAuthError] == "auth-time")
            }
        }
    }

    @Test func `a route with authentication context classes accepts one of them, and names them in its challenge`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil)
        func token(_ acr: TestJSON?) -> String { bench.issuer.accessToken { $0.claims["acr"] = acr } }
        let path = "/v1/forward-auth/orders?acr_values=phrh%20phr"
        let (strong, refused) = (token("phr"), [token("pwd"), token(nil)])
        let challenge =
            #"Bearer error="insufficient_user_authentication", error_description="acr", acr_values="phrh phr", "#
            + ResourceBench.metadata
        try await fixture(bench).run { client in
            #expect(try await client.ask(.get, path, bearer: strong).status == .ok)
            for token in refused {
                let answer = try await client.refused(code(.acr), .get, path, bearer: token)
                #expect(answer.headers[values: .wwwAuthenticate] == [challenge])
            }
        }
    }

    @Test func `a proof is compared with the method and the target that a trusted proxy forwards, and accepted once`()
        async throws
    {
        let bench = try ResourceBench(proxies: Self.proxy)
        let token = bench.boundToken()
        let path = "/v1/forward-auth/orders"
        func proof() -> String {
            bench.prover.proof(method: "POST", url: "https://api.example/orders", token: token)
        }
        let used = forwarded(token, proof(), method: "POST", target: "/orders?a=b")
        let (otherMethod, otherTarget) = (
            forwarded(token, proof(), method: "PUT", target: "/orders"),
            forwarded(token, proof(), method: "POST", target: "/invoices")
        )
        try await fixture(bench).run { client in
            #expect(try await client.ask(.get, path, headers: used).status == .ok)
            let replayed = try await client.refused(code(.proofReplayed), .get, path, headers: used)
            #expect(replayed.headers[.wwwAuthenticate]?.hasPrefix(#"DPoP error="invalid_dpop_proof""#) == true)
            try await client.refused(code(.proofMethod), .get, path, headers: otherMethod)
            try await client.refused(code(.proofURL), .get, path, headers: otherTarget)
        }
    }

    @Test func `a bound token is refused as a bearer token`() async throws {
        let bench = try ResourceBench(proxies: Self.proxy)
        let token = bench.boundToken()
        try await fixture(bench).run { client in
            try await client.refused(code(.proofRequired), .get, "/v1/forward-auth/orders", bearer: token)
        }
    }

    @Test(arguments: ["untrusted", "no method", "two methods", "bad method", "no target", "two targets", "absolute"])
    func `a proof without a method and a target from a trusted proxy is an invalid request`(fault: String)
        async throws
    {
        let bench = try ResourceBench(proxies: fault == "untrusted" ? .none : Self.proxy)
        let token = bench.boundToken()
        var fields = forwarded(token, bench.proof(token))
        switch fault {
        case "no method": fields[.xForwardedMethod] = nil
        case "two methods": fields.append(HTTPField(name: .xForwardedMethod, value: "GET"))
        case "bad method": fields[.xForwardedMethod] = "G T"
        case "no target": fields[.xForwardedURI] = nil
        case "two targets": fields.append(HTTPField(name: .xForwardedURI, value: "/me"))
        case "absolute": fields[.xForwardedURI] = "https://api.example/me"
        default: break
        }
        let headers = fields
        try await fixture(bench).run { client in
            try await client.refused(.invalidRequest, .get, "/v1/forward-auth/orders", headers: headers)
        }
    }

    /// A field `Client-Cert` with the shortest DER sequence, which is not parsed further.
    private static let certificate = ":MAA=:"
    private static let otherCertificate = ":MAEA:"

    /// Returns a token that is bound to the certificate.
    private func certificateToken(_ bench: ResourceBench) throws -> String {
        let thumbprint = try ClientCertificate(clientCertField: Self.certificate).thumbprint
        return bench.issuer.accessToken { $0.claims["cnf"] = ["x5t#S256": .string(thumbprint)] }
    }

    @Test func `a token that is bound to a certificate is accepted with it from a trusted proxy, and with no other`()
        async throws
    {
        let bench = try ResourceBench(proofs: nil, certificates: .clientCert, proxies: Self.proxy)
        let token = try certificateToken(bench)
        let (path, field) = ("/v1/forward-auth/orders", HTTPField.Name.known("Client-Cert"))
        try await fixture(bench).run { client in
            let bound = try await client.ask(.get, path, bearer: token, headers: [field: Self.certificate])
            #expect(bound.status == .ok)
            let other: HTTPFields = [field: Self.otherCertificate]
            try await client.refused(code(.certificateBinding), .get, path, bearer: token, headers: other)
            try await client.refused(code(.certificateRequired), .get, path, bearer: token)
        }
    }

    @Test(arguments: ["untrusted", "off"])
    func `a certificate from an untrusted peer, or for an API without a field, is ignored`(fault: String)
        async throws
    {
        let bench = try ResourceBench(
            proofs: nil,
            certificates: fault == "off" ? nil : .clientCert,
            proxies: fault == "untrusted" ? .none : Self.proxy
        )
        let token = try certificateToken(bench)
        let fields: HTTPFields = [.known("Client-Cert"): Self.certificate]
        try await fixture(bench).run { client in
            let refusal = code(.certificateRequired)
            try await client.refused(refusal, .get, "/v1/forward-auth/orders", bearer: token, headers: fields)
        }
    }

    @Test func `a token that is bound to a key and a certificate needs both, with the fields that a proxy forwards`()
        async throws
    {
        let bench = try ResourceBench(certificates: .clientCert, proxies: Self.proxy)
        let thumbprint = try ClientCertificate(clientCertField: Self.certificate).thumbprint
        let token = bench.issuer.accessToken {
            var confirmation = bench.prover.confirmation
            confirmation["x5t#S256"] = .string(thumbprint)
            $0.claims["cnf"] = confirmation
        }
        let without = forwarded(token, bench.proof(token))
        var both = forwarded(token, bench.proof(token))
        both[.known("Client-Cert")] = Self.certificate
        let complete = both
        try await fixture(bench).run { client in
            let path = "/v1/forward-auth/orders"
            try await client.refused(code(.certificateRequired), .get, path, headers: without)
            #expect(try await client.ask(.get, path, headers: complete).status == .ok)
        }
    }

    // MARK: Metadata and description

    @Test func `the metadata of an API is served for its proxy`() async throws {
        let bench = try ResourceBench(scopes: ["orders:read"])
        try await fixture(bench).run { client in
            let answer = try await client.ask(.get, "/v1/protected-resources/orders")
            #expect(try answer.text("resource") == "https://api.example")
            #expect(try answer.json()["scopes_supported"]?.elements?.compactMap(\.string) == ["orders:read"])
            #expect(answer.headers[.cacheControl] == "max-age=300")
        }
    }

    @Test(arguments: ["/v1/forward-auth/invoices", "/v1/protected-resources/invoices"])
    func `an unknown API is not found`(path: String) async throws {
        let bench = try ResourceBench()
        let token = bench.issuer.accessToken()
        try await fixture(bench).run { client in
            try await client.refused(.notFound, .get, path, bearer: token)
        }
    }

    @Test func `the operations and their codes are described only if there is an API`() async throws {
        let parts = ["/v1/forward-auth/{api}", "/v1/protected-resources/{api}", "`proof-replayed`", "\"dpop\""]
        try await fixture(try ResourceBench()).run { client in
            let document = try await client.ask(.get, "/openapi.json").text
            #expect(parts.filter { !document.contains($0) } == [])
            #expect(try await client.ask(.get, "/problems/proof-replayed").status == .ok)
        }
        try await LoginFixture().run { client in
            let document = try await client.ask(.get, "/openapi.json").text
            #expect(parts.filter { document.contains($0) } == [])
            try await client.refused(.notFound, .get, "/v1/forward-auth/orders")
            try await client.refused(.notFound, .get, "/problems/proof-replayed")
        }
    }
}
#endif
