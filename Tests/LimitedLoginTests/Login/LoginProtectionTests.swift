// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Browser logins at providers that omit the nonce or refuse PKCE, and the settings that permit it.
@Suite struct LoginProtectionTests {
    private let bench = OpenIDBench()

    /// The settings of a declaration.
    struct Settings: Sendable, CustomTestStringConvertible {
        var nonce = SignInProvider.BrowserNonce.required
        var pkce = SignInProvider.PKCE.required
        var injection = SignInProvider.CodeInjection.protected
        var isPublic = false
        var responseMode: LoginRequest.ResponseMode?
        var userInfo = SignInProvider.UserInfo.off

        var testDescription: String {
            "nonce \(nonce), PKCE \(pkce), \(injection), public: \(isPublic), \(responseMode?.rawValue ?? "query")"
        }

        func apply(to provider: inout SignInProvider) {
            provider.browserNonce = nonce
            provider.pkce = pkce
            provider.codeInjection = injection
            provider.userInfo = userInfo
            if isPublic { provider.authentication = .none }
            if let responseMode, let request = try? LoginRequest.openID(responseMode: responseMode) {
                provider.request = request
            }
        }
    }

    // MARK: The settings

    @Test(
        .rule("T-292"),
        arguments: [
            Settings(), Settings(isPublic: true), Settings(responseMode: .fragment), Settings(nonce: .absent),
            Settings(nonce: .absent, responseMode: .query), Settings(nonce: .absent, responseMode: .formPost),
            Settings(pkce: .off), Settings(pkce: .off, responseMode: .fragment),
            Settings(nonce: .absent, pkce: .off, injection: .unprotected),
            Settings(nonce: .absent, injection: .unprotected),
        ]
    )
    func `a login without nonce or without PKCE is declared by name, and one without both is named unprotected`(
        settings: Settings
    ) throws {
        try bench.provider(settings.apply).checkSettings()
        _ = try bench.providers(settings.apply)
    }

    @Test(
        .rule("T-292"),
        arguments: [
            (.codeInjection, Settings(nonce: .absent, pkce: .off)),
            (.codeInjection, Settings(injection: .unprotected)),
            (.codeInjection, Settings(pkce: .off, injection: .unprotected)),
            (.nonce, Settings(nonce: .absent, isPublic: true)),
            (.nonce, Settings(nonce: .absent, responseMode: .fragment)),
            (.nonce, Settings(nonce: .absent, pkce: .off, injection: .unprotected, isPublic: true)),
            (.nonce, Settings(nonce: .absent, pkce: .off, injection: .unprotected, responseMode: .fragment)),
            (.pkce, Settings(pkce: .off, isPublic: true)),
        ] as [(SignInProvider.Setting, Settings)]
    )
    func `a combination of settings that leaves a login without protection is refused, and named`(
        setting: SignInProvider.Setting,
        settings: Settings
    ) {
        let error = #expect(throws: LoginManagerError.self) { try bench.provider(settings.apply).checkSettings() }
        #expect(error?.code == .client && error?.setting == setting && error?.detail.isEmpty == false)
        let declared = #expect(throws: LoginManagerError.self) { try bench.providers(settings.apply) }
        #expect(declared?.description.hasPrefix("login not possible: client: corp: \(setting.rawValue): ") == true)
    }

    @Test(
        .rule("T-292"),
        arguments: [
            (.nonce, Settings(nonce: .absent)), (.pkce, Settings(pkce: .off)),
            (.codeInjection, Settings(injection: .unprotected)), (.userInfo, Settings(userInfo: .used)),
        ] as [(SignInProvider.Setting, Settings)]
    )
    func `a setting without effect at Facebook is refused`(
        setting: SignInProvider.Setting,
        settings: Settings
    ) throws {
        let facebook = try SignInProvider.facebook(appID: "1", tracking: .limited)
        try facebook.checkSettings()
        let error = #expect(throws: LoginManagerError.self) { try facebook.with(settings.apply).checkSettings() }
        #expect(error?.setting == setting)
    }

    @Test(.rule("T-292"))
    func `a request for the fragment is refused at a provider without nonces`() async throws {
        let fragment = try LoginRequest.openID(responseMode: .fragment)
        let strict = try await bench.logins()
        _ = try await strict.begin(fragment, purpose: .signIn)
        let logins = try await bench.logins { $0.browserNonce = .absent }
        let error = await #expect(throws: LoginManagerError.self) { try await logins.begin(fragment, purpose: .signIn) }
        #expect(error?.setting == .nonce)
        _ = try await logins.begin(try .openID(responseMode: .query), purpose: .signIn)
    }

    // MARK: The nonce

    @Test(.rule("T-290"))
    func `an ID token without a nonce is accepted only if the declaration says so`() async throws {
        let logins = try await bench.logins { $0.browserNonce = .absent }
        let (result, seen) = try await bench.logIn(logins) { $0.claims["nonce"] = nil }
        #expect(try success(result).identity.token?.nonceCheck == .absent)
        // It is sent all the same, and so is the code challenge.
        #expect(seen["nonce"]?.utf8.count == 43 && seen["code_challenge_method"] == "S256")
        let (refused, _) = try await bench.logIn(try await bench.logins()) { $0.claims["nonce"] = nil }
        #expect(expectFailure(.token, refused)?.refusal?.code == .nonce)
    }

    @Test(.rule("T-290"))
    func `a nonce that an ID token has is compared even if it may be absent`() async throws {
        let logins = try await bench.logins { $0.browserNonce = .absent }
        let (result, _) = try await bench.logIn(logins)
        #expect(try success(result).identity.token?.nonceCheck == .exactly)
        for nonce: TestJSON in ["another", ""] {
            let (refused, _) = try await bench.logIn(logins) { $0.claims["nonce"] = nonce }
            #expect(expectFailure(.token, refused)?.refusal?.code == .nonce)
        }
    }

