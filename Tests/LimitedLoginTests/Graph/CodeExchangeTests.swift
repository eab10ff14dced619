// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The exchange of an authorization code for tokens.
@Suite struct CodeExchangeTests {
    let bench: GraphBench

    init() throws {
        bench = try GraphBench()
    }

    private func exchange(_ json: TestJSON, with bench: GraphBench) async throws -> CodeExchange {
        bench.answer("oauth/access_token", .json(json), method: .post)
        return try await bench.graph.exchange(
            code: "a+b&c=d",
            redirectURL: "https://app.example/done?x=1",
            verifier: "v-._~"
        )
    }

    private static let good: TestJSON = [
        "access_token": "EAAmade-up", "token_type": "bearer", "expires_in": 5_183_944, "id_token": "a.b.c",
    ]

    @Test func `the exchanged tokens are returned unchanged`() async throws {
        let tokens = try await exchange(Self.good, with: bench)
        #expect(tokens.accessToken == "EAAmade-up" && tokens.idToken == "a.b.c")
        #expect(tokens.lifetime == .seconds(5_183_944))
        #expect("\(tokens)" == "tokens for a code" && String(reflecting: tokens) == "tokens for a code")
    }

    @Test func `all parameters are in the body and none in the URL`() async throws {
        _ = try await exchange(Self.good, with: bench)
        let request = try #require(bench.transport.requests.first)
        #expect(request.url.description == "https://graph.facebook.com/v27.0/oauth/access_token")
        let body = String(decoding: request.body, as: UTF8.self)
        let start = "client_id=1234567890&redirect_uri=https%3A%2F%2Fapp.example%2Fdone%3Fx%3D1&code=a%2Bb%26c%3Dd"
        #expect(body == "\(start)&code_verifier=v-._~&client_secret=made-up-secret")
    }

    @Test func `a request without an app secret is authenticated by the code verifier only`() async throws {
        let bench = try GraphBench(secret: nil)
        _ = try await exchange(Self.good, with: bench)
        let body = String(decoding: try #require(bench.transport.requests.first).body, as: UTF8.self)
        #expect(body.hasSuffix("&code_verifier=v-._~"))
    }

    @Test func `ID token, type and lifetime can be missing`() async throws {
        let tokens = try await exchange(["access_token": "EAAmade-up"], with: bench)
        #expect(tokens.idToken == nil && tokens.lifetime == nil)
    }

    @Test(
        arguments: [
            ("access_token", nil), ("access_token", ""), ("access_token", 5), ("access_token", "a b"),
            ("token_type", "mac"), ("token_type", .null), ("expires_in", "3600"), ("expires_in", -1),
            ("expires_in", 2_147_483_648), ("expires_in", .null), ("id_token", 5), ("id_token", .null),
        ] as [(String, TestJSON?)]
    )
    func `an unreadable response is an error`(name: String, value: TestJSON?) async throws {
        var json = Self.good
        json[name] = value
        #expect(try await bench.failure { _ = try await exchange(json, with: bench) }.category == .unavailable)
    }

    @Test func `the token type is accepted in any letter case`() async throws {
        var json = Self.good
        json["token_type"] = "Bearer"
        #expect(try await exchange(json, with: bench).accessToken == "EAAmade-up")
    }

    @Test(arguments: [(36_007, "relogin"), (36_008, "app-configuration"), (36_009, "relogin")])
    func `an unusable code has its error category`(subcode: Int, category: String) async throws {
        bench.answer("oauth/access_token", GraphBench.error(100, .number("\(subcode)")), method: .post)
        let error = try await bench.failure {
            _ = try await bench.graph.exchange(code: "c", redirectURL: "https://app.example/", verifier: "v")
        }
        #expect(error.category.rawValue == category && bench.transport.requests.count == 1)
        #expect(!"\(error)".contains("made-up-secret"))
    }
}
