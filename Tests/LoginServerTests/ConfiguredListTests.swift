// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Configuration
internal import LoginProviders
internal import Testing

@testable internal import LoginServer

/// Lists without elements, which must not remove a restriction by accident.
@Suite struct ConfiguredListTests {
    /// The keys of lists, with a name in the place of each placeholder.
    private static let keys: [(key: ConfigurationKey, empty: ConfigurationKey.EmptyList)] =
        ConfigurationKey.all.compactMap { key in
            guard case .list(_, let empty) = key.kind else { return nil }
            return (key.of("x"), empty)
        }

    /// The sources of a text: a flag and a variable.
    private static func values(_ key: ConfigurationKey, _ text: String) -> [ConfigurationValues] {
        let variable = [ConfigurationKey.variable(key.name): text]
        return [
            ConfigurationValues(flags: [key.name: text], environment: [:], file: nil),
            ConfigurationValues(flags: [:], environment: variable, file: nil),
        ]
    }

    private static func values(_ key: ConfigurationKey, yaml: String) throws -> ConfigurationValues {
        let file = try ServiceFile(Array("\(key.name): \(yaml)\n".utf8))
        return ConfigurationValues(flags: [:], environment: [:], file: file)
    }

    @Test(arguments: ["", " ", ",", " , ", "a,,b", "a,", ",a"])
    func `an empty text or element from a flag or a variable is refused for every list`(_ text: String) {
        for (key, _) in Self.keys {
            for values in Self.values(key, text) {
                let fault = #expect(throws: ConfigurationFault.self) { _ = try values.list(key) }
                let places = ["--set \(key.name)", ConfigurationKey.variable(key.name)]
                #expect(places.contains { fault?.description.hasPrefix($0) == true }, "\(fault?.description ?? "")")
            }
        }
    }

    @Test(arguments: ["[\"\"]", "[\" \"]", "[a, \"\"]", "[\" a\"]", "[\"a \"]", "[\"a\\n\"]", ""])
    func `an empty element, and one with a blank at an end, is refused in the file for every list`(_ yaml: String)
        throws
    {
        for (key, _) in Self.keys {
            let values = try Self.values(key, yaml: yaml)
            let fault = #expect(throws: ConfigurationFault.self) { _ = try values.list(key) }
            #expect(fault?.description.hasPrefix(key.name) == true, "\(fault?.description ?? "")")
        }
    }

    @Test(arguments: [
        "[null]", "[~]", "[Null]", "[NULL]", "[a, null]", "[~, a]", "\n  -", "\n  - a\n  -\n", "\n  - null",
    ])
    func `an element that is null in the file is refused as empty for every list`(_ yaml: String) throws {
        for (key, _) in Self.keys {
            let values = try Self.values(key, yaml: yaml)
            let fault = #expect(throws: ConfigurationFault.self) { _ = try values.list(key) }
            let isSingle = yaml == "\n  -"
            let start = "\(key.name) \(isSingle ? "must not be empty" : "has an empty element"); "
            #expect(fault?.description.hasPrefix(start) == true, "\(fault?.description ?? "")")
        }
    }

