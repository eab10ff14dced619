// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LimitedLoginTesting
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The authorization request to Facebook.
@Suite struct AuthorizationURLTests {
    private static let live = "https://www.facebook.com/v27.0/dialog/oauth?"
    private static let liveLimited = "https://limited.facebook.com/v27.0/dialog/oauth?"

    private func url(
        _ request: LoginRequest,
        graphVersion: String = "v27.0",
        endpoints: FacebookEndpoints = .live
    ) async throws -> String {
        let facebook = TestIssuer.facebook()
        let app = try FacebookApp(id: facebook.audience, graphVersion: graphVersion, endpoints: endpoints)
        let logins = try LoginManager(
            provider: .facebook(app, tracking: .enabled),
            metadata: nil,
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(),
            verification: LoginManager.Verification(keys: facebook.keys),
            transport: StubTransport()
        )
        return try await logins.begin(request, purpose: .signIn).url
    }

    @Test(.rule("F5.1"))
    func `each login mode has its dialog URL, with the version of the app`() async throws {
        #expect(try await url(.facebook(tracking: .enabled)).hasPrefix(Self.live))
        #expect(try await url(.facebook(tracking: .limited)).hasPrefix(Self.liveLimited))
        let later = try await url(.facebook(tracking: .limited), graphVersion: "v28.1")
        #expect(later.hasPrefix("https://limited.facebook.com/v28.1/dialog/oauth?"))
    }

    @Test(
        .rule("F5.1"),
        arguments: ["https://facebook.invalid", "https://facebook.invalid/", "https://facebook.invalid/a"]
    )
    func `a custom dialog URL can have a path, with or without a trailing slash`(base: String) async throws {
        var endpoints = FacebookEndpoints.live
        endpoints.dialog = try EndpointURL(base)
        let expected = base + (base.hasSuffix("/") ? "" : "/") + "v27.0/dialog/oauth?"
        #expect(try await url(.facebook(tracking: .enabled), endpoints: endpoints).hasPrefix(expected))
    }

    @Test(.rule("F5.2", "F5.7"))
    func `a login with tracking requests a code with PKCE and sends no parameters of a phone`()
        async throws
    {
        let request = try LoginRequest.facebook(permissions: [.email], tracking: .enabled, messengerPageID: "42")
        let seen = try parameters(of: try await url(request))
        #expect(seen["response_type"] == "code")
        #expect(seen["code_challenge_method"] == "S256")
        #expect(seen["code_challenge"]?.utf8.count == 43)
        #expect(seen["client_id"] == "1234567890")
        #expect(seen["return_scopes"] == "true")
        #expect(seen["auth_type"] == "rerequest")
        #expect(seen["messenger_page_id"] == "42")
        let names: Set = [
            "client_id", "redirect_uri", "state", "response_type", "scope", "nonce", "return_scopes", "auth_type",
            "messenger_page_id", "code_challenge", "code_challenge_method",
        ]
        #expect(Set(seen.keys) == names)
    }

    @Test(.rule("F5.7", "F5.8"))
    func `Limited Login requests only an ID token without tracking, and has no code challenge`()
        async throws
    {
        let seen = try parameters(of: try await url(try .facebook(tracking: .limited)))
        #expect(seen["response_type"] == "id_token")
        #expect(seen["tp"] == "ios_14_do_not_track")
        #expect(seen["code_challenge"] == nil)
        #expect(seen["code_challenge_method"] == nil)
        #expect(seen["is_limited_login_shim"] == nil)
        #expect(seen["dpop_jkt"] == nil)
    }

    @Test(.rule("F5.3"))
    func `openid is always requested once, and scopes are comma-separated and sorted`() async throws {
        let none = try parameters(of: try await url(try .facebook(tracking: .limited)))
        #expect(none["scope"] == "openid")
        for permissions: Set<Permission> in [
            [.userBirthday, .email, .publicProfile], [.publicProfile, .openID, .userBirthday, .email],
        ] {
            let seen = try parameters(of: try await url(try .facebook(permissions: permissions, tracking: .enabled)))
            #expect(seen["scope"] == "email,openid,public_profile,user_birthday")
        }
    }

    @Test(.rule("F5.4"))
    func `the redirect URI is sent unchanged`() async throws {
        let redirectURL = "https://Example.com:443/Login/Callback?from=facebook"
        let bench = try LoginBench(redirectURL: redirectURL)
        let url = try await bench.begin(try .facebook(tracking: .limited))
        #expect(try parameters(of: url)["redirect_uri"] == redirectURL)
    }

