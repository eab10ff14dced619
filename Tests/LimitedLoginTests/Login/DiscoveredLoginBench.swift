// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import LoginTokens
internal import TestSupport
internal import Testing

/// A provider with a discovery document, at which the tests log in.
struct DiscoveredLoginBench {
    let issuer: TestIssuer
    let transport = StubTransport()

    init(_ issuer: TestIssuer = TestIssuer()) { self.issuer = issuer }

    static let host = "https://issuer.example"
    static let tokenEndpoint = "\(host)/token"

    /// Publishes the discovery document, which a test may change.
    func publish(
        at url: String = "\(Self.host)/.well-known/openid-configuration",
        _ change: (inout TestJSON) -> Void = { _ in }
    ) {
        var document: TestJSON = [
            "issuer": .string(issuer.provider.documents.discoveryIssuer ?? issuer.provider.issuers[0]),
            "jwks_uri": .string("\(Self.host)/keys"),
            "authorization_endpoint": .string("\(Self.host)/authorize"),
            "token_endpoint": .string(Self.tokenEndpoint),
        ]
        change(&document)
        transport.answer(url, with: .json(document))
    }

    /// Returns the providers of a server with this one.
    func providers(_ provider: SignInProvider) throws -> SignInProviders {
        try SignInProviders([provider], keys: issuer.keys, transport: transport, clock: issuer.clock)
    }

    /// Returns an OpenID Connect provider.
    func provider(secret: String? = nil, _ change: (inout SignInProvider) -> Void = { _ in }) -> SignInProvider {
        .openID("corp", issuer: issuer.provider.issuers[0], clientID: issuer.audience, clientSecret: secret)
            .with(change)
    }

    /// Logs in with a browser.
    func logIn(
        _ provider: SignInProvider,
        expecting userID: String? = nil,
        callback further: [(name: String, value: String)] = [],
        token: (inout TestToken) -> Void = { _ in },
        answer change: (inout TestJSON) -> Void = { _ in }
    ) async throws -> LoginResult {
        let logins = try await providers(provider).loginManager(
            for: provider.id,
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(clock: issuer.clock)
        )
        let started = try await logins.begin(purpose: .signIn, expecting: userID)
        let seen = try parameters(of: started.url)
        var answer: TestJSON = [
            "access_token": "an access token", "token_type": "Bearer",
            "id_token": .string(issuer.token(nonce: seen["nonce"], token)),
        ]
        change(&answer)
        transport.answer(Self.tokenEndpoint, with: .json(answer))
        let fields = [(name: "state", value: seen["state"] ?? ""), (name: "code", value: "c0de")]
        return try await logins.finish(
            LoginCallback(parameters: fields + further),
            purpose: .signIn,
            secret: started.secret
        )
    }

    /// The form of the latest token request.
    func tokenForm() throws -> FormFields {
        let request = try #require(transport.requests.last { $0.url.description == Self.tokenEndpoint })
        return try #require(FormFields(reading: request.body))
    }

    /// The credentials in the header of the latest token request; nil without any.
    func tokenCredentials() -> String? {
        let request = transport.requests.last { $0.url.description == Self.tokenEndpoint }
        return request?.headers.first { $0.name == "Authorization" }?.value
    }
}