    @Test func `texts that only contain a spelling of null are elements`() throws {
        for (key, _) in Self.keys {
            for element in ["nulls", "nULL", "~a", "null~"] {
                #expect(try Self.values(key, yaml: "[\(element)]").list(key) == [element])
            }
            for values in Self.values(key, "null") { #expect(try values.list(key) == ["null"]) }
        }
    }

    @Test func `an empty list in the file is accepted only for keys whose empty list is nothing`() throws {
        for (key, empty) in Self.keys {
            let values = try Self.values(key, yaml: "[]")
            if empty == .nothing {
                #expect(try values.list(key) == [])
            } else {
                let fault = #expect(throws: ConfigurationFault.self) { _ = try values.list(key) }
                #expect(fault?.description.hasPrefix("\(key.name) must not be empty; ") == true)
            }
        }
        let narrowing = Self.keys.filter { $0.empty != .nothing }.map(\.key.name)
        for name in [
            "api.x.clients", "api.x.scopes", "api.x.required-values", "api.x.algorithms", "api.x.audiences",
            "policy.x.audiences", "provider.x.audiences", "provider.x.email-domains", "sms.countries",
        ] {
            #expect(narrowing.contains(name), "\(name)")
        }
    }

    @Test(
        arguments: [
            "{}", "{ }", "{\n}", "{ # none\n}", "{# none\n}", "apis: {}", "tlss: {}", "*: {}", "\"a\": {}",
            "sms: { countries: {} }", "sms: { countries: { only-me: {\n} } }",
            "sms:\n  countries: {\n    # {} none\n  }",
            "tls: { certificate-file: {}, key-file: {} }", "tls:\n  certificate-file: {\u{2028}}", "apis: !!map {}",
            "apis: &none {}", "? apis\n: {}", "<<: {}", "listen: it's\napis: {}\npublic-url: it's",
        ]
    )
    func `an empty mapping is refused, for every key`(_ yaml: String) {
        #expect(throws: ServiceFile.Fault.self) { try ServiceFile(Array("\(yaml)\n".utf8)) }
    }

    @Test func `an empty mapping sets no list, and braces in quotes, texts and comments are accepted`() throws {
        for (key, _) in Self.keys {
            let fault = #expect(throws: ServiceFile.Fault.self) { _ = try Self.values(key, yaml: "{}") }
            #expect(fault?.description.hasPrefix("the file has an empty mapping {}, which sets nothing") == true)
            for yaml in ["[\"{}\"]", "['{}'] # {}", "[\"{ }\"] # {\n# }"] {
                let list = try Self.values(key, yaml: yaml).list(key)
                #expect(list == ["{}"] || list == ["{ }"])
            }
        }
        for yaml in ["sms: { # of texts {\n  countries: [+49] # {\n}", "public-url: a{}", "public-url: |\n  {}"] {
            #expect(try ServiceFile(Array("\(yaml)\n".utf8)).names.count == 1)
        }
    }

    @Test func `the word of a list states that it has no elements, in every source and as the only element`() throws {
        for (key, empty) in Self.keys {
            guard let word = empty.word else { continue }
            for values in Self.values(key, word) { #expect(try values.list(key) == []) }
            #expect(try Self.values(key, yaml: "[\"\(word)\"]").list(key) == [])
            for values in Self.values(key, "\(word),a") {
                let fault = #expect(throws: ConfigurationFault.self) { _ = try values.list(key) }
                #expect(fault?.description.contains("\(word) must be the only element") == true)
            }
        }
    }

    @Test func `a list that no source sets is nil, and elements are read without the blanks around commas`() throws {
        for (key, _) in Self.keys {
            #expect(try ConfigurationValues(flags: [:], environment: [:], file: nil).list(key) == nil)
            for values in Self.values(key, "a, b") { #expect(try values.list(key) == ["a", "b"]) }
            #expect(try Self.values(key, yaml: "[a, b]").list(key) == ["a", "b"])
        }
    }

    private static func configuration(_ yaml: String, _ environment: [String: String] = [:]) throws
        -> ServiceConfiguration
    {
        let reader = ConfigurationFileReader(flags: [:], environment: environment.merging(["HOME": "/h"]) { $1 })
        return try reader.configuration(try ServiceFile(Array(yaml.utf8)))
    }

    private static let orders = """
        apis: [orders]
        api:
          orders: { issuer: "https://as.example", audiences: [orders], resource: "https://api.example", clients: [app] }
        sms: { countries: [+49] }

        """

    @Test func `an unset variable does not replace the clients of an API or the countries of phones`() throws {
        #expect(try Self.configuration(Self.orders).apis.first?.clients == ["app"])
        for (name, element) in [("API_ORDERS_CLIENTS", "other"), ("SMS_COUNTRIES", "+43")] {
            let name = "VERIFY_TOKEN_\(name)"
            let fault = #expect(throws: ConfigurationFault.self) { try Self.configuration(Self.orders, [name: ""]) }
            #expect(
                fault?.description
                    == "\(name) must not be empty; write * for all, or unset the variable"
            )
            _ = try Self.configuration(Self.orders, [name: element])
        }
        let all = try Self.configuration(Self.orders, ["VERIFY_TOKEN_API_ORDERS_CLIENTS": "*"])
        #expect(all.apis.first?.clients == [])
    }

    @Test(
        arguments: [
            ("", .verifiedClaimOfAnyDomain), (", email-domains: [none]", .never),
            (", email-domains: [\"*\"]", .verifiedClaimOfAnyDomain),
            (", email-domains: [example.com]", .verifiedClaim(domains: ["example.com"])),
        ] as [(String, SignInProvider.EmailTrust)]
    )
    func `email-domains is the default of the kind, none, all or some domains`(
        _ setting: String,
        _ trust: SignInProvider.EmailTrust
    ) throws {
        let yaml = "providers: [apple]\nprovider: { apple: { client-id: x\(setting) } }"
        #expect(try Self.configuration(yaml).signInProviders().first?.emailTrust == trust)
    }

    @Test(arguments: [
        ("provider: { google: { client-id: x, email-domains: [.example.com] } }", "provider.google.email-domains: "),
        ("provider: { google: { client-id: x, email-domains: [example.com.] } }", "provider.google.email-domains: "),
        ("provider: { google: { client-id: x, email-domains: [\"*\", b.c] } }", "provider.google.email-domains: *"),
        ("provider: { google: { client-id: x, email-domains: [a..example] } }", "provider.google.email-domains: "),
        ("provider: { google: { client-id: x, email-domains: [-a.example] } }", "provider.google.email-domains: "),
        ("provider: { google: { client-id: x, email-domains: [Example.com] } }", "provider.google.email-domains: "),
        ("provider: { google: { client-id: \" x\" } }", "provider.google.client-id begins or ends with a space"),
        ("provider: { google: { client-id: \"x\\n\" } }", "provider.google.client-id begins or ends with a space"),
        ("keys-hosts: [https://keys.example]", "keys-hosts: "), ("keys-hosts: [keys.example:443]", "keys-hosts: "),
        ("keys-hosts: [Keys.example]", "keys-hosts: "),
        ("admin: { listen: \"unix:/a\", hosts: [admin.example.] }", "admin.hosts: "),
        ("admin: { token-file: /t }", "admin.token-file requires admin.listen"),
        ("admin: { hosts: [admin.example] }", "admin.hosts requires admin.listen"),
    ])
    func `a setting that can match nothing or has no effect is refused`(_ line: String, _ words: String) {
        let hasProvider = line.hasPrefix("provider")
        let fault = #expect(throws: ConfigurationFault.self) {
            try Self.configuration(hasProvider ? "providers: [google]\n" + line : line)
        }
        #expect(fault?.description.hasPrefix(words) == true, "\(fault?.description ?? "")")
    }

    @Test func `domains, hosts and networks that can match are accepted`() throws {
        let yaml = """
            providers: [google]
            provider: { google: { client-id: x, email-domains: [example.com, xn--bcher-kva.example, corp] } }
            keys-hosts: [keys.example, 192.0.2.1]
            allow-networks: [10.0.0.0/8, "fd00::/8"]
            trusted-proxies: [10.0.0.0/8, 203.0.113.7, "fc00::/7", "fe80::/10", "2001:db8::/32", "::1"]
            admin: { listen: "unix:/a", hosts: [admin.example] }
            """
        #expect(try Self.configuration(yaml).trustedProxies.count == 6)
        #expect(try Self.configuration("trusted-proxies: []").trustedProxies.isEmpty)
    }

    @Test(
        arguments: ["trusted-proxies", "allow-networks"],
        ["0.0.0.0/0", "0.0.0.0/1", "128.0.0.0/1", "2.0.0.0/7", "::/0", "2000::/3", "2000::/15"]
    )
    func `a network with a large part of the internet is neither a trusted proxy nor allowed`(
        _ key: String,
        _ network: String
    ) {
        let fault = #expect(throws: ConfigurationFault.self) { try Self.configuration("\(key): [\"\(network)\"]") }
        #expect(fault?.description.hasPrefix("\(key): \(network) contains a large part of the internet") == true)
    }

    @Test(
        arguments: ["trusted-proxies", "allow-networks"],
        ["::ffff:0.0.0.0/96", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1"]
    )
    func `an IPv4-mapped network is refused in favor of the IPv4 network`(_ key: String, _ network: String) {
        let fault = #expect(throws: ConfigurationFault.self) { try Self.configuration("\(key): [\"\(network)\"]") }
        #expect(fault?.description.hasPrefix("\(key): ") == true)
        #expect(fault?.description.hasSuffix("write the IPv4 network") == true)
    }
}
#endif
