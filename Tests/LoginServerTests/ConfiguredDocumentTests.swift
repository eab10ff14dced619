// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import LoginKeys
import LoginProviders
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginServer

/// The places of documents that a configuration states.
@Suite struct ConfiguredDocumentTests {
    private static let main = """
        providers: [main]
        provider:
          main:
            issuer: https://login.example.com
            client-id: x

        """
    private static let orders = """
        apis: [orders]
        api:
          orders:
            issuer: https://as.example.com
            audiences: [orders]
            resource: https://api.example.com

        """

    private static func configuration(_ yaml: String) throws -> ServiceConfiguration {
        let file = try ServiceFile(Array(yaml.utf8))
        return try ConfigurationFileReader(flags: [:], environment: ["HOME": "/h"]).configuration(file)
    }

    /// Returns the providers whose keys are cached.
    private static func providers(_ yaml: String) throws -> [Provider] {
        let configuration = try configuration(yaml)
        return try configuration.keyProviders(beside: configuration.signInProviders().map(\.provider))
    }

    @Test(arguments: [main, orders])
    func `a provider and an API have the configured places of documents`(yaml: String) throws {
        #expect(try Self.providers(yaml).map(\.documents) == [Provider.Documents()])
        let keys = try Self.providers(yaml + "    jwks-uri: https://keys.example.com/main\n")
        #expect(keys.map(\.keySetURL) == ["https://keys.example.com/main"])
        let discovery = try Self.providers(
            yaml + "    discovery-url: https://internal.example.com/d\n    discovery-issuer: http://internal\n"
        )
        #expect(discovery.map(\.documents.discoveryURL) == ["https://internal.example.com/d"])
        #expect(discovery.map(\.documents.discoveryIssuer) == ["http://internal"])
        #expect(discovery.map(\.documents.keySet) == [.discovered])
        let types = try Self.providers(yaml + "    content-types: [text/plain, missing]\n")
        #expect(types.map(\.documents.contentTypes) == [["text/plain", "missing"]])
        #expect(try Self.providers(yaml + "    follow-redirects: true\n").map(\.documents.followsRedirects) == [true])
    }

    @Test(arguments: [main, orders])
    func `a file with keys is checked at the start`(yaml: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString).json").path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let yaml = yaml + "    keys-file: \(file)\n"
        let error = #expect(throws: ConfigurationFault.self) { try Self.providers(yaml) }
        #expect(error?.description.contains(": file: key set: the file \"\(file)\" does not exist") == true)
        try Data(TestIssuer().keySet.text.utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(try Self.providers(yaml).map(\.documents.keySet) == [.file(file)])
    }

    @Test(arguments: [main, orders])
    func `a file with a bearer token is checked at the start`(yaml: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let yaml = yaml + "    bearer-file: \(file)\n"
        let error = #expect(throws: ConfigurationFault.self) { try Self.providers(yaml) }
        #expect(error?.description.contains("the file \"\(file)\" does not exist") == true)
        try Data("abc\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        #expect(try Self.providers(yaml).map(\.documents.bearerTokenFile) == [file])
    }

    @Test func `hosts without encryption are those of the list, for providers and APIs, with a warning at the start`()
        throws
    {
        let yaml = (Self.main + Self.orders).replacing("https://login.example.com", with: "http://keycloak:8080")
            .replacing("https://as.example.com", with: "http://keycloak:8080/orders")
        #expect(throws: (any Error).self) { try Self.providers(yaml) }
        let allowed = "cleartext-hosts: [keycloak]\n" + yaml
        #expect(try Self.providers(allowed).map(\.cleartextHosts) == [["keycloak"], ["keycloak"]])
        #expect(throws: (any Error).self) { try Self.providers("cleartext-hosts: [other]\n" + yaml) }
        let log = LogLines()
        try Self.configuration(allowed).logWarnings(to: log.logger)
        try Self.configuration(Self.main).logWarnings(to: log.logger)
        #expect(log.lines.count == 1 && log.lines.first?.contains("cleartext-hosts") == true)
    }

    @Test func `the known key set URL of a kind can be replaced`() throws {
        let yaml = "providers: [google]\nprovider: { google: { client-id: x"
        #expect(try Self.providers(yaml + " } }").first?.keySetURL == Provider.google.keySetURL)
        let mirror = "https://mirror.example.com/google"
        #expect(try Self.providers(yaml + ", jwks-uri: \"\(mirror)\" } }").first?.keySetURL == mirror)
    }

    @Test func `the outgoing proxy is that of the configuration, with its credentials and exceptions`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "proxy-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: file) }
        let yaml = """
            outgoing-proxy: http://proxy.example.com:3128
            outgoing-proxy-credentials-file: \(file)
            outgoing-proxy-exceptions: [example.com, 10.0.0.0/8]

            """
        let settings = try #require(try Self.configuration(yaml).proxy)
        #expect(throws: ConfigurationFault.self) { try settings.outgoingProxy() }
        try Data("name:word\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let exceptions = ["example.com", "10.0.0.0/8"]
        let expected = try OutgoingProxy(
            "http://proxy.example.com:3128",
            credentials: "name:word",
            exceptions: exceptions
        )
        #expect(try settings.outgoingProxy() == expected)
        #expect(try Self.configuration(Self.main).proxy == nil)
    }

    @Test(arguments: ["http://name:word@proxy:3128", "https://proxy:3128", "http://proxy"])
    func `an invalid outgoing proxy is refused with its key, and without its password`(url: String) throws {
        let settings = try #require(try Self.configuration("outgoing-proxy: \"\(url)\"\n").proxy)
        let error = #expect(throws: ConfigurationFault.self) { try settings.outgoingProxy() }
        #expect(
            error?.description.hasPrefix("outgoing-proxy ") == true
                || error?.description.hasPrefix("outgoing-proxy: ") == true
        )
        #expect(error?.description.contains("word@") == false)
    }

