// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The permitted authorization requests to an OpenID provider, and their parameters.
@Suite struct OpenIDRequestTests {
    private let issuer = TestIssuer()

    @Test func `a request with invalid values is refused`() throws {
        for scopes: Set<String> in [
            [""], ["a b"], ["a\"b"], ["é"], [String(repeating: "a", count: 257)], Set((0...64).map { "s\($0)" }),
        ] {
            let error = #expect(throws: LoginManagerError.self) { try LoginRequest.openID(scopes: scopes) }
            #expect(error?.code == .request)
        }
        for age: Duration in [.seconds(-1), .milliseconds(1)] {
            #expect(throws: LoginManagerError.self) { try LoginRequest.openID(maximumAuthenticationAge: age) }
        }
        for hint in ["", String(repeating: "a", count: 257)] {
            #expect(throws: LoginManagerError.self) { try LoginRequest.openID(loginHint: hint) }
        }
        _ = try LoginRequest.openID(scopes: [String(repeating: "a", count: 256)], maximumAuthenticationAge: .zero)
    }

    @Test func `Apple is asked for a posted form, and further parameters are sent`() async throws {
        let url = "https://appleid.apple.com"
        let json: TestJSON = [
            "issuer": .string(url), "jwks_uri": .string("\(url)/auth/keys"),
            "authorization_endpoint": .string("\(url)/auth/authorize"), "token_endpoint": .string("\(url)/auth/token"),
            "response_modes_supported": ["query", "fragment", "form_post"], "response_types_supported": ["code"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        ]
        let logins = try openIDLogins(
            at: issuer,
            provider: .apple,
            metadata: try ProviderMetadata(json: json.text, provider: .apple),
            clientID: "com.example.service",
            authentication: .post { "signed for this call" }
        )
        let request = try LoginRequest.openID(
            scopes: ["name", "email"],
            responseMode: .formPost,
            parameters: ["ui_locales": "de en", "acr_values": "a&b=c"]
        )
        let started = try await logins.begin(request, purpose: .signIn)
        let seen = try parameters(of: started.url)
        #expect(seen["response_mode"] == "form_post" && seen["response_type"] == "code")
        #expect(seen["scope"] == "email name openid")
        #expect(seen["ui_locales"] == "de en" && seen["acr_values"] == "a&b=c" && seen["b"] == nil)
        #expect(started.url.hasSuffix("&acr_values=a%26b%3Dc&ui_locales=de%20en"))
        let plain = try await logins.begin(try .openID(), purpose: .signIn)
        #expect(try parameters(of: plain.url)["response_mode"] == nil)
        let query = try await logins.begin(try .openID(responseMode: .query), purpose: .signIn)
        #expect(try parameters(of: query.url)["response_mode"] == "query")
    }

    @Test(arguments: [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "prompt", "max_age", "login_hint", "request", "request_uri", "", "a b", "é", "a=b",
        String(repeating: "a", count: 65),
    ])
    func `reserved and invalid parameter names are refused`(name: String) throws {
        let error = #expect(throws: LoginManagerError.self) { try LoginRequest.openID(parameters: [name: "x"]) }
        #expect(error?.code == .request)
    }

    @Test func `the number and size of further parameters are limited`() throws {
        let many = Dictionary(uniqueKeysWithValues: (1...32).map { ("p\($0)", "x") })
        _ = try LoginRequest.openID(parameters: many)
        let tooMany = many.merging(["q": "x"]) { first, _ in first }
        #expect(throws: LoginManagerError.self) { try LoginRequest.openID(parameters: tooMany) }
        _ = try LoginRequest.openID(parameters: [String(repeating: "a", count: 64): "x", "aZ-._9": "x"])
        _ = try LoginRequest.openID(parameters: ["hd": String(repeating: "a", count: 2048)])
        for value in ["", String(repeating: "a", count: 2049)] {
            #expect(throws: LoginManagerError.self) { try LoginRequest.openID(parameters: ["hd": value]) }
        }
    }

    @Test func `accounts of any tenant log in with metadata that has a tenant placeholder`() async throws {
        let name = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let host = "https://login.microsoftonline.com/common"
        let json: TestJSON = [
            "issuer": .string(name), "jwks_uri": .string("\(host)/discovery/v2.0/keys"),
            "authorization_endpoint": .string("\(host)/oauth2/v2.0/authorize"),
            "token_endpoint": .string("\(host)/oauth2/v2.0/token"),
        ]
        let logins = try openIDLogins(
            at: issuer,
            provider: .microsoftAnyTenant,
            metadata: try ProviderMetadata(json: json.text, provider: .microsoftAnyTenant)
        )
        let url = try await logins.begin(try .openID(), purpose: .signIn).url
        #expect(url.hasPrefix("\(host)/oauth2/v2.0/authorize?client_id=client-1"))
    }
}
