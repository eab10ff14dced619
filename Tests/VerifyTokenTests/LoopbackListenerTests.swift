// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginKeys
internal import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

@testable internal import verify_token

/// The redirect URI of `verify-token login`.
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

    /// Requests the redirect URI, and returns the status of the response.
    private func visit(_ listener: LoopbackListener, _ query: String) async throws -> Int {
        let url = try EndpointURL("\(listener.redirectURL)?\(query)", allowsLoopbackHTTP: true)
        let request = TransportRequest(url: url, responseLimit: 1024, deadline: .seconds(20))
        return try await AsyncHTTPClientTransport().send(request).status
    }

    @Test func `the response of another login is refused, and that of the login ends the wait`() async throws {
        let listener = try await LoopbackListener(port: 0)
        let login = try login(at: listener)
        let state = try #require(
            URLComponents(string: login.url)?.queryItems?.first { $0.name == "state" }?.value
        )
        let wait = Task { try await listener.outcome(of: login, transport: StubTransport()) }
        #expect(try await visit(listener, "code=c&state=another") == 400)
        #expect(try await visit(listener, "error=access_denied&state=\(state)") == 200)
        #expect(try await wait.value == .cancelled)
        await listener.close()
    }

    @Test func `a login that fails is reported to the browser`() async throws {
        let listener = try await LoopbackListener(port: 0)
        let login = try login(at: listener)
        let wait = Task { try await listener.outcome(of: login, transport: StubTransport()) }
        #expect(try await visit(listener, "error=access_denied") == 400)
        await #expect(throws: LoginFailure.self) { try await wait.value }
        await listener.close()
    }

    @Test(arguments: [(-60.0, 300), (600, 600), (86_400, 3600)])
    func `the wait lasts until the attempt expires, at least five minutes and at most an hour`(
        expiry: Double,
        seconds: Int
    ) {
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        #expect(LoopbackListener.timeout(until: now + expiry, now: now) == .seconds(seconds))
    }

    @Test func `the wait ends when its time is over`() async throws {
        let listener = try await LoopbackListener(port: 0)
        listener.endWait(after: .zero)
        let outcome = try await listener.outcome(of: login(at: listener), transport: StubTransport())
        #expect(outcome == nil)
        await listener.close()
    }
}
#endif
