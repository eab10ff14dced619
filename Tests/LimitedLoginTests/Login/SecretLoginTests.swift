// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Providers that sign ID tokens with a secret of the client (OpenID Connect Core §10.1), such as LINE for the web.
@Suite struct SecretLoginTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let channel = "1234567890"

    private let line = TestIssuer(provider: .line, audience: channel, key: TestKey(.es256))
    private let transport = StubTransport()

    private func providers(_ declared: [SignInProvider]? = nil) throws -> SignInProviders {
        try SignInProviders(
            declared ?? [.line(channelID: Self.channel, channelSecret: Self.secret)],
            keys: line.keys,
            transport: transport,
            clock: line.clock
        )
    }

    /// Logs in with a browser, for which the token endpoint returns this token.
    private func logIn(_ providers: SignInProviders, _ change: (inout TestToken) -> Void) async throws -> LoginResult {
        transport.answer(
            "https://access.line.me/.well-known/openid-configuration",
            with: .json([
                "issuer": "https://access.line.me", "jwks_uri": "https://api.line.me/oauth2/v2.1/certs",
                "authorization_endpoint": "https://access.line.me/oauth2/v2.1/authorize",
                "token_endpoint": "https://api.line.me/oauth2/v2.1/token",
                "id_token_signing_alg_values_supported": ["ES256"],
            ])
        )
        let logins = try await providers.loginManager(
            for: .line,
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(clock: line.clock)
        )
        let started = try await logins.begin(purpose: .signIn)
        let seen = try parameters(of: started.url)
        transport.answer(
            "https://api.line.me/oauth2/v2.1/token",
            with: .json([
                "access_token": "a", "token_type": "Bearer",
                "id_token": .string(line.token(nonce: seen["nonce"], change)),
            ])
        )
        let callback = LoginCallback(parameters: [("state", seen["state"] ?? ""), ("code", "c0de")])
        return try await logins.finish(callback, purpose: .signIn, secret: started.secret)
    }

    private func sign(_ token: inout TestToken) {
        token.header = ["typ": "JWT", "alg": "HS256"]
        token.signing = .hmac(secret: Array(Self.secret.utf8))
    }

    /// Returns the code of the refusal of a token that an app sends; nil if it is accepted.
    private func verdict(_ providers: SignInProviders, _ change: (inout TestToken) -> Void) async -> VerificationCode? {
        do throws(VerificationError) {
            let entry = providers.entry(.line)
            _ = try await entry?.verifier.verify(line.token(nonce: "n-1", change), nonce: .exactly("n-1"))
            return nil
        } catch {
            return error.code
        }
    }

    @Test(.rule("T-277"))
    func `at LINE the channel secret verifies web logins, and a key the tokens of apps`() async throws {
        let providers = try providers()
        let login = try success(try await logIn(providers, sign))
        #expect(login.identity.subject == "1000000000000001" && login.identity.providerID == .line)
        #expect(await verdict(providers) { _ in } == nil)
    }

    @Test(.rule("T-277"))
    func `at LINE the way to log in decides, and not the header`() async throws {
        let providers = try providers()
        #expect(await verdict(providers, sign) == .algorithm)
        let result = try await logIn(providers) { _ in }
        #expect(expectFailure(.token, result)?.refusal?.code == .algorithm)
        let renamed = try await logIn(providers) { $0.header["alg"] = "HS256" }
        #expect(expectFailure(.token, renamed)?.refusal?.code == .signature)
    }

    @Test(.rule("T-277"))
    func `two declarations with one issuer verify its tokens with the secret and with a key`() async throws {
        let secret = try SharedSecret(Self.secret, algorithm: .hs256)
        let web = try SignInProvider(
            "line-web",
            provider: .line,
            displayName: "LINE",
            clientID: Self.channel,
            authentication: .post(secret: Self.secret),
            request: .openID(scopes: ["profile"])
        ).with {
            $0.browserSecret = secret
            $0.appSecret = secret
        }
        let app = try SignInProvider.line(channelID: Self.channel)
        #expect(!web.usesKeys && app.usesKeys && !app.offersBrowserLogin)
        let providers = try providers([web, app])
        let signed = line.token(nonce: "n-1", sign)
        let entry = try #require(providers.entry("line-web"))
        _ = try await entry.verifier.verify(signed, nonce: .exactly("n-1"))
        #expect(await verdict(providers) { _ in } == nil)
        #expect(await verdict(providers, sign) == .algorithm)
    }

    @Test(.rule("T-276"))
    func `a declaration with a secret for several clients, of a public client, or the client ID, is refused`() throws {
        let secret = try SharedSecret(Self.secret, algorithm: .hs256)
        func check(
            _ authentication: ClientAuthentication,
            clientID: String = "web",
            _ change: (inout SignInProvider) -> Void
        ) -> String? {
            var provider = SignInProvider.openID("corp", issuer: "https://corp.example", clientID: clientID)
            provider.authentication = authentication
            change(&provider)
            do {
                _ = try providers([provider])
                return nil
            } catch {
                return "\(error)"
            }
        }
        #expect(check(.basic(secret: Self.secret)) { $0.browserSecret = secret } == nil)
        #expect(check(.basic(secret: Self.secret)) { $0.appSecret = secret } == nil)
        let several = check(.basic(secret: Self.secret)) { provider in
            provider.appSecret = secret
            provider.appClientIDs = ["web", "app"]
        }
        #expect(several?.contains("one client") == true)
        #expect(check(.none) { $0.browserSecret = secret }?.contains("public client") == true)
        for member in [\SignInProvider.browserSecret, \.appSecret] {
            let same = check(.basic(secret: Self.secret), clientID: Self.secret) { $0[keyPath: member] = secret }
            #expect(same?.contains("no secrets") == true)
        }
    }

    @Test(.rule("T-270"))
    func `a channel secret that is too short is refused`() {
        #expect(throws: PolicyError.self) {
            try SignInProvider.line(channelID: Self.channel, channelSecret: String(Self.secret.dropLast()))
        }
    }
}
