// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// The providers of a server, and the values derived from their declarations.
@Suite struct SignInProvidersTests {
    private static let corp = ProviderID("corp")

    private let google = TestIssuer(provider: .google, audience: "client-1")
    private let transport = StubTransport()

    private func providers(
        policies: [VerificationPolicy]? = nil,
        onVerdict: (@Sendable (ProviderID, VerificationError?) -> Void)? = nil
    ) throws -> SignInProviders {
        try SignInProviders(
            [
                .google(clientID: "client-1", clientSecret: "s3cr3t").with {
                    $0.appClientIDs = ["client-1", "client-2"]
                },
                .openID(Self.corp, issuer: "https://login.corp.example", clientID: "web", clientSecret: "s3cr3t"),
                .facebook(appID: "1234567890", tracking: .enabled),
            ],
            keys: google.keys,
            transport: transport,
            policies: policies,
            clock: google.clock,
            onVerdict: onVerdict
        )
    }

    private func settings(leeway: Duration = .seconds(30), disabled: Set<ProviderID> = []) -> SignInProviders.Settings {
        var settings = SignInProviders.Settings()
        settings.leeway = leeway
        settings.disabled = disabled
        return settings
    }

    private func publish(_ issuer: String, dialog: String) {
        transport.answer(
            "\(issuer)/.well-known/openid-configuration",
            with: .json([
                "issuer": .string(issuer), "jwks_uri": .string("\(issuer)/keys"),
                "authorization_endpoint": .string(dialog), "token_endpoint": .string("\(issuer)/token"),
            ])
        )
    }

    private func logins(_ providers: SignInProviders, at id: ProviderID) async throws -> LoginManager {
        publish("https://accounts.google.com", dialog: "https://accounts.google.com/o/oauth2/v2/auth")
        publish("https://login.corp.example", dialog: "https://sso.corp.example/authorize")
        return try await providers.loginManager(
            for: id,
            redirectURL: LoginBench.redirectURL,
            attempts: InMemoryAttemptStore(clock: google.clock)
        )
    }

    /// Logs in with a browser at Google, whose token endpoint returns this token.
    private func logIn(
        _ providers: SignInProviders,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws -> LoginResult {
        let logins = try await logins(providers, at: .google)
        let started = try await logins.begin(purpose: .signIn)
        let seen = try parameters(of: started.url)
        let token = google.token(nonce: seen["nonce"], change)
        transport.answer(
            "https://accounts.google.com/token",
            with: .json(["access_token": "a", "token_type": "Bearer", "id_token": .string(token)])
        )
        let callback = LoginCallback(parameters: [("state", seen["state"] ?? ""), ("code", "c0de")])
        return try await logins.finish(callback, purpose: .signIn, secret: started.secret)
    }

    /// Returns the verdict on a token of an app.
    private func verify(
        _ entry: SignInProviders.Entry?,
        _ change: (inout TestToken) -> Void = { _ in }
    ) async throws(VerificationError) -> VerifiedToken? {
        try await entry?.verifier.verify(google.token(nonce: "n-1", change), nonce: .exactly("n-1"))
    }

    private func expired(by seconds: Int) -> (inout TestToken) -> Void {
        let end = Int(google.clock.now.timeIntervalSince1970) - seconds
        return { $0.claims["exp"] = .number("\(end)") }
    }

    // MARK: Settings

    @Test(arguments: [Duration.seconds(-1), .seconds(301)])
    func `settings with a leeway out of range are refused`(leeway: Duration) async throws {
        let providers = try providers()
        try providers.apply(settings(leeway: .seconds(10), disabled: [Self.corp]))
        let error = #expect(throws: PolicyError.self) {
            try providers.apply(settings(leeway: leeway, disabled: [.google]))
        }
        #expect(error?.description.contains("leeway") == true)
        #expect(providers.settings == settings(leeway: .seconds(10), disabled: [Self.corp]))
        #expect(providers.enabled.map(\.id) == [.google, .facebook])
        #expect(try await verify(providers.entry(.google), expired(by: 5)) != nil)
    }

