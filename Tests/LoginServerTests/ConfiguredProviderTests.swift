// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LimitedLogin
import LoginPages
import LoginProviders
import LoginTesting
import LoginTokens
import Logging
import Testing

@testable import LoginServer

/// The providers that a configuration declares.
@Suite struct ConfiguredProviderTests {
    private static func configuration(_ flags: [String: String]) throws -> ServiceConfiguration {
        try ConfigurationFileReader(flags: flags, environment: ["HOME": "/h"]).configuration(nil)
    }

    @Test func `the providers read the app secret from its file, and are refused without it`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        #expect(
            FileManager.default.createFile(
                atPath: file.path,
                contents: Data("hunter2\n".utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        let configuration = try Self.configuration([
            "providers": "facebook", "provider.facebook.app-ids": "1234567890",
            "provider.facebook.app-secret-file": file.path,
        ])
        #expect(try configuration.signInProviders().map(\.id.rawValue) == ["facebook"])
        #expect(try configuration.facebookApp()?.id == "1234567890")
        try FileManager.default.removeItem(at: file)
        #expect(throws: ConfigurationFault.self) { _ = try configuration.signInProviders() }
    }

    @Test func `the pages link to the configured support, and another scheme is refused`() throws {
        var flags = ["providers": "google", "provider.google.client-id": "g"]
        #expect(try Self.configuration(flags).pagesOptions().support == nil)
        flags["pages.support"] = "mailto:help@example.com"
        let options = try Self.configuration(flags).pagesOptions()
        #expect(options.support == SupportLink("mailto:help@example.com"))
        flags["pages.support"] = "javascript:alert(1)"
        let configuration = try Self.configuration(flags)
        #expect(throws: ConfigurationFault.self) { _ = try configuration.pagesOptions() }
    }

    @Test(arguments: [
        ("user_birthdy", "; did you mean user_birthday?"), ("manage_everything", nil), ("user_birthday", nil),
    ])
    func `a permission that Limited Login does not offer is refused, with a suggestion if it is mistyped`(
        _ permission: String,
        _ hint: String?
    ) throws {
        let configuration = try Self.configuration([
            "providers": "facebook", "provider.facebook.app-ids": "1234567890",
            "provider.facebook.permissions": permission,
        ])
        do throws(ConfigurationFault) {
            _ = try configuration.signInProviders()
            #expect(permission == "user_birthday")
        } catch {
            #expect(permission != "user_birthday" && error.description.hasPrefix("provider.facebook.permissions: "))
            #expect(
                error.description.hasSuffix(hint ?? "") && error.description.contains("did you mean") == (hint != nil)
            )
        }
    }