    @Test(
        .rule("F5.4"),
        arguments: [
            "", "/login", "fb1234567890://authorize/", "http://example.com/", "http://127.0.0.1/",
            "https://example.com/#a",
            "https://user@example.com/", "https://example.com\\@evil.example/",
        ]
    )
    func `an invalid redirect URI is an error`(text: String) throws {
        let error = #expect(throws: LoginManagerError.self) { try LoginBench(redirectURL: text) }
        #expect(error?.code == .redirectURL)
    }

    @Test func `http is accepted for a loopback endpoint if it is allowed`() throws {
        let facebook = FacebookStandIn()
        _ = try LoginManager(
            provider: .facebook(try facebook.app(), tracking: .enabled).with { $0.provider.allowsLoopbackHTTP = true },
            metadata: nil,
            redirectURL: "http://127.0.0.1:8080/callback",
            attempts: InMemoryAttemptStore(),
            verification: LoginManager.Verification(keys: facebook.issuer.keys),
            transport: facebook
        )
    }

    @Test(.rule("F5.5", "F5.9"))
    func `state has 256 random bits, and each login has its own state, nonce and code verifier`()
        async throws
    {
        let request = try LoginRequest.facebook(tracking: .enabled)
        let seen = try [
            parameters(of: try await url(request)), parameters(of: try await url(request)),
        ]
        for name in ["state", "nonce", "code_challenge"] {
            #expect(seen[0][name] != seen[1][name])
        }
        #expect(seen.allSatisfy { $0["state"]?.utf8.count == 43 })
        #expect(seen.allSatisfy { $0["nonce"]?.utf8.count == 43 })
    }

    @Test(.rule("F5.6"), arguments: [LoginTracking.enabled, .limited])
    func `the nonce is sent and expected unhashed in both login modes`(tracking: LoginTracking) async throws {
        let bench = try LoginBench()
        let url = try await bench.begin(try .facebook(tracking: tracking))
        let login = try success(try await bench.finish(try bench.answer(to: url)))
        #expect(login.identity.claims?.nonce == (try parameters(of: url)["nonce"]))
        #expect(login.identity.token?.nonceCheck == .exactly)
    }

    @Test(.rule("F5.29"))
    func `declined permissions and expired access are requested again`() async throws {
        let request = try LoginRequest.facebook(permissions: [.email], tracking: .enabled)
        let seen = try parameters(of: try await url(request))
        #expect(seen["auth_type"] == "rerequest")
        #expect(seen["scope"] == "email,openid")
        let silent = try parameters(of: try await url(try .facebook(tracking: .enabled, authType: nil)))
        #expect(silent["auth_type"] == nil)
        let again = try parameters(of: try await url(try .facebook(tracking: .enabled, authType: .reauthorize)))
        #expect(again["auth_type"] == "reauthorize")
    }

    @Test func `a login uses the request of the provider's declaration by default`() async throws {
        let facebook = FacebookStandIn()
        for (tracking, type) in [(LoginTracking.enabled, "code"), (.limited, "id_token")] {
            let logins = try LoginManager(
                provider: .facebook(try facebook.app(), permissions: [.userBirthday], tracking: tracking),
                metadata: nil,
                redirectURL: LoginBench.redirectURL,
                attempts: InMemoryAttemptStore(),
                verification: LoginManager.Verification(keys: facebook.issuer.keys),
                transport: facebook
            )
            let seen = try parameters(of: try await logins.begin(purpose: .signIn).url)
            #expect(seen["scope"] == "openid,user_birthday")
            #expect(seen["response_type"] == type)
        }
    }

    @Test func `an invalid request, or one for another provider, is refused`() async throws {
        #expect(throws: LoginConfigurationError.self) {
            try LoginRequest.facebook(permissions: ["pages_manage_ads"], tracking: .limited)
        }
        let bench = try LoginBench()
        let error = await #expect(throws: LoginManagerError.self) { try await bench.begin(try .openID()) }
        #expect(error?.code == .request)
    }

    @Test func `no text of a started login shows a secret`() async throws {
        let bench = try LoginBench()
        let started = try await bench.logins.begin(try .facebook(tracking: .enabled), purpose: .signIn)
        #expect("\(started)" == "login in progress")
        #expect(Mirror(reflecting: started).children.isEmpty)
        #expect(!String(reflecting: started).contains(started.secret))
        #expect(!"\(bench.logins)".contains(bench.facebook.appSecret))
        #expect(!String(reflecting: bench.logins).contains(bench.facebook.appSecret))
    }
}
