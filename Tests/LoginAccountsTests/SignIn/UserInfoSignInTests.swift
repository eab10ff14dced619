// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginAccounts

/// Sign-ins by browser at a provider whose ID tokens are thin, and whose UserInfo endpoint has the name and the address.
@Suite(.rule("T-293")) struct UserInfoSignInTests {
    private static let corp = ProviderID("corp")

    private let issuer = TestIssuer()
    private let transport = StubTransport()

    private func fixture(_ store: any AccountStore) async throws -> AuthFixture {
        try await AuthFixture(
            store,
            policy: AuthPolicy(storesProfiles: true),
            clock: issuer.clock,
            keys: issuer.keys,
            transport: transport
        ) { providers in
            let corp = SignInProvider.openID(
                Self.corp,
                issuer: "https://issuer.example",
                clientID: "client-1",
                clientSecret: "s3cr3t"
            ).with {
                $0.userInfo = .used
                $0.emailTrust = .verifiedClaim(domains: ["corp.example"])
            }
            providers = [corp]
        }
    }

    /// Logs in with a browser.
    private func logIn(
        _ fixture: AuthFixture,
        userInfo: StubTransport.Answer,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> LoginResult {
        transport.answer(
            "https://issuer.example/.well-known/openid-configuration",
            with: .json([
                "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
                "authorization_endpoint": "https://issuer.example/authorize",
                "token_endpoint": "https://issuer.example/token",
                "userinfo_endpoint": "https://issuer.example/userinfo",
            ])
        )
        transport.answer("https://issuer.example/userinfo", with: userInfo)
        let logins = try await fixture.auth.providers.loginManager(
            for: Self.corp,
            redirectURL: "https://login.example.com/login/corp/callback",
            attempts: fixture.auth.attempts
        )
        let started = try await logins.begin(purpose: .signIn)
        let query = started.url.drop { $0 != "?" }.dropFirst()
        let seen = try #require(FormFields(reading: query.utf8))
        let token = issuer.token(nonce: seen.only("nonce"), change)
        transport.answer(
            "https://issuer.example/token",
            with: .json(["access_token": "a", "token_type": "Bearer", "id_token": .string(token)])
        )
        let callback = LoginCallback(parameters: [("state", seen.only("state") ?? ""), ("code", "c0de")])
        return try await logins.finish(callback, purpose: .signIn, secret: started.secret)
    }

    private func signIn(
        _ fixture: AuthFixture,
        userInfo: TestJSON,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> AuthDataResult {
        guard case .success(let login) = try await logIn(fixture, userInfo: .json(userInfo), change) else {
            Issue.record("the login failed")
            throw CancellationError()
        }
        return try await fixture.auth.signIn(with: .identity(login.identity)).get()
    }

    private func answer(_ email: String, isVerified: TestJSON? = true) -> TestJSON {
        var answer: TestJSON = ["sub": "1000000000000001", "name": "Ada Example", "email": .string(email)]
        answer["email_verified"] = isVerified
        return answer
    }

    @Test(arguments: StoreUnderTest.all)
    func `the account, the result and the stored profile have the claims of the UserInfo endpoint`(
        _ store: StoreUnderTest
    ) async throws {
        let fixture = try await fixture(store.make())
        let result = try await signIn(fixture, userInfo: answer("ada@corp.example"))
        #expect(result.account.email == "ada@corp.example" && result.account.isEmailVerified)
        #expect(result.account.displayName == "Ada Example")
        let stored = try await result.session.storedIdentity()
        for claims in [result.identity?.claims, stored?.claims] {
            #expect(claims?["email"]?.string == "ada@corp.example" && claims?["name"]?.string == "Ada Example")
            #expect(claims?.subject == "1000000000000001")
        }
    }

    @Test(
        arguments: [
            ("ada@corp.example", true, true), ("ada@corp.example", "true", true), ("ada@corp.example", false, false),
            ("ada@corp.example", nil, false), ("ada@corp.example", 1, false), ("ada@other.example", true, false),
        ] as [(String, TestJSON?, Bool)]
    )
    func `an address of the UserInfo endpoint is trusted as one of the ID token would be`(
        email: String,
        flag: TestJSON?,
        isVerified: Bool
    ) async throws {
        let fixture = try await fixture(InMemoryAccountStore())
        let result = try await signIn(fixture, userInfo: answer(email, isVerified: flag))
        #expect(result.account.email == email && result.account.isEmailVerified == isVerified)
    }

    @Test func `the UserInfo endpoint never verifies an address of the ID token`() async throws {
        let fixture = try await fixture(InMemoryAccountStore())
        let result = try await signIn(fixture, userInfo: answer("ada@corp.example")) {
            $0.claims["email"] = "ceo@corp.example"
        }
        #expect(result.account.email == "ceo@corp.example" && !result.account.isEmailVerified)
    }

    @Test(.rule("T-294"), arguments: StoreUnderTest.all)
    func `a failure of the UserInfo endpoint, or another subject, makes no account`(_ store: StoreUnderTest)
        async throws
    {
        let fixture = try await fixture(store.make())
        let another: TestJSON = ["sub": "1000000000000009", "email": "eve@corp.example", "email_verified": true]
        for (userInfo, code) in [
            (.failure(.deadline), .unavailable), (.json(another), .userMismatch),
        ] as [(StubTransport.Answer, LoginFailure.Code)] {
            guard case .failed(let failure) = try await logIn(fixture, userInfo: userInfo) else {
                Issue.record("accepted")
                continue
            }
            #expect(failure.code == code)
        }
        #expect(try await fixture.count(AccountRecord.self) == 0)
    }
}