    @Test func `logos are read at startup, and a missing, oversized or non-SVG file is refused by its key`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "logo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let provider = ["providers": "google", "provider.google.client-id": "g"]
        let (ofService, ofProvider) = (["pages.logo-file": file.path], ["provider.google.logo-file": file.path])
        let keys = ofService.merging(ofProvider) { $1 }
        try Data("<svg/>".utf8).write(to: file)
        let options = try Self.configuration(provider.merging(keys) { $1 }).pagesOptions()
        #expect(options.logo != nil && Array(options.providerLogos.keys) == [.google])
        let without = try Self.configuration(provider).pagesOptions()
        #expect(without.logo == nil && without.providerLogos.isEmpty)
        for content in ["GIF89a", "<svg/>" + String(repeating: " ", count: 65_536), nil] {
            if let content {
                try Data(content.utf8).write(to: file)
            } else {
                try FileManager.default.removeItem(at: file)
            }
            for flags in [ofService, ofProvider] {
                let configuration = try Self.configuration(provider.merging(flags) { $1 })
                do throws(ConfigurationFault) {
                    _ = try configuration.pagesOptions()
                    Issue.record("accepted")
                } catch {
                    #expect(error.description.hasPrefix("\(flags.keys.first ?? ""): "))
                }
            }
        }
    }

    @Test func `each provider kind has a default e-mail trust, which the configuration can replace`() throws {
        let issuer = "https://login.corp.example"
        let configuration = try Self.configuration([
            "providers": "google,apple,corp,trusted", "provider.google.client-id": "g",
            "provider.apple.client-id": "a",
            "provider.corp.kind": "openid", "provider.corp.issuer": issuer, "provider.corp.client-id": "c",
            "provider.trusted.kind": "openid", "provider.trusted.issuer": "\(issuer)/two",
            "provider.trusted.client-id": "t", "provider.trusted.audiences": "t1,t2",
            "provider.trusted.email-domains": "corp.example",
        ])
        let providers = try configuration.signInProviders()
        #expect(
            providers.map(\.emailTrust) == [
                .verifiedClaim(domains: ["gmail.com", "googlemail.com"]), .verifiedClaimOfAnyDomain, .never,
                .verifiedClaim(domains: ["corp.example"]),
            ]
        )
        #expect(providers.map(\.appClientIDs) == [["g"], ["a"], ["c"], ["t1", "t2"]])
        let browsers = providers.allSatisfy(\.offersBrowserLogin)
        #expect(browsers)
        #expect(providers.map(\.displayName) == ["Google", "Apple", "corp", "trusted"])
    }

    @Test func `ID tokens are signed with the client secret if the configuration says so, and for the web at LINE`()
        throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(
            atPath: file.path,
            contents: Data("0123456789abcdef0123456789abcdef\n".utf8),
            attributes: [.posixPermissions: 0o600]
        )
        let configuration = try Self.configuration([
            "providers": "line,corp,old", "provider.line.client-id": "1", "provider.line.client-secret-file": file.path,
            "provider.corp.issuer": "https://corp.example", "provider.corp.client-id": "c",
            "provider.old.issuer": "https://access.line.me", "provider.old.client-id": "1",
            "provider.old.client-secret-file": file.path, "provider.old.browser-algorithm": "HS256",
            "provider.old.app-algorithm": "HS256",
        ])
        let providers = try configuration.signInProviders()
        #expect(providers.map(\.provider.name) == ["line", "corp", "old"])
        #expect(providers.map(\.usesKeys) == [true, true, false])
        #expect(providers.map { $0.browserSecret?.algorithm } == [.hs256, nil, .hs256])
        #expect(providers.map { $0.appSecret?.algorithm } == [nil, nil, .hs256])
        #expect(providers.map(\.algorithms) == [[.es256], nil, nil])
        let long = try Self.configuration([
            "providers": "old", "provider.old.issuer": "https://old.example", "provider.old.client-id": "1",
            "provider.old.client-secret-file": file.path, "provider.old.app-algorithm": "HS512",
        ])
        let error = #expect(throws: ConfigurationFault.self) { try long.signInProviders() }
        #expect(error?.description.hasPrefix("provider.old.client-secret-file: ") == true)
        #expect(error?.description.contains("HS512 requires at least 64 bytes") == true)
    }

    @Test(
        arguments: [
            ("google", ["app-algorithm": "HS256"], "app-algorithm can be set only for providers of the kind openid"),
            (
                "line", ["browser-algorithm": "HS256"],
                "browser-algorithm can be set only for providers of the kind openid"
            ),
            ("line", [:], "client-secret-file is required for the kind line"),
            ("corp", ["browser-algorithm": "HS256"], "browser-algorithm requires provider.corp.client-secret-file"),
            ("corp", ["app-algorithm": "HS512"], "app-algorithm requires provider.corp.client-secret-file"),
            ("corp", ["app-algorithm": "RS256"], "app-algorithm must be one of HS256, HS384, HS512"),
            (
                "corp", ["app-algorithm": "HS256", "client-secret-file": "/secret", "audiences": "c,app"],
                "app-algorithm: the secret is that of one client, so provider.corp.audiences must be the client ID"
            ),
        ] as [(String, [String: String], String)]
    )
    func `a setting for the client secret without effect is refused with its key`(
        provider: String,
        further: [String: String],
        fault: String
    ) {
        var flags = ["providers": provider, "provider.\(provider).client-id": "c"]
        if provider == "corp" { flags["provider.corp.issuer"] = "https://corp.example" }
        if provider == "line", !further.isEmpty { flags["provider.line.client-secret-file"] = "/secret" }
        for (name, value) in further { flags["provider.\(provider).\(name)"] = value }
        let error = #expect(throws: ConfigurationFault.self) { try Self.configuration(flags) }
        #expect(error?.description.hasSuffix("provider.\(provider).\(fault)") == true)
    }

    @Test func `Facebook logs users in without tracking unless the configuration enables it`() throws {
        func facebook(_ flags: [String: String] = [:]) throws -> SignInProvider {
            var all = ["providers": "facebook", "provider.facebook.app-ids": "1234567890"]
            for (name, value) in flags { all["provider.facebook.\(name)"] = value }
            return try #require(try Self.configuration(all).signInProviders().first)
        }
        #expect(try facebook().request.responseMode == .fragment)
        #expect(try facebook().displayName == "Facebook")
        #expect(try facebook(["name": "Meta"]).displayName == "Meta")
        #expect(try facebook(["permissions": "email,user_birthday"]).request.responseMode == .fragment)
        // Limited Login has fewer permissions, and a name must be valid in any login.
        #expect(try facebook().permissionReasons.isEmpty)
        let reason = ["reason.email": "We send receipts, and nothing else."]
        #expect(try facebook(reason).permissionReasons == [.email: "We send receipts, and nothing else."])
        let posts = ["permissions": "email,user_posts", "tracking": "enabled"]
        #expect(try facebook(posts).request.responseMode == .query)
        for wrong in [["permissions": "email,user_posts"], ["permissions": "E-Mail", "tracking": "enabled"]] {
            let fault = #expect(throws: ConfigurationFault.self) { try facebook(wrong) }
            #expect(fault?.description.hasPrefix("provider.facebook.permissions: ") == true)
        }
    }

    @Test func `logins at Facebook request the configured permissions, or else the e-mail address`() async throws {
        let issuer = TestIssuer.facebook()
        func scope(_ permissions: String?) async throws -> String? {
            var flags = ["providers": "facebook", "provider.facebook.app-ids": issuer.audience]
            flags["provider.facebook.permissions"] = permissions
            let providers = try SignInProviders(
                Self.configuration(flags).signInProviders(),
                keys: issuer.keys,
                transport: StubTransport()
            )
            let logins = try await providers.loginManager(
                for: .facebook,
                redirectURL: "https://login.example.com/login/facebook/callback",
                attempts: InMemoryAttemptStore()
            )
            let url = try await logins.begin(purpose: .signIn).url
            return URLComponents(string: url)?.queryItems?.first { $0.name == "scope" }?.value
        }
        #expect(try await scope(nil) == "email,openid")
        #expect(try await scope("user_birthday,user_link") == "openid,user_birthday,user_link")
    }

    @Test func `the version of the Graph API is configured, and its end is logged from 90 days before`() throws {
        func facebook(_ version: String?, at time: String) throws -> (level: Logger.Level, status: String)? {
            var all = ["providers": "facebook", "provider.facebook.app-ids": "1234567890"]
            all["provider.facebook.graph-version"] = version
            let configuration = try Self.configuration(all)
            let notice = try #require(configuration.providers.first)
                .graphVersionNotice(at: Date(time, strategy: .iso8601))
            _ = try configuration.signInProviders()
            return notice.map { ($0.level, $0.metadata["facebook.status"]?.description ?? "") }
        }
        #expect(try facebook(nil, at: "2026-11-27T00:00:00Z") == nil)
        #expect(try facebook("v22.0", at: "2026-11-27T00:00:00Z") == nil)
        let ending = try #require(try facebook("v21.0", at: "2026-11-27T00:00:00Z"))
        #expect(ending.level == .warning && ending.status == "served only until 2027-01-21")
        let ended = try #require(try facebook("v20.0", at: "2026-11-27T00:00:00Z"))
        #expect(ended.level == .warning && ended.status.hasPrefix("not served since"))
        let later = try #require(try facebook("v99.0", at: "2026-11-27T00:00:00Z"))
        #expect(later.level == .info && later.status.hasPrefix("newer than this release"))
        let fault = #expect(throws: ConfigurationFault.self) { try facebook("21", at: "2026-11-27T00:00:00Z") }
        #expect(fault?.description == "provider.facebook.graph-version: a Graph API version must have the form v21.0")
    }
}
#endif
