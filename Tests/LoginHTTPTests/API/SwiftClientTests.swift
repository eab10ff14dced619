// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginClient
import LoginHTTP
import LoginTesting
import LoginTokens
import Testing

/// The client of the module `LoginClient` against the API.
@Suite struct SwiftClientTests {
    /// Sends requests to the server of a test.
    private struct Transport: LoginClientTransport {
        let service = "https://login.example.com"
        let server: TestServer

        func send(_ request: LoginClientRequest) async throws -> LoginClientResponse {
            var headers = HTTPFields()
            for (name, value) in request.headers { headers[try #require(HTTPField.Name(name))] = value }
            let response = try await server.send(
                try #require(HTTPRequest.Method(request.method)),
                request.path,
                headers,
                body: request.body ?? []
            )
            return LoginClientResponse(
                status: response.status.code,
                headers: Dictionary(response.headers.map { ($0.name.rawName, $0.value) }) { first, _ in first },
                body: response.body.bytes
            )
        }
    }

    @Test func `a client session signs in, refreshes, reopens with its cached tokens and signs out`() async throws {
        let fixture = try await LoginFixture(
            policy: AuthPolicy(sessions: SessionPolicy(tokenLifetime: .seconds(600)))
        )
        try await fixture.run { client in
            let (cache, transport) = (InMemoryTokenCache(), Transport(server: client.server))
            let session = ClientSession(transport: transport, caching: cache, now: { fixture.clock.now })
            let attempt = try await session.begin(provider: "google")
            let idToken = fixture.google.token(nonce: attempt.nonce)
            let outcome = try await session.signIn(with: .idToken(idToken, attempt: attempt))
            guard case .signedIn(let result) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let account = result.account
            #expect(result.outcome == .created && result.identity?.provider == "google")
            let notes = try await session.send(LoginClientRequest("GET", "/notes"))
            #expect(String(decoding: notes.body, as: UTF8.self) == account.id)
            // The lifetime varies by 5 %.
            fixture.clock.advance(by: .seconds(631))
            #expect(try await session.account().id == account.id)
            #expect(await session.state == .openTokenExtended)
            try await session.closeKeepingTokens()

            let next = ClientSession(transport: transport, caching: cache, now: { fixture.clock.now })
            #expect(try await next.load() == .createdTokenLoaded)
            try await next.open()
            let token = try #require(await cache.fetch()).sessionToken
            #expect(try await next.account().id == account.id)
            try await next.signOut()
            #expect(await cache.fetch() == nil)
            try await client.refused(.invalidUserToken, .get, "/v1/account", bearer: token)
        }
    }

    @Test func `a token for another attempt fails the sign-in with the code of the service`() async throws {
        let fixture = try await LoginFixture()
        try await fixture.run { client in
            let session = ClientSession(transport: Transport(server: client.server))
            let attempt = try await session.begin(provider: "google")
            let idToken = fixture.google.token(nonce: "another")
            let error = await #expect(throws: LoginClientError.self) {
                try await session.signIn(with: .idToken(idToken, attempt: attempt))
            }
            #expect(error?.code.rawValue == AuthError.Code.missingOrInvalidNonce.rawValue && error?.requestID != nil)
            #expect(await session.state == .closedLoginFailed)
        }
    }
}
#endif
