// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
internal import LoginTesting
internal import LoginTokens

/// A server with logins at one OpenID provider with discovery, whose declaration a test changes.
struct OpenIDBench {
    static let tokenEndpoint = "https://login.issuer.example/token"
    static let userInfoEndpoint = "https://api.issuer.example/userinfo"

    let issuer = TestIssuer()
    let transport = StubTransport()

    /// Returns the declaration, with a client secret.
    func provider(_ change: (inout SignInProvider) -> Void = { _ in }) -> SignInProvider {
        SignInProvider.openID("corp", issuer: "https://issuer.example", clientID: "client-1", clientSecret: "s3cr3t")
            .with(change)
    }

    /// Returns the providers of the server.
    func providers(_ change: (inout SignInProvider) -> Void = { _ in }) throws -> SignInProviders {
        try SignInProviders([provider(change)], keys: issuer.keys, transport: transport, clock: issuer.clock)
    }

    /// Returns the logins, with a discovery document that the test may change.
    func logins(
        _ change: (inout SignInProvider) -> Void = { _ in },
        metadata changeDocument: (inout TestJSON) -> Void = { _ in }
    ) async throws -> LoginManager {
        var document: TestJSON = [
            "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://login.issuer.example/authorize",
            "token_endpoint": .string(Self.tokenEndpoint), "userinfo_endpoint": .string(Self.userInfoEndpoint),
            "code_challenge_methods_supported": ["S256"],
        ]
        changeDocument(&document)
        transport.answer("https://issuer.example/.well-known/openid-configuration", with: .json(document))
        return try await providers(change).loginManager(
            for: "corp",
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(clock: issuer.clock)
        )
    }

    /// Logs in with a valid token, which the test may change.
    func logIn(
        _ logins: LoginManager,
        _ request: LoginRequest? = nil,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> (result: LoginResult, url: [String: String]) {
        let started = try await logins.begin(request, purpose: .signIn)
        let seen = try parameters(of: started.url)
        let token = issuer.token(nonce: seen["nonce"], change)
        transport.answer(
            Self.tokenEndpoint,
            with: .json(["access_token": "an access token", "token_type": "Bearer", "id_token": .string(token)])
        )
        let callback = LoginCallback(parameters: [("state", seen["state"] ?? ""), ("code", "c0de-of-the-provider")])
        return (try await logins.finish(callback, purpose: .signIn, secret: started.secret), seen)
    }

    /// The requests to an endpoint.
    func requests(to url: String) -> [TransportRequest] {
        transport.requests.filter { $0.url.description == url }
    }
}
