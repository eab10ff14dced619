// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
import Foundation
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

/// The redirect URI of an app on the user's machine, over sockets.
@Suite struct LoopbackListenerTests {
    private func login(at listener: LoopbackListener) throws -> NativeAppLogin {
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        let metadata: TestJSON = [
            "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": "https://issuer.example/token",
        ]
        return try NativeAppLogin(
            provider: provider,
            metadata: ProviderMetadata(json: metadata.text, provider: provider),
            clientID: "tool",
            redirectURL: listener.redirectURL,
            nonce: "n1"
        )
    }

    /// Waits for the response of a login.
    private func outcome(
        of login: NativeAppLogin,
        at listener: LoopbackListener,
        _ transport: StubTransport = StubTransport()
    ) async throws(LoginFailure) -> NativeAppLogin.Outcome? {
        try await listener.response { query throws(LoginFailure) in
            try await login.outcome(of: LoginCallback(query: query), transport: transport)
        }
    }

    private func state(of login: NativeAppLogin) throws -> String {
        try #require(URLComponents(string: login.url)?.queryItems?.first { $0.name == "state" }?.value)
    }

    /// Requests the redirect URI, and returns the status of the response.
    private func visit(_ redirectURL: String, _ query: String) async throws -> Int {
        let url = try EndpointURL("\(redirectURL)?\(query)", allowsLoopbackHTTP: true)
        let request = TransportRequest(url: url, responseLimit: 1024, deadline: .seconds(20))
        return try await AsyncHTTPClientTransport().send(request).status
    }

    @Test func `the response of another login is refused, and that of the login ends the wait`() async throws {
        try await LoopbackListener.run { listener in
            let login = try login(at: listener)
            let wait = Task { try await outcome(of: login, at: listener) }
            #expect(try await visit(listener.redirectURL, "code=c&state=another") == 400)
            #expect(try await visit(listener.redirectURL, "error=access_denied&state=\(state(of: login))") == 200)
            guard case .cancelled? = try await wait.value else {
                Issue.record("the login was not cancelled")
                return
            }
        }
    }

    @Test func `a code is exchanged for the ID token before the browser is answered`() async throws {
        let transport = StubTransport()
        transport.answer(
            "https://issuer.example/token",
            with: .json(["access_token": "a", "token_type": "Bearer", "id_token": "eyJ"])
        )
        try await LoopbackListener.run { listener in
            let login = try login(at: listener)
            let wait = Task { try await outcome(of: login, at: listener, transport) }
            #expect(try await visit(listener.redirectURL, "code=c&state=\(state(of: login))") == 200)
            guard case .idToken(let idToken, let tokens)? = try await wait.value else {
                Issue.record("there is no ID token")
                return
            }
            #expect(idToken == "eyJ" && tokens.accessToken == "a")
        }
    }

    @Test func `a login that fails is reported to the browser`() async throws {
        try await LoopbackListener.run { listener in
            let login = try login(at: listener)
            let wait = Task { try await outcome(of: login, at: listener) }
            #expect(try await visit(listener.redirectURL, "error=access_denied") == 400)
            await #expect(throws: LoginFailure.self) { try await wait.value }
        }
    }

    @Test func `the wait ends when its time is over`() async throws {
        try await LoopbackListener.run { listener in
            #expect(await listener.response(within: .zero) { query in query } == nil)
        }
    }

    @Test func `the port is closed afterwards, and one that is in use is refused`() async throws {
        let redirectURL = try await LoopbackListener.run { listener in
            let port = try #require(URLComponents(string: listener.redirectURL)?.port)
            let error = await #expect(throws: TransportFailure.self) {
                try await LoopbackListener.run(port: port) { _ in }
            }
            #expect(error?.detail == "cannot listen on port \(port) of 127.0.0.1")
            return listener.redirectURL
        }
        await #expect(throws: TransportFailure.self) { try await visit(redirectURL, "code=c") }
    }
}
#endif
