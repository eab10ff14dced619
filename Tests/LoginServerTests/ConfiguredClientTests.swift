// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LoginCrypto
import LoginProviders
import LoginTesting
import LoginTokens
import Testing

@testable import LoginServer

/// The client registrations that a configuration declares, and the ID tokens that it accepts for them.
@Suite struct ConfiguredClientTests {
    private static let (tenant, other) = (
        "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    )

    /// The settings of a provider of each kind that a test adds to.
    private static let providers = [
        "corp": ["issuer": "https://corp.example", "client-id": "c"],
        "microsoft": ["client-id": "c"],
        "google": ["client-id": "c"],
        "apple": ["client-id": "c"],
        "line": ["client-id": "c", "client-secret-file": "/secret"],
        "facebook": ["app-ids": "1234567890"],
    ]

    private static func configuration(_ name: String, _ settings: [String: String]) throws -> ServiceConfiguration {
        var flags = ["providers": name]
        for (key, value) in (providers[name] ?? [:]).merging(settings, uniquingKeysWith: { $1 }) {
            flags["provider.\(name).\(key)"] = value
        }
        return try ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"]).configuration(nil)
    }

    private static func provider(_ name: String, _ settings: [String: String]) throws -> SignInProvider {
        try #require(try configuration(name, settings).signInProviders().first)
    }

    /// Runs a test with a private file.
    private static func withFile(_ content: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(
            atPath: file.path,
            contents: Data(content.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        try body(file.path)
    }

    // MARK: Tenants

    @Test(
        arguments: [
            (tenant, ["https://login.microsoftonline.com/\(tenant)/v2.0"]),
            (
                "\(tenant),\(other)",
                [
                    "https://login.microsoftonline.com/\(tenant)/v2.0",
                    "https://login.microsoftonline.com/\(other)/v2.0",
                ]
            ),
            ("*", ["https://login.microsoftonline.com/{tenantid}/v2.0"]),
        ]
    )
    func `Microsoft has the issuers of the configured tenants`(tenants: String, issuers: [String]) throws {
        let microsoft = try Self.provider("microsoft", ["tenants": tenants])
        #expect(microsoft.provider.issuers == issuers)
        #expect(microsoft.id == "microsoft" && microsoft.displayName == "Microsoft" && microsoft.emailTrust == .never)
        _ = try SignInProviders([microsoft], keys: KeySnapshot([]), transport: StubTransport())
    }

    @Test func `several providers can be Microsoft, each with tenants of its own`() throws {
        let flags = [
            "providers": "one,two", "provider.one.kind": "microsoft", "provider.one.tenants": Self.tenant,
            "provider.one.client-id": "c", "provider.two.kind": "microsoft", "provider.two.tenants": Self.other,
            "provider.two.client-id": "c", "provider.two.email-domains": "corp.example",
        ]
        let reader = ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"])
        let providers = try reader.configuration(nil).signInProviders()
        #expect(providers.map(\.id) == ["one", "two"] && providers.map(\.provider.name) == ["one", "two"])
        #expect(providers[1].emailTrust == .verifiedClaim(domains: ["corp.example"]))
    }

    // MARK: Faults

    @Test(
        arguments: [
            ("microsoft", [:], "tenants is required for the kind microsoft"),
            ("microsoft", ["tenants": "contoso.example"], "tenants: \"contoso.example\" is not a tenant ID"),
            ("microsoft", ["tenants": "\(tenant),*"], "tenants: \"*\" is not a tenant ID"),
            ("microsoft", ["tenants": "\(tenant),\(tenant)"], "tenants: \(tenant) is listed twice"),
            ("microsoft", ["tenants": "common"], "tenants: \"common\" is not a tenant ID"),
            ("microsoft", ["tenants": "*", "email-domains": "corp.example"], "email-domains can only be none"),
            ("microsoft", ["tenants": "*", "email-domains": "*"], "email-domains can only be none"),
            (
                "microsoft", ["tenants": "*", "issuer": "https://a"],
                "issuer can be set only for providers of the kind openid"
            ),
            ("corp", ["tenants": "*"], "tenants can be set only for providers of the kind microsoft"),
            (
                "corp", ["client-authentication": "basic"],
                "client-authentication: basic requires provider.corp.client-secret-file"
            ),
            (
                "corp", ["client-authentication": "post"],
                "client-authentication: post requires provider.corp.client-secret-file"
            ),
            (
                "corp", ["client-authentication": "private-key-jwt"],
                "client-key-file is required with the client authentication private-key-jwt"
            ),
            (
                "corp", ["client-authentication": "none", "client-secret-file": "/secret"],
                "client-secret-file has no effect with provider.corp.client-authentication none"
            ),
            (
                "corp",
                ["client-authentication": "private-key-jwt", "client-key-file": "/k", "client-secret-file": "/secret"],
                "client-secret-file has no effect with provider.corp.client-authentication private-key-jwt"
            ),
            (
                "corp", ["client-key-file": "/k"],
                "client-key-file requires provider.corp.client-authentication private-key-jwt"
            ),
            (
                "corp", ["client-key-id": "k"],
                "client-key-id requires provider.corp.client-authentication private-key-jwt"
            ),
            ("corp", ["client-authentication": "client_secret_jwt"], "client-authentication must be one of"),
            (
                "google", ["client-authentication": "none"],
                "client-authentication can be set only for providers of the kind microsoft or openid"
            ),
            ("corp", ["algorithms": "HS256"], "algorithms: \"HS256\" is none of RS256"),
            ("corp", ["algorithms": "none"], "algorithms: \"none\" is none of RS256"),
            ("corp", ["algorithms": "rs256"], "algorithms: \"rs256\" is none of RS256"),
            ("line", ["algorithms": "RS256"], "algorithms can be set only for providers of the kind google or apple"),
            (
                "corp",
                [
                    "algorithms": "RS256", "client-secret-file": "/s", "app-algorithm": "HS256",
                    "browser-algorithm": "HS256",
                ],
                "algorithms has no effect, because all tokens are signed with the secret"
            ),
            ("corp", ["trusted-audiences": "app,*"], "trusted-audiences: * must be the only element"),
            (
                "corp", ["trusted-audiences": "app", "client-secret-file": "/s", "app-algorithm": "HS256"],
                "trusted-audiences: tokens that are signed with a client secret are for this client alone"
            ),
            (
                "google", ["trusted-audiences": "app"],
                "trusted-audiences can be set only for providers of the kind openid"
            ),
            ("google", ["token-type": "optional"], "token-type can be set only for providers of the kind openid"),
            ("corp", ["token-type": "mac"], "token-type must be one of required, optional"),
            ("apple", ["scopes": "email"], "scopes can be set only for providers of the kind google or line"),
            ("corp", ["max-age": "0"], "max-age must be a whole number"),
        ] as [(String, [String: String], String)]
    )
    func `a setting that is missing, contradicts another or has no effect is refused with its key`(
        name: String,
        settings: [String: String],
        fault: String
    ) {
        let error = #expect(throws: ConfigurationFault.self) { try Self.configuration(name, settings) }
        // A value from the command line is named with its option.
        #expect(error?.description.replacing("--set ", with: "").hasPrefix("provider.\(name).\(fault)") == true)
    }

    // MARK: Client authentication

    @Test(
        arguments: [
            ("corp", nil, "client_secret"), ("corp", "basic", "client_secret_basic"),
            ("corp", "post", "client_secret_post"),
            ("microsoft", nil, "client_secret_post"), ("microsoft", "basic", "client_secret_basic"),
            ("google", nil, "client_secret_basic"),
        ] as [(String, String?, String)]
    )
    func `a client secret is sent as configured, or as the kind or the discovery document says`(
        name: String,
        method: String?,
        expected: String
    ) throws {
        try Self.withFile("s3cr3t\n") { file in
            var settings = ["client-secret-file": file]
            settings["client-authentication"] = method
            if name == "microsoft" { settings["tenants"] = Self.tenant }
            let provider = try Self.provider(name, settings)
            #expect("\(provider.authentication)" == expected)
        }
    }

    @Test func `a client without a secret is public`() throws {
        for settings in [[:], ["client-authentication": "none"]] {
            let provider = try Self.provider("corp", settings)
            #expect("\(provider.authentication)" == "none")
        }
    }

    @Test func `a client key is read from its file, and an unusable one is refused by its key`() throws {
        let der = Data(try #require(PrivateKey(curve: .p256).privateKeyInfo)).base64EncodedString()
        let pem = "-----BEGIN PRIVATE KEY-----\n\(der)\n-----END PRIVATE KEY-----\n"
        for (content, isUsable) in [(pem, true), ("no key\n", false)] {
            try Self.withFile(content) { file in
                let settings = [
                    "client-authentication": "private-key-jwt", "client-key-file": file, "client-key-id": "k1",
                ]
                let configuration = try Self.configuration("corp", settings)
                do throws(ConfigurationFault) {
                    let authentication = try configuration.signInProviders().map { "\($0.authentication)" }
                    #expect(isUsable && authentication == ["private_key_jwt"])
                } catch {
                    #expect(!isUsable && error.description.hasPrefix("provider.corp.client-key-file: it must have one"))
                }
            }
        }
    }

    // MARK: Tokens and requests

    @Test func `algorithms come from discovery unless they are listed, and are fixed where there is no document`()
        throws
    {
        #expect(try Self.provider("corp", [:]).algorithms == nil)
        #expect(try Self.provider("google", [:]).algorithms == nil)
        #expect(try Self.provider("microsoft", ["tenants": "*"]).algorithms == nil)
        #expect(try Self.provider("corp", ["algorithms": "ES256,EdDSA"]).algorithms == [.es256, .edDSA])
        #expect(try Self.provider("facebook", [:]).algorithms == [.rs256, .es256])
    }

    @Test func `trusted audiences, token type, age and pages are as configured, and strict without settings`() throws {
        let strict = try Self.provider("corp", [:])
        #expect(strict.trustedAudiences == [] && strict.tokenType == .required && strict.offersBrowserLogin)
        #expect(strict.appMaximumAge == nil && strict.browserMaximumAge == nil)
        let changed = try Self.provider(
            "corp",
            ["trusted-audiences": "app,project", "token-type": "optional", "max-age": "300", "apps-only": "true"]
        )
        #expect(changed.trustedAudiences == ["app", "project"] && changed.tokenType == .optional)
        #expect(changed.appMaximumAge == .seconds(300) && changed.browserMaximumAge == .seconds(300))
        #expect(!changed.offersBrowserLogin)
        #expect(try Self.provider("corp", ["trusted-audiences": "*"]).trustedAudiences == .any)
        // Facebook's own limit stays.
        #expect(try Self.provider("facebook", [:]).browserMaximumAge == .seconds(600))
    }

    @Test func `browser logins request the configured scopes, and an invalid scope is refused by its key`() async throws
    {
        func scope(_ settings: [String: String]) async throws -> String? {
            let transport = StubTransport()
            transport.answer(
                "https://corp.example/.well-known/openid-configuration",
                with: .json([
                    "issuer": "https://corp.example", "jwks_uri": "https://corp.example/keys",
                    "authorization_endpoint": "https://corp.example/authorize",
                    "token_endpoint": "https://corp.example/token",
                ])
            )
            let corp = try Self.provider("corp", settings)
            let providers = try SignInProviders([corp], keys: KeySnapshot([]), transport: transport)
            let logins = try await providers.loginManager(
                for: "corp",
                redirectURL: "https://login.example.com/login/corp/callback",
                attempts: InMemoryAttemptStore()
            )
            let url = try await logins.begin(purpose: .signIn).url
            return URLComponents(string: url)?.queryItems?.first { $0.name == "scope" }?.value
        }
        #expect(try await scope([:]) == "email openid profile")
        #expect(try await scope(["scopes": "groups,email"]) == "email groups openid")
        let error = #expect(throws: ConfigurationFault.self) { try Self.provider("corp", ["scopes": "two words"]) }
        #expect(error?.description.hasPrefix("provider.corp.scopes: a scope must have") == true)
    }
}
#endif
