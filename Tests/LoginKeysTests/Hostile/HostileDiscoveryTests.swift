// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Discovery documents that are not the issuer's, or that name forbidden hosts.
@Suite(.timeLimit(.minutes(10))) struct HostileDiscoveryTests {
    /// A wrong discovery document.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: String
        let verdict: String
        let keySetHosts: Set<String>
        let answer: @Sendable (HostileBench) -> ServerScript

        var testDescription: String { name }

        init(
            _ name: String,
            _ expected: String,
            _ verdict: String = "discovery",
            keySetHosts: Set<String> = [],
            _ answer: @escaping @Sendable (HostileBench) -> ServerScript
        ) {
            self.name = name
            self.expected = expected
            self.verdict = verdict
            self.keySetHosts = keySetHosts
            self.answer = answer
        }

        /// Returns a case in which one member is wrong.
        static func member(
            _ name: String,
            _ value: TestJSON?,
            _ expected: String,
            _ verdict: String = "discovery",
            keySetHosts: Set<String> = []
        ) -> Self {
            let words = value.map { "has \(name) \($0.text)" } ?? "has no \(name)"
            return Self(words, expected, verdict, keySetHosts: keySetHosts) { bench in
                var document = bench.discoveryDocument
                document[name] = value
                return .json(document)
            }
        }

        /// Returns a case in which the issuer has another spelling.
        static func issuer(_ name: String, _ change: @escaping @Sendable (String) -> String) -> Self {
            Self(name, "discovery-issuer") { bench in
                var document = bench.discoveryDocument
                document["issuer"] = .string(change(bench.issuer.provider.issuers[0]))
                return .json(document)
            }
        }
    }

    static let issuers: [Case] = [
        .issuer("is another issuer's") { _ in "https://SECRET.example" },
        .issuer("adds a slash") { $0 + "/" },
        .issuer("is in capitals") { $0.uppercased() },
        .issuer("drops the path") { String($0.dropLast(HostileBench.issuerPath.count)) },
        .issuer("goes on") { $0 + ".evil.example" },
        .issuer("says https") { $0.replacing("http:", with: "https:") },
        .issuer("adds a space") { $0 + " " },
        .member("issuer", "", "discovery-issuer"), .member("issuer", nil, "discovery-document"),
        .member("issuer", 5, "discovery-document"), .member("issuer", ["https://issuer.example"], "discovery-document"),
        .member("jwks_uri", nil, "discovery-document"), .member("jwks_uri", .null, "discovery-document"),
        .member("jwks_uri", ["/keys"], "discovery-document"),
    ]

    @Test(.rule("T-151"), arguments: issuers)
    func `a discovery document of another issuer, or without a key set URL, yields no keys`(_ hostile: Case)
        async throws
    {
        try await run(hostile)
    }

    static let addresses: [Case] = [
        .member("jwks_uri", "", "discovery-document"), .member("jwks_uri", "/keys", "discovery-document"),
        .member("jwks_uri", "http://issuer.example/keys", "discovery-document"),
        .member("jwks_uri", "file:///etc/passwd", "discovery-document"),
        .member("jwks_uri", "data:application/json,{}", "discovery-document"),
        .member("jwks_uri", "https://user:hunter2@issuer.example/keys", "discovery-document"),
        .member("jwks_uri", "https://issuer.example/keys#x", "discovery-document"),
        .member("jwks_uri", "https://issuer.example\\@evil.example/keys", "discovery-document"),
        .member("jwks_uri", "https://issuer.example/keys\r\nX: y", "discovery-document"),
        .member("jwks_uri", "http://169.254.169.254/latest", "discovery-document"),
        .member("jwks_uri", "http://127.1/keys", "discovery-document"),
        .member("jwks_uri", "http://[::ffff:127.0.0.1]/keys", "discovery-document"),
    ]

    @Test(.rule("T-150", "T-159"), arguments: addresses)
    func `a discovered URL that is not allowed is not requested`(_ hostile: Case) async throws {
        try await run(hostile)
    }

    private static let inside = [
        "169.254.169.254", "10.0.0.1", "127.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "[fd00::1]", "0.0.0.0",
    ]

    /// Hosts that are not permitted by name, and permitted ones whose addresses are not public.
    static let hosts: [Case] =
        inside.flatMap { host -> [Case] in
            let address = TestJSON.string("https://\(host)/keys")
            let name = host.filter { !"[]".contains($0) }
            return [
                .member("jwks_uri", address, "key-set-host"),
                .member("jwks_uri", address, "address", "keys-unavailable", keySetHosts: [name]),
            ]
        } + [
            .member("jwks_uri", "https://keys.example/keys", "key-set-host"),
            .member(
                "jwks_uri",
                "https://keys.example/keys",
                "key-set-host",
                keySetHosts: ["example", "other.example"]
            ),
            .member("jwks_uri", "http://localhost/keys", "key-set-host"),
            Case("has jwks_uri at another port", "key-set-host") { bench in
                var document = bench.discoveryDocument
                document["jwks_uri"] = .string("http://127.0.0.1:1/keys")
                return .json(document)
            },
        ]

    @Test(.rule("T-152"), arguments: hosts)
    func `discovery leads neither to hosts that are not allowed nor to private addresses`(_ hostile: Case) async throws
    {
        try await run(hostile)
    }

    static let answers: [Case] = [
        Case("is not found", "discovery-document") { _ in .respond(status: 404) },
        Case("is gone", "discovery-document") { _ in .respond(status: 410) },
        Case("is forbidden", "status", "keys-unavailable") { _ in .respond(status: 403) },
        Case("fails", "status", "keys-unavailable") { bench in .json(bench.discoveryDocument, status: 503) },
        Case("is a web page", "content-type") { _ in
            .respond(headers: ["Content-Type: text/html"], body: Array("<html>".utf8))
        },
        Case("is not JSON", "discovery-document") { _ in .json(.raw("SECRET")) },
        Case("is an array", "discovery-document") { _ in .json([]) },
        Case("says whose it is twice", "discovery-document") { bench in
            .json(.raw(#"{"issuer":"SECRET","# + bench.discoveryDocument.text.dropFirst()))
        },
        Case("is elsewhere", "redirect") { _ in .redirect(to: "/elsewhere") },
        Case("is packed", "content-encoding", "keys-unavailable") { bench in
            .json(bench.discoveryDocument, headers: ["Content-Encoding: gzip"])
        },
        Case("does not end", "too-large", "keys-unavailable") { _ in
            .head(headers: ["Content-Type: application/json"]) + .flood("x")
        },
        Case("is cut off", "interrupted", "keys-unavailable") { _ in .send("HTTP/1.1 200 OK\r\n") },
    ]

    @Test(.rule("T-153", "T-155", "T-157"), arguments: answers)
    func `a response that is not a discovery document yields no keys`(_ hostile: Case) async throws {
        try await run(hostile)
    }

    @Test(.rule("T-151")) func `a valid discovery document is requested once for many key fetches`()
        async throws
    {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server, isDiscovered: true)
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
                #expect(await bench.verdict(bench.unknown) == "key-not-found")
            }
            #expect(server.requestCount(of: HostileBench.discoveryPath) == 1)
            #expect(server.requestCount(of: HostileBench.keysPath) == 2)
        }
    }

    @Test(.rule("T-152")) func `keys on another host are used if that host is allowed`() async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server, isDiscovered: true, keySetHosts: ["localhost"])
            var document = bench.discoveryDocument
            document["jwks_uri"] = .string(server.url(HostileBench.keysPath, name: "localhost"))
            server.answer(HostileBench.discoveryPath, with: .json(document))
            await bench.cache.running {
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
        }
    }

    @Test(.rule("T-156")) func `discovery and key fetch share one deadline`() async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server, isDiscovered: true, deadline: .seconds(14))
            server.answer(HostileBench.discoveryPath, with: .pause(.seconds(5)) + .json(bench.discoveryDocument))
            // Each request alone is in time; both together are not.
            server.answer(HostileBench.keysPath, with: .pause(.seconds(10)) + .keySet([.shared]))
            let stream = bench.cache.events()
            await bench.cache.running {
                var events = stream.makeAsyncIterator()
                let verdict = await bench.verdict(bench.issuer.token())
                #expect(verdict == "keys-unavailable")
                let failure = await HostileBench.failure(in: &events)
                #expect(failure?.code.rawValue == "deadline")
                #expect(server.requestCount(of: HostileBench.keysPath) >= 1)
            }
        }
    }

    /// Serves the wrong document to a cache without keys, and then the right one.
    private func run(_ hostile: Case) async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server, isDiscovered: true, keySetHosts: hostile.keySetHosts)
            server.answer(HostileBench.discoveryPath, with: hostile.answer(bench))
            let stream = bench.cache.events()
            try await bench.cache.running {
                var events = stream.makeAsyncIterator()
                let verdict = await bench.verdict(bench.issuer.token())
                #expect(verdict == hostile.verdict)
                let failure = try #require(await HostileBench.failure(in: &events))
                #expect(failure.code.rawValue == hostile.expected, "\(failure)")
                #expect(!failure.description.contains("hunter2"))
                #expect(server.requestCount(of: HostileBench.keysPath) == 0)
                #expect(server.requestCount(of: "/elsewhere") == 0)

                server.answer(HostileBench.discoveryPath, with: .json(bench.discoveryDocument))
                _ = await HostileBench.events(until: .fetched, in: &events)
                #expect(await bench.verdict(bench.issuer.token()) == "verified")
            }
        }
    }
}

#endif
