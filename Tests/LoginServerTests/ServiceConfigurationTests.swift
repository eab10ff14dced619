// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import Foundation
internal import LoginAccounts
internal import LoginHummingbird
internal import LoginProviders
internal import LoginKeys
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing
internal import Tweaks

@testable internal import LoginServer

/// Settings from flags, the environment and the file, and invalid ones.
@Suite struct ServiceConfigurationTests {
    /// Returns the configuration from these sources.
    private static func read(
        _ yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) throws -> ServiceConfiguration {
        let reader = ConfigurationFileReader(flags: flags, environment: environment.merging(["HOME": "/h"]) { $1 })
        return try reader.configuration(yaml.map { try file($0) })
    }

    private static func file(_ yaml: String) throws -> ServiceFile {
        try ServiceFile(Array(yaml.utf8))
    }

    /// Returns the error of a configuration.
    private static func fault(
        _ yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [String: String] = [:]
    ) -> String {
        do {
            _ = try read(yaml, environment: environment, flags: flags)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    @Test func `an empty configuration has the defaults`() throws {
        let configuration = try Self.read()
        #expect(configuration.listen == .host("127.0.0.1", port: 8080))
        #expect(configuration.publicURL == "http://localhost:8080")
        #expect(configuration.store == "/h/.local/state/verify-token/accounts.sqlite")
        #expect(configuration.admin == nil && configuration.tls == nil && configuration.mailCommand == nil)
        #expect(configuration.smsCommand == nil && !configuration.allowsPhoneSignIn)
        #expect(configuration.authPolicy.factors.allowedNumberPrefixes.isEmpty && configuration.switches.isEmpty)
        #expect(configuration.storeConnections == nil && !configuration.storesProfiles)
        #expect(configuration.providers.isEmpty && configuration.policies.isEmpty && configuration.tweaks.isEmpty)
        let state = try Self.read(environment: ["STATE_DIRECTORY": "/var/lib/verify-token:/other"])
        #expect(state.store == "/var/lib/verify-token/accounts.sqlite")
    }

    @Test func `the connection limits are the library's defaults unless they are configured`() throws {
        let (defaults, unset) = (ConnectionLimits(), try Self.read().connectionLimits)
        #expect(unset.headTimeout == defaults.headTimeout && unset.requestTimeout == defaults.requestTimeout)
        #expect(unset.maximumPerNetwork == defaults.maximumPerNetwork)
        let limits = try Self.read("head-timeout: 3\nrequest-timeout: 600\nconnections-per-network: 7\n")
            .connectionLimits
        #expect(limits.headTimeout == .seconds(3) && limits.requestTimeout == .seconds(600))
        #expect(limits.maximumPerNetwork == 7)
    }

    @Test func `flags override environment variables, which override the file`() throws {
        let yaml = "listen: 127.0.0.1:1\nstore: /file.sqlite\nlog-level: error\n"
        let environment = ["VERIFY_TOKEN_LISTEN": "127.0.0.1:2", "VERIFY_TOKEN_STORE": "/environment.sqlite"]
        let configuration = try Self.read(yaml, environment: environment, flags: ["listen": "127.0.0.1:3"])
        #expect(configuration.listen == .host("127.0.0.1", port: 3))
        #expect(configuration.store == "/environment.sqlite")
        #expect(configuration.tweaks == ["log.level": "error"])
    }

    @Test func `of the two keys of the log level, the one from the source with higher precedence is used`() throws {
        func level(_ yaml: String?, environment: [String: String] = [:], flags: [String: String] = [:]) throws
            -> String?
        {
            let reader = ConfigurationFileReader(flags: flags, environment: environment)
            let file = try yaml.map { try Self.file($0) }
            var configuration = try reader.configuration(file)
            try configuration.readTweaks(["log.level"], in: reader.values(file))
            return configuration.tweaks["log.level"]
        }
        let tweak = "tweaks: { log.level: error }\n"
        #expect(try level(tweak) == "error")
        #expect(try level(tweak, flags: ["log-level": "debug"]) == "debug")
        #expect(try level(tweak, environment: ["VERIFY_TOKEN_LOG_LEVEL": "debug"]) == "debug")
        #expect(try level("log-level: debug\n", environment: ["VERIFY_TOKEN_TWEAKS_LOG_LEVEL": "error"]) == "error")
        let both = ["VERIFY_TOKEN_LOG_LEVEL": "debug"]
        #expect(try level(nil, environment: both, flags: ["tweaks.log.level": "error"]) == "error")
        // Within one source, the tweak's own name takes precedence.
        #expect(try level(tweak + "log-level: debug\n") == "error")
    }

    private static let whole = """
        listen: "[::1]:9000"
        public-url: https://login.example.com
        store: /a.sqlite
        trusted-proxies: [127.0.0.1/32, "fd00::/8"]
        providers: [facebook, google, demo]
        provider:
          facebook: { app-ids: ["123", "456"], name: Sign-in }
          google: { client-id: g.example, audiences: [g.example, app.example] }
          demo: { issuer: "http://127.0.0.1:9400", client-id: demo, allow-loopback-http: true }
        policies: [app]
        policy: { app: { provider: google, max-age: 600, nonce: absent } }
        passwords: true
        mail: { command: [/usr/sbin/sendmail, -t] }
        phone-sign-in: true
        sms: { command: [/usr/local/bin/send-sms], per-hour: 200, countries: [+49, "+1415"] }
        admin: { listen: "unix:/run/verify-token/admin.sock" }
        tweaks: { tokens.times.leeway: 60, keys: { cache: { cooldown: 10 } } }
        """

    @Test func `a complete configuration file is read`() throws {
        let configuration = try Self.read(Self.whole)
        #expect(configuration.listen == .host("::1", port: 9000))
        #expect(configuration.publicURL == "https://login.example.com")
        #expect(configuration.trustedProxies.count == 2)
        #expect(configuration.providers.map(\.name) == ["facebook", "google", "demo"])
        #expect(configuration.providers.map(\.kind) == [.facebook, .google, .openid])
        #expect(configuration.providers.map(\.title) == ["Sign-in", nil, nil])
        #expect(configuration.providers.map(\.audiences) == [["123", "456"], ["g.example", "app.example"], ["demo"]])
        #expect(configuration.providers[2].allowsLoopbackHTTP)
        let policy = try #require(configuration.policies.first)
        // Nil stands for the audiences of the provider.
        #expect(policy.audiences == nil && policy.maximumAge == .seconds(600))
        #expect(policy.nonce == .absent)
        #expect(configuration.mailCommand == ["/usr/sbin/sendmail", "-t"])
        #expect(configuration.smsCommand == ["/usr/local/bin/send-sms"] && configuration.allowsPhoneSignIn)
        #expect(configuration.authPolicy.factors.sendsPerHour == 200)
        #expect(configuration.authPolicy.factors.allowedNumberPrefixes == ["+49", "+1415"])
        #expect(configuration.switches == ["facebook", "google", "demo", "phone"])
        #expect(configuration.admin?.listen == .unix("/run/verify-token/admin.sock"))
        var tweaked = configuration
        let reader = ConfigurationFileReader(flags: [:], environment: [:])
        try tweaked.readTweaks(
            ["tokens.times.leeway", "keys.cache.cooldown", "log.level"],
            in: reader.values(try Self.file(Self.whole))
        )
        #expect(tweaked.tweaks == ["tokens.times.leeway": "60", "keys.cache.cooldown": "10"])
    }

    @Test func `lists and provider names are read from environment variables`() throws {
        let configuration = try Self.read(environment: [
            "VERIFY_TOKEN_PROVIDERS": "my-idp, google", "VERIFY_TOKEN_PROVIDER_MY_IDP_ISSUER": "https://idp.example",
            "VERIFY_TOKEN_PROVIDER_MY_IDP_CLIENT_ID": "x", "VERIFY_TOKEN_PROVIDER_GOOGLE_CLIENT_ID": "g",
        ])
        #expect(configuration.providers.map(\.name) == ["my-idp", "google"])
        #expect(configuration.providers.map(\.issuer) == ["https://idp.example", nil])
    }

    @Test func `reasons for permissions are read from every source, and only for requested permissions`() throws {
        let yaml = """
            providers: [facebook]
            provider:
              facebook:
                app-ids: ["1"]
                permissions: [email, user_birthday]
                reason: { email: "We send receipts.", user_birthday: "We send a card." }
            """
        let variable = "VERIFY_TOKEN_PROVIDER_FACEBOOK_REASON_EMAIL"
        let provider = try #require(try Self.read(yaml, environment: [variable: "Receipts."]).providers.first)
        #expect(provider.permissionReasons == ["email": "Receipts.", "user_birthday": "We send a card."])
        // A flag may request less than the file explains.
        let less = try Self.read(yaml, flags: ["provider.facebook.permissions": "email"])
        #expect(less.providers.first?.permissionReasons == ["email": "We send receipts."])
        let unknown = "provider.facebook.reason.user_link"
        let fault = "provider.facebook.permissions does not contain this permission"
        #expect(Self.fault(yaml, flags: [unknown: "x"]) == "\(unknown): \(fault)")
        let other = "VERIFY_TOKEN_PROVIDER_FACEBOOK_REASON_USER_LINK"
        #expect(Self.fault(yaml, environment: [other: "x"]) == "\(other): \(fault)")
        let google = "providers: [google]\nprovider: { google: { client-id: x, reason: { email: x } } }"
        #expect(
            Self.fault(google) == "provider.google.reason.email can be set only for providers of the kind facebook"
        )
        #expect(Self.fault(yaml + "\n    reason.email.twice: x").contains("unknown key"))
    }

    @Test func `store-profiles enables the storage of profiles, and must be true or false`() throws {
        #expect(try Self.read("store-profiles: true\n").storesProfiles)
        #expect(Self.fault("store-profiles: maybe\n") == "store-profiles must be true or false")
    }

    @Test(arguments: [
        ("listn: 127.0.0.1:1", "unknown key listn; did you mean listen?"),
        (
            "provider: { google: { clientid: x } }",
            "unknown key provider.google.clientid; did you mean provider.google.client-id?"
        ),
        ("client-secret: hunter2", "unknown key client-secret"),
        ("admin: { tokn-file: x }", "unknown key admin.tokn-file; did you mean admin.token-file?"),
        ("completely-different: 1", "unknown key completely-different"),
    ])
    func `an unknown key is refused with a suggestion and without its value`(_ yaml: String, _ fault: String) {
        let found = Self.fault(yaml)
        #expect(found.contains(fault), "\(found)")
        #expect(!found.contains("hunter2"))
    }

    @Test(arguments: [
        (
            "policies: [mobile]\npolicy: { moblie: { max-age: 600 } }",
            "policy.moblie: policies does not contain moblie; did you mean mobile?"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x }, demo: { client-id: x } }",
            "provider.demo: providers does not contain demo"
        ),
        ("provider: { google: { client-id: x } }", "provider.google: providers does not contain google"),
    ])
    func `settings of a provider or policy that is not listed are refused`(_ yaml: String, _ fault: String) {
        let found = Self.fault(yaml)
        #expect(found.hasPrefix(fault), "\(found)")
    }

    @Test
    func `flags and variables of unlisted providers are refused, and a flag may list fewer providers than the file`()
        throws
    {
        let flags = ["providers": "google", "provider.google.client-id": "x", "provider.gogle.name": "Google"]
        #expect(Self.fault(flags: flags) == "provider.gogle: providers does not contain gogle; did you mean google?")
        let environment = [
            "VERIFY_TOKEN_PROVIDERS": "my-idp", "VERIFY_TOKEN_PROVIDER_MY_IDP_ISSUER": "https://idp.example",
            "VERIFY_TOKEN_PROVIDER_MY_IPD_CLIENT_ID": "x",
        ]
        #expect(
            Self.fault(environment: environment)
                == "unknown key VERIFY_TOKEN_PROVIDER_MY_IPD_CLIENT_ID; did you mean VERIFY_TOKEN_PROVIDER_MY_IDP_CLIENT_ID?"
        )
        let yaml = """
            providers: [google, demo]
            provider: { google: { client-id: x }, demo: { client-id: y, issuer: "https://demo.example" } }
            """
        #expect(try Self.read(yaml).providers.count == 2)
        #expect(try Self.read(yaml, flags: ["providers": "google"]).providers.map(\.name) == ["google"])
    }

    @Test func `only one provider can have the kind google, apple or line, and several can have the kind openid`()
        throws
    {
        func yaml(_ kind: String, _ further: String) -> String {
            """
            providers: [first, second]
            provider:
              first: { kind: \(kind), client-id: x\(further.replacing("#", with: "1")) }
              second: { kind: \(kind), client-id: y\(further.replacing("#", with: "2")) }
            """
        }
        for kind in ["google", "apple", "line"] {
            #expect(
                Self.fault(yaml(kind, kind == "line" ? ", client-secret-file: /secret" : ""))
                    == "provider.second.kind: only one provider can have the kind \(kind), and first already has it"
            )
        }
        let others = try Self.read(yaml("openid", ", issuer: \"https://#.example\"")).providers
        #expect(others.map(\.kind) == [.openid, .openid])
    }

    @Test(arguments: [("", "optional"), (", auth-time: required", "required"), (", auth-time: ignored", "ignored")])
    func `auth-time is read for OpenID providers and refused for others`(_ text: String, _ expected: String)
        throws
    {
        let yaml = "providers: [a]\nprovider: { a: { client-id: x, issuer: \"https://a.example\"\(text) } }"
        let provider = try #require(try Self.read(yaml).signInProviders().first?.provider)
        #expect(provider.reauthentication.authenticationTime.rawValue == expected)
        #expect(provider.reauthentication.parameters == ["prompt": "login"])
        #expect(provider.reauthentication.sendsMaximumAge)
        #expect(
            Self.fault("providers: [google]\nprovider: { google: { client-id: x, auth-time: required } }")
                == "provider.google.auth-time can be set only for providers of the kind openid"
        )
        let google = try Self.read(flags: ["providers": "google", "provider.google.client-id": "x"])
        #expect(try google.signInProviders().map(\.provider) == [.google])
    }

    @Test(arguments: [
        ("127.0.0.2:8081", "127.0.0.2:8081", true), ("127.0.0.1:8081", "127.0.0.2:8081", false),
        ("[0:0:0:0:0:0:0:1]:8081", "[0:0:0:0:0:0:0:1]:8081", true), ("127.0.0.2:8081", "localhost:8081", true),
        ("127.0.0.2:8081", "admin.example", true), ("unix:/a", "127.0.0.2", false),
    ])
    func `the admin page is reachable by its listen address, localhost and the allowed hosts`(
        _ listen: String,
        _ authority: String,
        _ isKnown: Bool
    ) throws {
        let flags = ["admin.listen": listen, "admin.token-file": "/token", "admin.hosts": "admin.example"]
        let admin = try #require(try Self.read(flags: flags).admin)
        #expect(AdminGuard.isKnown(authority, beside: admin.allowedHosts) == isKnown)
    }

    @Test(arguments: [
        "listen: 127.0.0.1:1\nlisten: 127.0.0.1:2", "tls: { key-file: a }\ntls: { key-file: b }",
        "admin.listen: \"unix:/a\"\nadmin: { listen: \"unix:/b\" }",
    ])
    func `a duplicate key is refused`(_ yaml: String) {
        #expect(Self.fault(yaml).contains("duplicated") || Self.fault(yaml).contains("twice"), "\(Self.fault(yaml))")
    }

    @Test func `invalid YAML is refused without quoting it`() {
        let found = Self.fault("store: [hunter2\nsecret: {")
        #expect(found.contains("invalid YAML"))
        #expect(!found.contains("hunter2"))
        #expect(Self.fault("- a").contains("invalid YAML"))
    }

    @Test(arguments: [
        ("listen: 8080", "listen must be host:port"), ("listen: host:99999", "listen must be host:port"),
        ("listen: \"unix:/a\"", "listen must be host:port"), ("listen: 127.0.0.1:080", "listen must be host:port"),
        ("listen: [a, b]", "listen must be a single value"), ("listen: 0.0.0.0:80", "public-url is required"),
        ("listen: \"\"", "listen must not be empty"), ("listen: null", "listen must not be empty"),
        ("guests: ~", "guests must not be empty"),
        ("public-url: http://login.example.com", "public-url must be an https origin"),
        ("public-url: https://a.example/path", "public-url must be an https origin"),
        ("trusted-proxies: [10.0.0.1/8]", "trusted-proxies: "),
        ("allow-networks: [10.0.0.1/8]", "allow-networks: "),
        ("keys-hosts: keys.example", "keys-hosts must be a list, for example [keys.example]"),
        ("trusted-proxies: 10.0.0.0/8", "trusted-proxies must be a list"),
        ("providers: [a, a]", "twice"), ("providers: [A]", "providers: \"A\" is not a valid name"),
        ("providers: [password]", "providers: password"), ("providers: [x]", "provider.x.issuer is required"),
        ("providers: [google]", "provider.google.client-id is required"),
        ("providers: [facebook]", "provider.facebook.app-ids must contain"),
        (
            "providers: [google]\nprovider: { google: { client-id: x, issuer: y } }",
            "provider.google.issuer can be set only for providers of the kind openid"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x, app-ids: [\"1\"] } }",
            "provider.google.app-ids can be set only for providers of the kind facebook"
        ),
        (
            "providers: [facebook]\nprovider: { facebook: { app-ids: [\"1\"], client-id: x } }",
            "provider.facebook.client-id can be set only for providers of the kind google or apple or line or microsoft or openid"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x, kind: gogle } }",
            "provider.google.kind must be one of"
        ),
        (
            "providers: [facebook]\nprovider: { facebook: { app-ids: [\"1\"], tracking: disabled } }",
            "provider.facebook.tracking must be one of limited, enabled"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x, tracking: limited } }",
            "provider.google.tracking can be set only for providers of the kind facebook"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x, graph-version: v27.0 } }",
            "provider.google.graph-version can be set only for providers of the kind facebook"
        ),
        (
            "providers: [google]\nprovider: { google: { client-id: x, permissions: [email] } }",
            "provider.google.permissions can be set only for providers of the kind facebook"
        ),
        ("policies: [p]", "policy.p.provider is required"),
        ("pages: { languages: [fr] }", "pages.languages must contain only en, de, es, id, ko"),
        ("pages: { languages: [de, de] }", "pages.languages must contain only en, de, es, id, ko, each at most once"),
        ("store-connections: 0", "store-connections must be a whole number from 1 to 100"),
        ("store-connections: 101", "store-connections must be a whole number from 1 to 100"),
        ("head-timeout: 0", "head-timeout must be a whole number from 1 to 3600"),
        ("request-timeout: 3601", "request-timeout must be a whole number from 1 to 3600"),
        ("connections-per-network: 0", "connections-per-network must be a whole number from 1 to 1000000"),
        ("passwords: true", "passwords requires mail.command"),
        ("phone-sign-in: true", "phone-sign-in requires sms.command"),
        ("sms: { per-hour: 0 }", "sms.per-hour must be a whole number"),
        ("sms: { countries: [49] }", "sms.countries: "), ("passwords: yes", "passwords must be true or false"),
        ("log-level: loud", "log-level must be one of"),
        ("tls: { certificate-file: a }", "tls.key-file is required"),
        ("tls: { key-file: a }", "tls.certificate-file is required"),
        ("admin: { listen: 0.0.0.0:1 }", "admin.listen must be a Unix socket or a loopback address"),
        ("admin: { listen: 127.0.0.1:1 }", "admin.token-file is required"),
        (
            "listen: 127.0.0.1:1\nadmin: { listen: 127.0.0.1:1, token-file: /t }",
            "admin.listen must differ from listen"
        ),
        ("admin: { listen: \"unix:relative\" }", "admin.listen must be unix: and an absolute path"),
        ("admin: { listen: \"unix:/a\", hosts: [A.example] }", "admin.hosts: "),
    ])
    func `an invalid, missing or conflicting setting is refused with its key`(_ yaml: String, _ fault: String) {
        let found = Self.fault(yaml)
        #expect(found.contains(fault), "\(found)")
    }

    @Test func `the pages use all languages and the default name unless they are configured`() throws {
        let defaults = try Self.read()
        #expect(defaults.pagesLanguages.isEmpty && defaults.pagesName == nil)
        let configuration = try Self.read("pages: { name: Example, languages: [ko, en] }\n")
        #expect(configuration.pagesLanguages == ["ko", "en"] && configuration.pagesName == "Example")
    }

    @Test func `no private networks, certificate authorities or key hosts are allowed unless they are configured`()
        throws
    {
        let nobody = try Self.read()
        #expect(nobody.allowedNetworks.isEmpty && nobody.authoritiesFile == nil && nobody.keysHosts.isEmpty)
        let yaml = "allow-networks: [10.0.0.0/8]\nca-file: /etc/ca.pem\nkeys-hosts: [keys.example]\n"
        let configuration = try Self.read(yaml)
        #expect(configuration.allowedNetworks == [IPNetwork("10.0.0.0/8")])
        #expect(configuration.authoritiesFile == "/etc/ca.pem" && configuration.keysHosts == ["keys.example"])
        #expect(throws: ConfigurationFault("ca-file: \"/etc/ca.pem\" contains no PEM certificates")) {
            _ = try configuration.transport()
        }
        _ = try nobody.transport()
    }

    @Test func `the default public URL uses https with TLS, and can be overridden`() throws {
        let files = ["tls.certificate-file": "/c", "tls.key-file": "/k"]
        #expect(try Self.read(flags: files).publicURL == "https://localhost:8080")
        #expect(
            try Self.read(flags: files.merging(["public-url": "http://localhost:1"]) { $1 }).publicURL
                == "http://localhost:1"
        )
    }

    @Test func `a policy must name a known provider, and must not have a provider's name`() {
        let providers = "providers: [google]\nprovider: { google: { client-id: x } }\n"
        let unknown = Self.fault(providers + "policies: [p]\npolicy: { p: { provider: gogle } }")
        #expect(unknown.contains("policy.p.provider: unknown provider; did you mean google?"))
        #expect(
            Self.fault(providers + "policies: [google]").contains(
                "policies: google is already the policy of a provider"
            )
        )
        #expect(
            Self.fault(providers + "policies: [p]\npolicy: { p: { provider: google, max-age: 0 } }").contains("max-age")
        )
        #expect(Self.fault(providers + "policies: [p]\npolicy: { p: { provider: google } }") == "none")
    }

    @Test func `unknown environment variables with the prefix of the service are refused`() {
        #expect(ConfigurationNames.fault(ofVariables: ["PATH", "VERIFY_TOKEN_LISTEN", "VERIFY_TOKEN_CONFIG"]) == nil)
        #expect(
            ConfigurationNames.fault(ofVariables: [
                "VERIFY_TOKEN_PROVIDER_MY_IDP_CLIENT_SECRET_FILE", "VERIFY_TOKEN_TWEAKS_LOG_LEVEL",
                "VERIFY_TOKEN_PROVIDER_FACEBOOK_REASON_USER_BIRTHDAY",
            ]) == nil
        )
        let fault = ConfigurationNames.fault(ofVariables: ["VERIFY_TOKEN_LISTN"])
        #expect(fault == "unknown key VERIFY_TOKEN_LISTN; did you mean VERIFY_TOKEN_LISTEN?")
        for name in ["VERIFY_TOKEN_PROVIDER_X_SECRET", "VERIFY_TOKEN_PROVIDER_FACEBOOK_REASON_"] {
            #expect(ConfigurationNames.fault(ofVariables: [name]) != nil)
        }
    }

    @Test func `a secret is read only from a private file, which a systemd credential can provide`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("secrets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("provider.google.client-secret").path
        #expect(
            FileManager.default.createFile(
                atPath: path,
                contents: Data("hunter2\n".utf8),
                attributes: [.posixPermissions: 0o600]
            )
        )
        #expect(try SecretFile.read(path, key: "k") == "hunter2")
        let yaml = "providers: [google]\nprovider: { google: { client-id: x } }\n"
        let configuration = try Self.read(yaml, environment: ["CREDENTIALS_DIRECTORY": directory.path])
        #expect(configuration.providers[0].secretFile == path)
        #expect(try Self.read(yaml).providers[0].secretFile == nil)
        for mode in [0o640, 0o604, 0o644] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            let fault = #expect(throws: ConfigurationFault.self) { try SecretFile.read(path, key: "k") }
            #expect(fault?.description.contains("0600") == true && fault?.description.contains("hunter2") == false)
        }
        #expect(throws: ConfigurationFault.self) { try SecretFile.read(directory.path, key: "k") }
        #expect(throws: ConfigurationFault.self) { try SecretFile.read(path + "none", key: "k") }
    }

    @Test func `the key file of a new store is created once and never overwritten`() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appendingPathComponent("accounts.keys").path
        try SecretFile.makeKeys(at: path) { [UInt8](repeating: 0xAB, count: $0) }
        try SecretFile.makeKeys(at: path) { [UInt8](repeating: 0xCD, count: $0) }
        #expect(try SecretFile.read(path, key: "k") == String(repeating: "ab", count: 32))
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["accounts.keys"])
        #expect(throws: ConfigurationFault.self) {
            try SecretFile.makeKeys(at: directory.path + "/none/keys") { [UInt8](repeating: 0, count: $0) }
        }
    }

    @Test func `each configuration key is listed once, with a description`() {
        #expect(Set(ConfigurationKey.all.map(\.name)).count == ConfigurationKey.all.count)
        #expect(ConfigurationKey.all.allSatisfy { !$0.description.isEmpty && !$0.description.contains("|") })
    }
}
#endif
