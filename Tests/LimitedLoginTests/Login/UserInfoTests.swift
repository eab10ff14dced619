// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Browser logins that ask the UserInfo endpoint (OpenID Connect Core §5.3).
@Suite struct UserInfoTests {
    private static let full: TestJSON = [
        "sub": "1000000000000001", "name": "Ada Example", "email": "ada@example.com", "email_verified": true,
        "groups": ["admins"], "iss": "https://evil.example", "nonce": "another",
    ]

    private let bench = OpenIDBench()

    private func logIn(
        _ answer: StubTransport.Answer?,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> LoginResult {
        if let answer { bench.transport.answer(OpenIDBench.userInfoEndpoint, with: answer) }
        return try await bench.logIn(try await bench.logins { $0.userInfo = .used }, nil, change).result
    }

    private func texts(_ result: LoginResult) throws -> [String?] {
        let claims = try #require(try success(result).identity.claims)
        return ["name", "email", "email_verified"].map { name in
            claims[name].map { $0.string ?? $0.boolean.map { "\($0)" } ?? "another type" }
        }
    }

    @Test(.rule("T-293"))
    func `a thin ID token is completed by name, address and verification, and by nothing else`() async throws {
        let result = try await logIn(.json(Self.full))
        #expect(try texts(result) == ["Ada Example", "ada@example.com", "true"])
        let identity = try success(result).identity
        #expect(identity.claims?.issuer == "https://issuer.example" && identity.claims?["groups"] == nil)
        #expect(identity.claims?.nonce == identity.token?.claims.nonce && identity.claims?.nonce != "another")
        // What was signed stays as it is.
        #expect(identity.token?.claims["email"] == nil && identity.token?.claims["name"] == nil)
    }

    @Test(.rule("T-293"))
    func `the request has the access token of the code, and is bounded`() async throws {
        _ = try success(try await logIn(.json(Self.full)))
        let requests = bench.requests(to: OpenIDBench.userInfoEndpoint)
        let request = try #require(requests.first)
        #expect(requests.count == 1 && request.method == .get && request.body.isEmpty)
        #expect(request.headers.filter { $0.name == "Authorization" }.map(\.value) == ["Bearer an access token"])
        #expect(request.responseLimit == Limits.userInfoBytes && request.deadline == Limits.userInfoDeadline)
    }

    @Test(.rule("T-293"))
    func `the endpoint is asked only if the declaration says so, and the ID token lacks a claim`() async throws {
        bench.transport.answer(OpenIDBench.userInfoEndpoint, with: .json(Self.full))
        let (off, _) = try await bench.logIn(try await bench.logins())
        #expect(try texts(off) == [nil, nil, nil])
        let complete = try await logIn(nil) { token in
            token.claims["name"] = "Ada"
            token.claims["email"] = "ada@corp.example"
        }
        #expect(try texts(complete) == ["Ada", "ada@corp.example", nil])
        #expect(bench.requests(to: OpenIDBench.userInfoEndpoint).isEmpty)
    }

    @Test(.rule("T-293"))
    func `a claim of the ID token is never replaced, and its address never verified by the response`() async throws {
        let address = try await logIn(.json(Self.full)) { $0.claims["email"] = "ada@corp.example" }
        #expect(try texts(address) == ["Ada Example", "ada@corp.example", nil])
        let flag = try await logIn(.json(Self.full)) { $0.claims["email_verified"] = false }
        #expect(try texts(flag) == ["Ada Example", nil, "false"])
        let name = try await logIn(.json(Self.full)) { $0.claims["name"] = "Ada" }
        #expect(try texts(name) == ["Ada", "ada@example.com", "true"])
    }

    @Test(.rule("T-293"))
    func `a claim that is null is missing, in the ID token and in the response`() async throws {
        let token = try await logIn(.json(Self.full)) { token in
            token.claims["name"] = .null
            token.claims["email"] = .null
            token.claims["email_verified"] = .null
        }
        #expect(try texts(token) == ["Ada Example", "ada@example.com", "true"])
        let response: TestJSON = ["sub": "1000000000000001", "name": .null, "email": .null, "email_verified": true]
        #expect(try texts(try await logIn(.json(response))) == [nil, nil, nil])
    }

    @Test(.rule("T-293"))
    func `a claim of more than a kilobyte is left out, and so is the verification of its address`() async throws {
        func text(_ bytes: Int) -> TestJSON { .string(String(repeating: "a", count: bytes)) }
        let response: (Int) -> TestJSON = { bytes in
            ["sub": "1000000000000001", "name": text(bytes), "email": text(bytes), "email_verified": true]
        }
        let kept = try texts(try await logIn(.json(response(1024))))
        #expect(kept.map { $0?.utf8.count } == [1024, 1024, 4])
        #expect(try texts(try await logIn(.json(response(1025)))) == [nil, nil, nil])
    }

    @Test(.rule("T-294"), arguments: ["1000000000000009", "", "1000000000000001 ", "1000000000000001\u{0}"])
    func `a response about another subject is refused`(subject: String) async throws {
        let result = try await logIn(.json(["sub": .string(subject), "email": "eve@example.com"]))
        let failure = expectFailure(.userMismatch, result, hiding: [subject, "eve@example.com"])
        #expect(failure?.description.contains("the UserInfo response is about another subject") == true)
        #expect(failure?.isRetryable == false && failure?.endsAttempt == true)
    }

    @Test(.rule("T-294"))
    func `a failure of the endpoint fails the login as an outage`() async throws {
        let json = [(name: "Content-Type", value: "application/json")]
        func response(_ status: Int, _ headers: [(name: String, value: String)], _ body: String) -> StubTransport.Answer
        {
            .response(TransportResponse(status: status, headers: headers, body: Array(body.utf8)))
        }
        let location = [(name: "Location", value: OpenIDBench.userInfoEndpoint + "/v2")]
        let good = Self.full.text
        let jwt = [(name: "Content-Type", value: "application/jwt; charset=utf-8")]
        let cases: [(StubTransport.Answer?, String)] = [
            (nil, "connection"), (.failure(.deadline), "deadline"), (.failure(.tooLarge), "too-large"),
            (response(500, json, good), "500"), (response(429, json, good), "429"), (response(401, json, good), "401"),
            (response(403, json, good), "403"), (response(204, json, ""), "204"),
            (response(302, json + location, good), "redirects are not followed"),
            (response(200, [], good), "Content-Type"),
            (response(200, [(name: "Content-Type", value: "text/html")], good), "Content-Type"),
            (response(200, json + [(name: "Content-Encoding", value: "gzip")], good), "compressed"),
            (response(200, jwt, bench.issuer.token()), "a JWT, which is not supported"),
            (response(200, json, "{"), "not strict JSON"), (response(200, json, "[]"), "sub is missing"),
            (response(200, json, #"{"sub":"1000000000000001","sub":"2"}"#), "not strict JSON"),
            (response(200, json, #"{"email":"ada@example.com"}"#), "sub is missing"),
            (response(200, json, #"{"sub":1000000000000001}"#), "sub is missing"),
            (response(200, json, good + String(repeating: " ", count: Limits.userInfoBytes)), "more than 65536 bytes"),
        ]
        for (answer, words) in cases {
            let before = bench.requests(to: OpenIDBench.userInfoEndpoint).count
            let failure = expectFailure(.unavailable, try await logIn(answer), hiding: ["an access token"])
            #expect(failure?.isRetryable == true && failure?.description.contains(words) == true, "\(words)")
            #expect(failure?.description.contains("ada@") == false)
            #expect(bench.requests(to: OpenIDBench.userInfoEndpoint).count == before + 1)
        }
    }

    @Test(.rule("T-294"))
    func `an ID token that is refused causes no request`() async throws {
        let result = try await logIn(.json(Self.full)) { $0.claims["aud"] = "client-2" }
        expectFailure(.token, result)
        #expect(bench.requests(to: OpenIDBench.userInfoEndpoint).isEmpty)
    }

    @Test(
        .rule("T-294"),
        arguments: [nil, "http://api.issuer.example/userinfo", "https://a:b@issuer.example/", 1] as [TestJSON?]
    )
    func `a provider without an encrypted UserInfo endpoint is refused before the login`(endpoint: TestJSON?)
        async throws
    {
        let error = await #expect(throws: LoginManagerError.self) {
            try await bench.logins {
                $0.userInfo = .used
                $0.provider.cleartextHosts = ["api.issuer.example"]
            } metadata: {
                $0["userinfo_endpoint"] = endpoint
            }
        }
        #expect(error?.code == .provider && error?.setting == .userInfo)
        _ = try await bench.logins { _ in
        } metadata: {
            $0["userinfo_endpoint"] = endpoint
        }
    }
}