    @Test func `the leeway applies to tokens of apps and of browsers`() async throws {
        let providers = try providers()
        for (leeway, isAccepted) in [(Duration.seconds(10), true), (.zero, false)] {
            try providers.apply(settings(leeway: leeway))
            let result = try await logIn(providers, expired(by: 5))
            if isAccepted {
                _ = try await verify(providers.entry(.google), expired(by: 5))
                _ = try success(result)
            } else {
                await expectRefused(.expired) { () async throws(VerificationError) in
                    try await verify(providers.entry(.google), expired(by: 5))
                }
                #expect(expectFailure(.token, result)?.refusal?.code == .expired)
            }
        }
    }

    @Test func `a disabled provider has no verifier, no logins and no button`() async throws {
        let providers = try providers()
        #expect(providers.enabled.map(\.id) == [.google, Self.corp, .facebook])
        try providers.apply(settings(disabled: [.google]))
        #expect(providers.enabled.map(\.id) == [Self.corp, .facebook])
        #expect(!providers.isEnabled(.google) && providers.isEnabled(Self.corp))
        #expect(providers.entry(.google) == nil && providers.entry(Self.corp) != nil)
        #expect(!providers.origins.contains("https://accounts.google.com"))
        let error = await #expect(throws: LoginManagerError.self) { try await logins(providers, at: .google) }
        #expect(error?.code == .provider)
        #expect(transport.requests.isEmpty)
        // Its declaration is kept, and it can be enabled again.
        #expect(providers.all.map(\.id) == [.google, Self.corp, .facebook])
        try providers.apply(settings())
        #expect(providers.entry(.google) != nil)
        _ = try success(try await logIn(providers))
    }

    @Test func `passwords and phone codes can be disabled too`() throws {
        let providers = try providers()
        let password = ProviderID("password")
        #expect(providers.isEnabled(password))
        try providers.apply(settings(disabled: [password]))
        #expect(!providers.isEnabled(password) && providers.isEnabled(ProviderID("phone")))
    }

