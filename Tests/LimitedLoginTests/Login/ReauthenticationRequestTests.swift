// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// The authorization requests that ask a provider to authenticate a user again.
@Suite struct ReauthenticationRequestTests {
    /// Returns the parameters that a provider receives; a repeated one has the value `twice`.
    private func sent(_ request: LoginRequest, to provider: Provider) async throws -> [String: String] {
        let issuer = TestIssuer(provider: provider)
        let json: TestJSON = [
            "issuer": .string(provider.issuers[0]), "jwks_uri": "https://login.example/keys",
            "authorization_endpoint": "https://login.example/authorize",
            "token_endpoint": "https://login.example/token",
        ]
        let metadata = try ProviderMetadata(json: json.text, provider: provider)
        let logins = try openIDLogins(at: issuer, metadata: metadata)
        let started = try await logins.begin(request, purpose: .reauthenticate(session: "session-1"))
        return try parameters(of: started.url)
    }

    private static let documented: [(provider: Provider, prompt: String?, age: String?)] = [
        (.openID(issuers: ["https://issuer.example"]), "login", "300"), (.microsoftPersonal, "login", "300"),
        (.google, "select_account", nil), (.apple, nil, nil),
    ]

    @Test(arguments: documented.indices)
    func `an OpenID provider gets its documented reauthentication parameters`(row: Int) async throws {
        let (provider, prompt, age) = Self.documented[row]
        let seen = try await sent(try .openID().reauthenticating(at: provider), to: provider)
        #expect(seen["prompt"] == prompt && seen["max_age"] == age)
        let plain = try await sent(try .openID(), to: provider)
        #expect(plain["prompt"] == nil && plain["max_age"] == nil)
        #expect(Set(seen.keys).subtracting(["prompt", "max_age"]) == Set(plain.keys))
    }

    @Test func `Facebook is asked to reauthenticate the user without repeating declined permissions`() async throws {
        let bench = try LoginBench()
        for tracking in LoginTracking.allCases {
            let request = try LoginRequest.facebook(permissions: [.email], tracking: tracking)
            let seen = try parameters(of: try await bench.begin(request.reauthenticating(at: .facebook)))
            #expect(seen["auth_type"] == "reauthenticate" && seen["max_age"] == nil && seen["prompt"] == nil)
            #expect(try parameters(of: try await bench.begin(request))["auth_type"] == "rerequest")
        }
    }

    @Test func `prompt and max_age are replaced, and max_age only by a shorter one`() async throws {
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        let short = try LoginRequest.openID(prompts: [.consent], maximumAuthenticationAge: .seconds(60))
        let seen = try await sent(try short.reauthenticating(at: provider), to: provider)
        #expect(seen["prompt"] == "login" && seen["max_age"] == "60")
        let long = try LoginRequest.openID(maximumAuthenticationAge: .seconds(3600))
        #expect(try await sent(try long.reauthenticating(at: provider), to: provider)["max_age"] == "300")
        for (age, text) in [(Duration.milliseconds(1999), "1"), (.seconds(-1), "0"), (.seconds(1 << 40), "2147483647")]
        {
            let request = try LoginRequest.openID().reauthenticating(at: provider, within: age)
            #expect(try await sent(request, to: provider)["max_age"] == text)
        }
    }

    @Test func `a request that only requires a recent login sends no prompt`() async throws {
        let provider = Provider.openID(issuers: ["https://issuer.example"])
        let request = try LoginRequest.openID(prompts: [.consent])
        let seen = try await sent(request.authenticating(at: provider, within: .seconds(300)), to: provider)
        #expect(seen["prompt"] == "consent" && seen["max_age"] == "300")
        let google = try await sent(request.authenticating(at: .google, within: .seconds(300)), to: .google)
        #expect(google["prompt"] == "consent" && google["max_age"] == nil)
    }

    @Test func `a parameter that the library sends itself is not replaced`() throws {
        for name in ["redirect_uri", "client_id", "state", "nonce", "code_challenge", "max_age", "a b"] {
            let reauthentication = Provider.Reauthentication(
                parameters: [name: "x"],
                sendsMaximumAge: false,
                authenticationTime: .optional
            )
            let provider = Provider.openID(issuers: ["https://issuer.example"]).with(reauthentication)
            let error = #expect(throws: LoginManagerError.self) {
                try LoginRequest.openID().reauthenticating(at: provider)
            }
            #expect(error?.code == .request)
        }
    }
}