    /// Invalid configurations, each with a part of its error message.
    private static let faults: [(String, String)] = [
        ("outgoing-proxy-exceptions: [a.example]\n", "outgoing-proxy-exceptions requires outgoing-proxy"),
        ("outgoing-proxy-credentials-file: /c\n", "outgoing-proxy-credentials-file requires outgoing-proxy"),
        ("outgoing-proxy: \"\"\n", "outgoing-proxy must not be empty"),
        (
            "outgoing-proxy: http://proxy:3128\noutgoing-proxy-exceptions: [\"http://a\"]\n",
            "outgoing-proxy-exceptions: \"http://a\" is neither"
        ),
        ("cleartext-hosts: [\"http://keycloak\"]\n", "cleartext-hosts: \"http://keycloak\" is not a host name"),
        ("cleartext-hosts: [\"*.internal\"]\n", "cleartext-hosts: \"*.internal\" is not a host name"),
        ("cleartext-hosts: \"\"\n", "cleartext-hosts must"),
        (
            "\(main)    jwks-uri: https://a.example.com\n    keys-file: /keys.json\n",
            "only one of provider.main.jwks-uri and provider.main.keys-file can be set"
        ),
        ("\(main)    jwks-uri: \"\"\n", "provider.main.jwks-uri must not be empty"),
        ("\(main)    keys-file: \"\"\n", "provider.main.keys-file must not be empty"),
        (
            "\(orders)    jwks-uri: https://a.example.com\n    discovery-url: https://b.example.com\n",
            "api.orders.discovery-url has no effect"
        ),
        (
            "\(orders)    keys-file: /keys.json\n    discovery-issuer: https://b.example.com\n",
            "api.orders.discovery-issuer has no effect"
        ),
        (
            "\(main)    content-types: [Text/Plain]\n",
            "provider.main.content-types: contentTypes: \"Text/Plain\" is not a media"
        ),
        ("\(main)    content-types: []\n", "provider.main.content-types must not be empty"),
        (
            "\(orders)    keys-file: /keys.json\n    content-types: [text/plain]\n",
            "api.orders.content-types has no effect"
        ),
        ("\(main)    bearer-file: \"\"\n", "provider.main.bearer-file must not be empty"),
        (
            "\(orders)    keys-file: /keys.json\n    bearer-file: /token\n",
            "api.orders.bearer-file has no effect"
        ),
        (
            "\(orders)    keys-file: /keys.json\n    follow-redirects: true\n",
            "api.orders.follow-redirects has no effect"
        ),
        ("\(orders)    jwks-uri: http://a.example.com\n", "api.orders: the key set URL of \"orders\": "),
        ("\(orders)    discovery-url: a.example.com\n", "api.orders: the discovery URL of \"orders\": "),
        (
            "providers: [google]\nprovider: { google: { client-id: x, discovery-url: \"https://a.example.com\" } }\n",
            "provider.google.discovery-url can be set only for providers of the kind openid"
        ),
        (
            main + orders.replacing("as.example", with: "login.example") + "    jwks-uri: https://a.example.com\n",
            "api.orders: main has the same issuer, and its keys are used"
        ),
    ]

    @Test(arguments: faults)
    func `an invalid, conflicting or ineffective place is refused with its key`(_ yaml: String, _ fault: String) {
        let error = #expect(throws: ConfigurationFault.self) { try Self.providers(yaml) }
        #expect(error?.description.contains(fault) == true, "\(String(describing: error))")
    }
}
#endif
