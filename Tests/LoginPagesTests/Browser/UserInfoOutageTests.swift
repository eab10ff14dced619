// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import HTTPTypes
import LoginAccounts
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP
@testable import LoginPages

/// Logins in browsers whose provider answers no request to its UserInfo endpoint.
@Suite(.rule("T-294")) struct UserInfoOutageTests {
    private static let userInfoEndpoint = "https://issuer.example/userinfo"

    private let issuer = TestIssuer()
    private let transport = StubTransport()
    private let logins: BrowserLogin

    init() throws {
        transport.answer(
            "https://issuer.example/.well-known/openid-configuration",
            with: .json([
                "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
                "authorization_endpoint": "https://issuer.example/authorize",
                "token_endpoint": "https://issuer.example/token", "userinfo_endpoint": .string(Self.userInfoEndpoint),
            ])
        )
        let corp = SignInProvider.openID(
            "corp",
            issuer: "https://issuer.example",
            clientID: issuer.audience,
            clientSecret: "s3cr3t"
        )
        let auth = Auth(
            store: InMemoryAccountStore(),
            providers: try SignInProviders(
                [corp.with { $0.userInfo = .used }],
                keys: issuer.keys,
                transport: transport,
                clock: issuer.clock
            ),
            secrets: PageBench.secrets,
            clock: issuer.clock
        )
        logins = BrowserLogin(auth: auth, publicURL: PageBench.publicURL)
    }

    private func signIn() async throws -> BrowserLogin.Outcome {
        let started = try await logins.begin(.signIn, at: "corp", returnTo: nil)
        let query = started.url.drop { $0 != "?" }.dropFirst()
        let sent = try #require(FormFields(reading: query.utf8))
        let token = issuer.token(nonce: sent.only("nonce"))
        transport.answer(
            "https://issuer.example/token",
            with: .json(["access_token": "secret", "token_type": "Bearer", "id_token": .string(token)])
        )
        return try await logins.finish(
            LoginCallback(query: "code=c0de&state=\(sent.only("state") ?? "")"),
            at: "corp",
            started.pendingLogin,
            session: nil,
            from: RequestOrigin(address: "198.51.100.7")
        )
    }

    @Test func `a UserInfo endpoint that is down is a provider that is down, until it answers`() async throws {
        transport.answer(Self.userInfoEndpoint, with: .failure(.connection))
        let failure = await #expect(throws: BrowserLogin.Failure.self) { try await signIn() }
        #expect(failure?.problem.status == .serviceUnavailable && failure?.endsAttempt == true)
        #expect(failure?.problem.code.rawValue == "provider-unavailable" && failure?.reason?.isRetryable == true)
        transport.answer(Self.userInfoEndpoint, with: .json(["sub": "1000000000000001"]))
        guard case .signIn(let outcome, _) = try await signIn() else {
            Issue.record("no sign-in")
            return
        }
        // The failed login made no account.
        #expect(try outcome.get().outcome == .created)
    }

    @Test func `a UserInfo response about another subject is no outage`() async throws {
        transport.answer(Self.userInfoEndpoint, with: .json(["sub": "1000000000000009"]))
        let failure = await #expect(throws: BrowserLogin.Failure.self) { try await signIn() }
        #expect(failure?.problem.status == .unauthorized && failure?.reason?.code == .userMismatch)
    }
}
#endif