    @Test(arguments: ["", "nobody", "Google", "google ", String(repeating: "a", count: 65)])
    func `a provider that is not declared has no verifier and no logins`(name: String) async throws {
        let providers = try providers()
        #expect(providers.entry(ProviderID(name)) == nil)
        let error = await #expect(throws: LoginManagerError.self) {
            try await logins(providers, at: ProviderID(name))
        }
        #expect(error?.code == .provider)
    }

    @Test func `no tokens are accepted without providers`() {
        #expect(SignInProviders.none.enabled.isEmpty && SignInProviders.none.origins.isEmpty)
        #expect(SignInProviders.none.entry(.google) == nil)
        #expect(SignInProviders.none.policy(named: "google") == nil)
    }

    // MARK: Derived values

    @Test func `apps can use any of the client IDs, and browser logins only their own`() async throws {
        let providers = try providers()
        for audience in ["client-1", "client-2"] {
            let token = try await verify(providers.entry(.google)) { $0.claims["aud"] = .string(audience) }
            #expect(token?.audience == audience)
        }
        _ = try success(try await logIn(providers))
        let result = try await logIn(providers) { $0.claims["aud"] = "client-2" }
        #expect(expectFailure(.token, result)?.refusal?.code == .audience)
    }

    @Test func `apps and browsers have separate maximum ages`() async throws {
        let provider = SignInProvider.google(clientID: "client-1", clientSecret: "s3cr3t").with { google in
            google.appMaximumAge = .seconds(600)
            google.browserMaximumAge = .seconds(60)
        }
        let providers = try SignInProviders(
            [provider],
            keys: google.keys,
            transport: transport,
            clock: google.clock
        )
        let now = Int(google.clock.now.timeIntervalSince1970)
        let old: (inout TestToken) -> Void = { $0.claims["iat"] = .number("\(now - 300)") }
        #expect(try await verify(providers.entry(.google), old) != nil)
        #expect(expectFailure(.token, try await logIn(providers, old))?.refusal?.code == .tooOld)
    }

    @Test func `a policy is found by its name`() async throws {
        let providers = try providers(policies: [
            VerificationPolicy("web", provider: .google),
            VerificationPolicy(
                "device",
                provider: .google,
                audiences: ["client-3"],
                maximumAge: .seconds(120),
                nonce: .absent
            ),
        ])
        let web = try #require(providers.policy(named: "web"))
        #expect(web.0.provider == .google && web.0.nonce == .required)
        _ = try await web.1.verify(google.token(nonce: "n-1"), nonce: .exactly("n-1"))
        let device = try #require(providers.policy(named: "device"))
        #expect(device.0.nonce == .absent)
        let accepted = google.token { $0.claims["aud"] = "client-3" }
        _ = try await device.1.verify(accepted, nonce: .mustBeAbsent)
        await expectRefused(.audience) { () async throws(VerificationError) in
            try await device.1.verify(google.token(), nonce: .mustBeAbsent)
        }
        google.clock.advance(by: .seconds(100))
        await expectRefused(.tooOld) { () async throws(VerificationError) in
            try await device.1.verify(accepted, nonce: .mustBeAbsent)
        }
        for name in ["google", "", "Web", String(repeating: "a", count: 65)] {
            #expect(providers.policy(named: name) == nil)
        }
    }

    @Test func `each provider has a policy with its name by default`() throws {
        let providers = try providers()
        for id in [ProviderID.google, Self.corp, .facebook] {
            #expect(try #require(providers.policy(named: id.rawValue)).0.provider == id)
        }
        #expect(providers.policy(named: "web") == nil)
    }

    @Test func `the origins are those of the issuers, and of the authorization endpoints once they are known`()
        async throws
    {
        let providers = try providers()
        let facebook = ["https://www.facebook.com", "https://limited.facebook.com", "https://m.facebook.com"]
        #expect(providers.origins == ["https://accounts.google.com", "https://login.corp.example"] + facebook)
        _ = try await logins(providers, at: Self.corp)
        let corp = ["https://login.corp.example", "https://sso.corp.example"]
        #expect(providers.origins == ["https://accounts.google.com"] + corp + facebook)
        try providers.apply(settings(disabled: [.google, .facebook]))
        #expect(providers.origins == corp)
    }

    @Test func `each verdict is observed once with its provider, also in browser logins`() async throws {
        let seen = Seen()
        let providers = try providers { id, error in seen.add("\(id): \(error == nil)") }
        _ = try success(try await logIn(providers))
        #expect(seen.lines == ["google: true"])
        _ = try await verify(providers.entry(.google))
        expectFailure(.token, try await logIn(providers) { $0.claims["aud"] = "another" })
        #expect(seen.lines == ["google: true", "google: true", "google: false"])
    }

    @Test func `metadata is fetched once for all logins of a provider`() async throws {
        let providers = try providers()
        for _ in 0..<3 { _ = try await logins(providers, at: .google) }
        #expect(transport.requests.count == 1)
        // Facebook has a flow of its own, without discovery.
        _ = try await logins(providers, at: .facebook)
        #expect(transport.requests.count == 1)
    }

    @Test func `an invalid declaration is an error that names the provider`() {
        let mistakes: [(LoginManagerError.Code, (inout SignInProvider) -> Void)] = [
            (.client, { $0.appClientIDs = [] }), (.client, { $0.appClientIDs = [""] }),
            (.client, { $0.appMaximumAge = .zero }), (.client, { $0.browserMaximumAge = .zero }),
            (.client, { $0.algorithms = [] }), (.client, { $0.authentication = .basic(secret: "") }),
            (.client, { $0.authentication = .post(secret: "") }),
            (.provider, { $0.provider = .openID(issuers: ["accounts.google.com"]) }),
            (.provider, { $0.provider = .openID(issuers: ["http://accounts.google.com"]) }),
            (.provider, { $0.provider.documents.discoveryURL = "accounts.google.com/document" }),
        ]
        for (code, mistake) in mistakes {
            let google = SignInProvider.google(clientID: "client-1", clientSecret: "s3cr3t").with(mistake)
            let error = #expect(throws: LoginManagerError.self) {
                try SignInProviders([google], keys: KeySnapshot([]), transport: transport)
            }
            #expect(error?.code == code && error?.description.contains(": google: ") == true)
        }
        let nameless = #expect(throws: LoginManagerError.self) {
            try SignInProviders(
                [.openID("corp", issuer: "https://login.corp.example", clientID: "")],
                keys: KeySnapshot([]),
                transport: transport
            )
        }
        #expect(nameless?.code == .client)
    }

    @Test func `explicit metadata is validated with the declaration`() throws {
        let metadata = try ProviderMetadata(
            json: #"{"issuer":"https://login.corp.example","jwks_uri":"https://login.corp.example/keys"}"#,
            provider: .openID(issuers: ["https://login.corp.example"])
        )
        let corp = SignInProvider.openID("corp", issuer: metadata.issuer, clientID: "web").with {
            $0.metadata = metadata
        }
        let error = #expect(throws: LoginManagerError.self) {
            try SignInProviders([corp], keys: KeySnapshot([]), transport: transport)
        }
        #expect(error?.code == .provider && error?.description.contains("authorization endpoint") == true)
    }

    @Test func `an issuer that is not a URL is accepted if only apps log in`() throws {
        let legacy = SignInProvider.openID("corp", issuer: "login.corp.example", clientID: "app")
            .with { $0.offersBrowserLogin = false }
        _ = try SignInProviders([legacy], keys: KeySnapshot([]), transport: transport)
    }

    // MARK: Presets

    @Test func `a preset offers browser logins if it has a client secret`() throws {
        #expect(SignInProvider.google(clientID: "c", clientSecret: "s").offersBrowserLogin)
        #expect(!SignInProvider.google(clientID: "c").offersBrowserLogin)
        #expect(SignInProvider.apple(clientID: "c", authentication: .post { "signed" }).offersBrowserLogin)
        #expect(!SignInProvider.apple(clientID: "c").offersBrowserLogin)
        #expect(SignInProvider.apple(clientID: "c").request.responseMode == .formPost)
        #expect(SignInProvider.google(clientID: "c").request.responseMode == nil)
        let tenant = "00000000-0000-4000-8000-000000000001"
        let microsoft = try SignInProvider.microsoft(ProviderID("microsoft:a"), tenantID: tenant, clientID: "c")
        #expect(microsoft.provider.issuers == ["https://login.microsoftonline.com/\(tenant)/v2.0"])
        #expect(throws: PolicyError.self) {
            try SignInProvider.microsoft(ProviderID("microsoft:a"), tenantID: "common", clientID: "c")
        }
        #expect(try SignInProvider.facebook(appID: "1", tracking: .limited).request.responseMode == .fragment)
        #expect(try SignInProvider.facebook(appID: "1", tracking: .enabled).request.responseMode == .query)
    }

    @Test func `no text of a declaration shows the client secret`() throws {
        for provider in [
            SignInProvider.google(clientID: "client-1", clientSecret: "s3cr3t"),
            try .facebook(appID: "1234567890", appSecret: "0123456789abcdef0123456789abcdef", tracking: .enabled),
        ] {
            var dumped = ""
            dump(provider, to: &dumped)
            for text in ["\(provider)", String(reflecting: provider), dumped] {
                #expect(!text.contains("s3cr3t") && !text.contains("0123456789abcdef"))
            }
        }
    }
}

/// The reports, line by line.
private final class Seen: Sendable {
    private let reported = Mutex<[String]>([])

    var lines: [String] { reported.withLock { $0 } }

    func add(_ line: String) { reported.withLock { $0.append(line) } }
}
