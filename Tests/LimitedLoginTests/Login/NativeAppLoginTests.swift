// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

@Suite struct NativeAppLoginTests {
    private let transport = StubTransport()

    private func login(
        redirectURL: String = "http://127.0.0.1:4711/callback",
        nonce: String = "n-of-the-service",
        request: LoginRequest? = nil,
        _ change: (inout TestJSON) -> Void = { _ in }
    ) throws -> NativeAppLogin {
        var json: TestJSON = [
            "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": "https://issuer.example/token",
        ]
        change(&json)
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        return try NativeAppLogin(
            provider: provider,
            metadata: ProviderMetadata(json: json.text, provider: provider),
            clientID: "tool",
            redirectURL: redirectURL,
            nonce: nonce,
            request: request
        )
    }

    @Test func `a login sends the nonce of the service and returns the ID token`() async throws {
        let login = try login()
        let seen = try parameters(of: login.url)
        #expect(seen["nonce"] == "n-of-the-service" && seen["redirect_uri"] == "http://127.0.0.1:4711/callback")
        #expect(seen["code_challenge_method"] == "S256" && seen["client_id"] == "tool")
        transport.answer(
            "https://issuer.example/token",
            with: .json(["access_token": "a", "token_type": "Bearer", "id_token": "eyJ"])
        )
        let state = seen["state"] ?? ""
        #expect(try await kind(of: "code=c&state=x", login) == nil)
        let outcome = try await login.outcome(of: LoginCallback(query: "code=c&state=\(state)"), transport: transport)
        guard case .idToken(let idToken, let tokens)? = outcome else {
            Issue.record("there is no ID token")
            return
        }
        #expect(idToken == "eyJ" && tokens.accessToken == "a")
        #expect(!"\(String(describing: outcome)) \(login)".contains("eyJ") && !"\(login)".contains(state))
        #expect(try await kind(of: "error=access_denied&state=\(state)", login) == "cancelled")
    }

    /// Returns the kind of the outcome of a callback with this query; nil if it belongs to another login.
    private func kind(of query: String, _ login: NativeAppLogin) async throws -> String? {
        try await login.outcome(of: LoginCallback(query: query), transport: transport)?.description
    }

    @Test func `an error without a state ends the login, and one with another state does not`() async throws {
        let login = try login()
        let failure = await #expect(throws: LoginFailure.self) {
            try await login.outcome(of: LoginCallback(query: "error=access_denied"), transport: transport)
        }
        #expect(failure?.code == .providerError)
        for query in ["error=access_denied&state=x", "code=c"] {
            #expect(try await kind(of: query, login) == nil)
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:4711/callback", true), ("http://[::1]:4711/callback", true),
        ("https://app.example/callback", true), ("com.example.tool:/callback", true),
        ("http://app.example/callback", false), ("tool:/callback", false), ("com.example.tool", false), ("", false),
    ])
    func `the redirect URI is one that only the app receives`(_ redirectURL: String, _ isAccepted: Bool) throws {
        do {
            _ = try login(redirectURL: redirectURL)
            #expect(isAccepted)
        } catch let error as LoginManagerError {
            #expect(!isAccepted && error.code == .redirectURL)
        }
    }

    @Test func `an empty or long nonce, and a response mode without a query, are refused`() throws {
        for nonce in ["", String(repeating: "n", count: 257)] {
            let error = #expect(throws: LoginManagerError.self) { try login(nonce: nonce) }
            #expect(error?.code == .request)
        }
        var request = try LoginRequest.openID()
        request.responseMode = .formPost
        let error = #expect(throws: LoginManagerError.self) { try login(request: request) }
        #expect(error?.code == .request)
    }

    @Test func `a response of another issuer and a provider without PKCE are refused`() async throws {
        let login = try login { $0["authorization_response_iss_parameter_supported"] = true }
        let state = try parameters(of: login.url)["state"] ?? ""
        for query in ["code=c&state=\(state)", "code=c&state=\(state)&iss=https://other.example"] {
            await #expect(throws: LoginFailure.self) {
                try await login.outcome(of: LoginCallback(query: query), transport: transport)
            }
        }
        #expect(throws: LoginManagerError.self) {
            try self.login { $0["code_challenge_methods_supported"] = ["plain"] }
        }
        // Many providers accept public clients without listing them.
        _ = try self.login { $0["token_endpoint_auth_methods_supported"] = ["client_secret_basic"] }
    }
}
