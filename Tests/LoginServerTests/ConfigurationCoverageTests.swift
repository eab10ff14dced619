// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import Testing

@testable import LoginServer

/// Everything that Swift can set is a key of the service, or this table says why not.
@Suite struct ConfigurationCoverageTests {
    /// How operators set a property.
    private enum Setting {
        /// By these keys.
        case keys([String])
        /// By these tweaks.
        case tweaks([String])
        /// Not at all, for this reason.
        case none(String)
    }

    private static let signInProvider: [String: Setting] = [
        "id": .keys(["providers"]),
        "provider": .keys([
            "provider.<name>.kind", "provider.<name>.issuer", "provider.<name>.tenants", "provider.<name>.auth-time",
            "provider.<name>.allow-loopback-http", "cleartext-hosts", "provider.<name>.jwks-uri",
            "provider.<name>.keys-file", "provider.<name>.discovery-url", "provider.<name>.discovery-issuer",
            "provider.<name>.content-types", "provider.<name>.follow-redirects", "provider.<name>.bearer-file",
        ]),
        "displayName": .keys(["provider.<name>.name"]),
        "clientID": .keys(["provider.<name>.client-id", "provider.<name>.app-ids"]),
        "appClientIDs": .keys(["provider.<name>.audiences", "provider.<name>.app-ids"]),
        "authentication": .keys([
            "provider.<name>.client-authentication", "provider.<name>.client-secret-file",
            "provider.<name>.app-secret-file", "provider.<name>.client-key-file", "provider.<name>.client-key-id",
        ]),
        "algorithms": .keys(["provider.<name>.algorithms"]),
        "trustedAudiences": .keys(["provider.<name>.trusted-audiences"]),
        "tokenType": .keys(["provider.<name>.token-type"]),
        "browserSecret": .keys(["provider.<name>.browser-algorithm"]),
        "appSecret": .keys(["provider.<name>.app-algorithm"]),
        "usesKeys": .none("It follows from the secrets."),
        "limits": .keys(["provider.<name>.max-token-bytes", "provider.<name>.max-header-bytes"]),
        "appNonce": .keys(["provider.<name>.app-nonce"]),
        "browserNonce": .keys(["provider.<name>.nonce"]),
        "pkce": .keys(["provider.<name>.pkce"]),
        "codeInjection": .keys(["provider.<name>.code-injection"]),
        "userInfo": .keys(["provider.<name>.user-info"]),
        "appMaximumAge": .keys(["provider.<name>.max-age"]),
        "browserMaximumAge": .keys(["provider.<name>.max-age"]),
        "emailTrust": .keys(["provider.<name>.email-domains"]),
        "request": .keys(["provider.<name>.scopes", "provider.<name>.permissions", "provider.<name>.tracking"]),
        "offersBrowserLogin": .keys(["provider.<name>.apps-only"]),
        "permissionReasons": .keys(["provider.<name>.reason.<permission>"]),
        "metadata": .none("A provider without a discovery document can be put behind one: discovery-url."),
    ]

    private static let accessTokenPolicy: [String: Setting] = [
        "issuer": .keys(["api.<name>.issuer", "api.<name>.preset", "api.<name>.jwt.mark"]),
        "audiences": .keys(["api.<name>.audiences"]),
        "requiredScopes": .keys(["api.<name>.scopes"]),
        "allowedClients": .keys(["api.<name>.clients"]),
        "requiredValues": .keys(["api.<name>.required-values"]),
        "algorithms": .keys(["api.<name>.algorithms"]),
        "leeway": .tweaks(["tokens.times.leeway"]),
        "maximumAge": .keys(["api.<name>.max-age"]),
        "limits": .keys(["api.<name>.max-token-bytes", "api.<name>.max-header-bytes"]),
    ]

    private static let keyCacheConfiguration: [String: Setting] = [
        "lifetime": .tweaks(["keys.cache.minimum-lifetime", "keys.cache.maximum-lifetime"]),
        "staleLimit": .tweaks(["keys.cache.stale-limit"]),
        "cooldown": .tweaks(["keys.cache.cooldown"]),
        "retry": .none("The delays double up to five minutes, which suits an outage of any length."),
        "fetchDeadline": .none("A person who logs in waits for discovery, which has the same five seconds."),
        "keySetHosts": .keys(["keys-hosts"]),
        "keySetLimits": .keys(["max-keys"]),
        "allowsPublishedTestKeys": .none("Everybody has the private keys, so no service may accept them."),
    ]

    private static let types = [
        ("LoginProviders/Identity/SignInProvider.swift", "public struct SignInProvider", signInProvider),
        ("LoginTokens/AccessTokens/AccessTokenPolicy.swift", "public struct AccessTokenPolicy", accessTokenPolicy),
        ("LoginKeys/KeyCacheConfiguration.swift", "public struct KeyCacheConfiguration", keyCacheConfiguration),
    ]

    /// Returns the public stored and computed properties in the declaration of a type.
    private static func properties(of declaration: String, in path: String) throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
        let body = try #require(text.firstRange(of: declaration).map { text[$0.upperBound...] })
        let end = body.firstRange(of: "\n}")?.lowerBound ?? body.endIndex
        let pattern = /(?m)^ {4}public (?:package\(set\) )?(?:var|let) ([A-Za-z]+)/
        return Set(body[..<end].matches(of: pattern).map { String($0.output.1) })
    }

    @Test(arguments: [0, 1, 2])
    func `every property has a key or a tweak that exists, or a reason why operators cannot set it`(index: Int) throws {
        let (path, declaration, settings) = Self.types[index]
        let properties = try Self.properties(of: declaration, in: path)
        #expect(properties.count > 5)
        #expect(properties.subtracting(settings.keys).isEmpty, "add a key, or a line to the table")
        #expect(Set(settings.keys).subtracting(properties).isEmpty, "remove the line from the table")
        let known = Set(ConfigurationKey.all.map(\.name))
        let service = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/LoginServer/ServiceTweaks.swift")
        let tweaks = try String(contentsOf: service, encoding: .utf8)
        for (property, setting) in settings {
            switch setting {
            case .keys(let keys):
                #expect(!keys.isEmpty && known.isSuperset(of: keys), "\(property)")
            case .tweaks(let ids):
                for id in ids { #expect(tweaks.contains("\"\(id)\""), "\(property)") }
            case .none(let reason):
                #expect(reason.hasSuffix("."), "\(property)")
            }
        }
    }
}
#endif