    @Test(.rule("T-290"))
    func `a response with an ID token beside the code is refused if the nonce may be absent`() async throws {
        let logins = try await bench.logins { provider in
            Settings(nonce: .absent, responseMode: .formPost).apply(to: &provider)
        }
        let started = try await logins.begin(purpose: .signIn)
        let state = try parameters(of: started.url)["state"] ?? ""
        let form = FormFields([
            (name: "state", value: state), (name: "code", value: "c0de"),
            (name: "id_token", value: bench.issuer.token()),
        ])
        let callback = LoginCallback(form: Array(form.encoded.utf8))
        expectFailure(.callback, try await logins.finish(callback, purpose: .signIn, secret: started.secret))
        #expect(bench.requests(to: OpenIDBench.tokenEndpoint).isEmpty)
    }

    // MARK: PKCE

    @Test(.rule("T-291"), arguments: [nil, ["S256"], ["plain", "S256"]] as [TestJSON?])
    func `PKCE is used whatever the discovery document says`(methods: TestJSON?) async throws {
        let logins = try await bench.logins { _ in
        } metadata: {
            $0["code_challenge_methods_supported"] = methods
        }
        let (result, seen) = try await bench.logIn(logins)
        _ = try success(result)
        let request = try #require(bench.requests(to: OpenIDBench.tokenEndpoint).first)
        let verifier = FormFields(reading: request.body)?.only("code_verifier").flatMap(CodeVerifier.init)
        #expect(seen["code_challenge"] != nil && verifier?.challenge == seen["code_challenge"])
    }

    @Test(.rule("T-291"))
    func `a provider without S256 is refused unless PKCE is off, and then gets no parameter of it`() async throws {
        let error = await #expect(throws: LoginManagerError.self) {
            try await bench.logins { _ in
            } metadata: {
                $0["code_challenge_methods_supported"] = ["plain"]
            }
        }
        #expect(error?.code == .provider)
        for methods: TestJSON in [["plain"], ["S256"]] {
            let before = bench.requests(to: OpenIDBench.tokenEndpoint).count
            let logins = try await bench.logins {
                $0.pkce = .off
            } metadata: {
                $0["code_challenge_methods_supported"] = methods
            }
            let (result, seen) = try await bench.logIn(logins)
            _ = try success(result)
            #expect(seen["code_challenge"] == nil && seen["code_challenge_method"] == nil && seen["nonce"] != nil)
            let request = try #require(bench.requests(to: OpenIDBench.tokenEndpoint).dropFirst(before).first)
            #expect(FormFields(reading: request.body)?.has("code_verifier") == false)
        }
    }

    @Test(.rule("T-290"), arguments: [nil, [], ["plain"]] as [TestJSON?])
    func `where tokens may have no nonce, a provider that does not list S256 is refused unless it is named unprotected`(
        methods: TestJSON?
    ) async throws {
        let refused = await #expect(throws: LoginManagerError.self) {
            try await bench.logins {
                $0.browserNonce = .absent
            } metadata: {
                $0["code_challenge_methods_supported"] = methods
            }
        }
        #expect(refused?.code == .provider)
        guard methods == nil else { return }
        #expect(refused?.setting == .codeInjection)
        let logins = try await bench.logins {
            ($0.browserNonce, $0.codeInjection) = (.absent, .unprotected)
        } metadata: {
            $0["code_challenge_methods_supported"] = methods
        }
        let (result, seen) = try await bench.logIn(logins) { $0.claims["nonce"] = nil }
        _ = try success(result)
        #expect(seen["code_challenge_method"] == "S256")
    }

    @Test(.rule("T-291"))
    func `without PKCE, an ID token of another login is refused by its nonce`() async throws {
        let logins = try await bench.logins { $0.pkce = .off }
        let victim = try parameters(of: try await logins.begin(purpose: .signIn).url)
        let (result, _) = try await bench.logIn(logins) { $0.claims["nonce"] = victim["nonce"].map { .string($0) } }
        #expect(expectFailure(.token, result)?.refusal?.code == .nonce)
    }

    // MARK: Ages

    @Test(.rule("S-NON-4"))
    func `tokens of apps without a nonce have a maximum age, and policies without an attempt their own`() throws {
        for (age, expected) in [(nil, 300), (.seconds(60), 60), (.seconds(3600), 300)] as [(Duration?, Int64)] {
            let providers = try SignInProviders(
                [
                    bench.provider {
                        $0.appNonce = .absent
                        $0.appMaximumAge = age
                    }
                ],
                keys: bench.issuer.keys,
                transport: bench.transport,
                policies: [
                    VerificationPolicy("attempts", provider: "corp", maximumAge: .seconds(3600)),
                    VerificationPolicy("device", provider: "corp", nonce: .absent),
                    VerificationPolicy("hour", provider: "corp", maximumAge: .seconds(3600), nonce: .unchecked),
                ]
            )
            #expect(providers.entry("corp")?.verifier.policy.maximumAge == .seconds(expected))
            #expect(providers.policy(named: "attempts")?.1.policy.maximumAge == .seconds(300))
            #expect(providers.policy(named: "device")?.1.policy.maximumAge == age)
            #expect(providers.policy(named: "hour")?.1.policy.maximumAge == .seconds(3600))
        }
        #expect(try bench.providers().entry("corp")?.verifier.policy.maximumAge == nil)
    }
}
