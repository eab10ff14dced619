// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The options for documents that are not where the issuer implies.
@Suite struct DocumentOptionTests {
    @Test func `a discovery document is fetched from a given URL, and has the issuer or the one given for it`()
        async throws
    {
        try await LiveProvider.run { provider in
            let url = provider.server.url("/internal/document")
            func announce(_ issuer: String) {
                let document: TestJSON = ["issuer": .string(issuer), "jwks_uri": .string(provider.server.url("/jwks"))]
                provider.server.answer("/internal/document", with: .json(document))
            }
            announce(provider.name)
            #expect(try await provider.verify(nil, "--discovery-url", url).status == 0)
            #expect(provider.discoveryCount == 0)
            announce("http://internal")
            #expect(try await provider.verify(nil, "--discovery-url", url).code() == "discovery")
            let stated = ["--discovery-url", url, "--discovery-issuer", "http://internal"]
            #expect(try await provider.verify(nil, stated[0], stated[1], stated[2], stated[3]).status == 0)
            let doctor = ["doctor", provider.name, "--allow-loopback-http"] + stated
            let report = try await CommandLineRun.beside(doctor)
            #expect(report.output.contains("The document has an expected issuer, byte for byte."))
        }
    }

    @Test func `documents of another media type are read if it is named`() async throws {
        try await LiveProvider.run { provider in
            let keys: TestJSON = ["keys": [provider.issuer.key.json]]
            let plain = ["Content-Type: text/plain"]
            provider.server.answer("/jwks", with: .respond(headers: plain, body: Array(keys.text.utf8)))
            let refused = try await provider.verify()
            #expect(try refused.code() == "keys-unavailable")
            #expect(try #require(refused.json()["message"] as? String).contains("--content-type"))
            #expect(try await provider.verify(nil, "--content-type", "Text/Plain").status == 0)
        }
    }

    @Test func `a redirect within the host is followed if the option says so`() async throws {
        try await LiveProvider.run { provider in
            provider.server.answer("/jwks", with: .redirect(to: "/moved"))
            provider.server.answer("/moved", with: .keySet([provider.issuer.key]))
            let refused = try await provider.verify()
            #expect(try #require(refused.json()["message"] as? String).contains("--follow-redirects"))
            #expect(try await provider.verify(nil, "--follow-redirects").status == 0)
            provider.server.answer("/jwks", with: .redirect(to: provider.server.url("/moved", name: "localhost")))
            #expect(try await provider.verify(nil, "--follow-redirects").code() == "keys-unavailable")
        }
    }

    @Test(arguments: [
        ["--discovery-url", ""], ["--discovery-issuer", ""], ["--discovery-url", "http://login.example.com/document"],
        ["--discovery-url", "https://login.example.com/document", "--keys", "https://login.example.com/keys"],
        ["--discovery-issuer", "https://login.example.com", "--keys", "keys.json"],
        ["--cleartext-host", ""], ["--cleartext-host", "http://keycloak"], ["--cleartext-host", "*.internal"],
        ["--cleartext-host", "keycloak", "--keys", "keys.json"],
        ["--bearer-file", ""], ["--bearer-file", "token", "--keys", "keys.json"],
        ["--content-type", ""], ["--content-type", "json"], ["--content-type", "text/plain", "--keys", "keys.json"],
    ])
    func `an invalid or ineffective place is a usage error that names the option`(options: [String]) throws {
        let run = try CommandLineRun(["keys", "--issuer", "https://issuer.example"] + options)
        #expect(run.status == 64)
        #expect(run.errors.contains(options[0]))
    }
}
#endif
