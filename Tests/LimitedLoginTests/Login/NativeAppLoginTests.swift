// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

@Suite struct NativeAppLoginTests {
    private let transport = StubTransport()

    private func login(_ change: (inout TestJSON) -> Void = { _ in }) throws -> NativeAppLogin {
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
            redirectURL: "http://127.0.0.1:4711/callback",
            nonce: "n-of-the-service"
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
        let other = try await login.outcome(of: LoginCallback(query: "code=c&state=x"), transport: transport)
        #expect(other == .otherLogin)
        let outcome = try await login.outcome(of: LoginCallback(query: "code=c&state=\(state)"), transport: transport)
        #expect(outcome == .idToken("eyJ"))
        #expect(!"\(outcome) \(login)".contains("eyJ") && !"\(login)".contains(state))
        let denied = LoginCallback(query: "error=access_denied&state=\(state)")
        #expect(try await login.outcome(of: denied, transport: transport) == .cancelled)
    }

    @Test func `an error without a state ends the login, and one with another state does not`() async throws {
        let login = try login()
        let failure = await #expect(throws: LoginFailure.self) {
            try await login.outcome(of: LoginCallback(query: "error=access_denied"), transport: transport)
        }
        #expect(failure?.code == .providerError)
        let other = LoginCallback(query: "error=access_denied&state=x")
        #expect(try await login.outcome(of: other, transport: transport) == .otherLogin)
        let success = LoginCallback(query: "code=c")
        #expect(try await login.outcome(of: success, transport: transport) == .otherLogin)
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
