// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient

internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// A fault of a server, and the failure that a cache must report.
struct HostileCase: Sendable, CustomTestStringConvertible {
    let name: String
    let script: ServerScript
    let expected: String

    var testDescription: String { name }

    /// - Parameters:
    ///   - name: A description of the fault.
    ///   - script: The script of the server.
    ///   - expected: The code of the failure.
    init(_ name: String, _ script: ServerScript, _ expected: String) {
        self.name = name
        self.script = script
        self.expected = expected
    }
}

/// A key cache over real sockets, and its server.
struct HostileBench: Sendable {
    static let keysPath = "/keys"
    static let issuerPath = "/issuer"
    static let discoveryPath = "/issuer/.well-known/openid-configuration"

    let server: ScriptedServer
    let issuer: TestIssuer
    let cache: KeyCache
    let verifier: TokenVerifier

    /// Creates a bench.
    ///
    /// - Parameters:
    ///   - server: The server, which is set up to publish valid keys.
    ///   - isDiscovered: Whether the URL of the keys is discovered.
    ///   - deadline: The deadline of a fetch.
    ///   - keySetHosts: The hosts that discovery may name.
    /// - Throws: The error of an invalid configuration.
    init(
        _ server: ScriptedServer,
        isDiscovered: Bool = false,
        deadline: Duration = .seconds(20),
        keySetHosts: Set<String> = []
    ) throws {
        self.server = server
        let name = isDiscovered ? server.url(Self.issuerPath) : "https://issuer.example"
        let address = isDiscovered ? nil : server.url(Self.keysPath)
        var provider = Provider(name: "example", issuers: [name], keySetURL: address)
        provider.allowsLoopbackHTTP = true
        issuer = TestIssuer(provider: provider)
        var configuration = KeyCacheConfiguration()
        configuration.fetchDeadline = deadline
        configuration.keySetHosts = keySetHosts
        configuration.retry = .milliseconds(100) ... .milliseconds(100)
        cache = try KeyCache(
            providers: [issuer.provider],
            transport: AsyncHTTPClientTransport(),
            configuration: configuration
        )
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        verifier = TokenVerifier(policy: policy, keys: cache, clock: issuer.clock)
        server.answer(Self.keysPath, with: .keySet([issuer.key]))
        server.answer(Self.discoveryPath, with: .json(discoveryDocument))
    }

    /// The discovery document of the issuer.
    var discoveryDocument: TestJSON {
        ["issuer": .string(issuer.provider.issuers[0]), "jwks_uri": .string(server.url(Self.keysPath))]
    }

    /// A token that names an unknown key, which makes the cache look for it.
    var unknown: String {
        issuer.token { $0.header["kid"] = "unknown" }
    }

    /// Returns the code of the refusal or of the missing decision; `verified` for a valid token.
    func verdict(_ token: String) async -> String {
        do throws(VerificationError) {
            _ = try await verifier.verify(token, nonce: .mustBeAbsent)
            return "verified"
        } catch {
            return error.code.rawValue
        }
    }

    /// Waits for the next failure; nil if keys are fetched first.
    static func failure(in events: inout AsyncStream<KeyCacheEvent>.Iterator) async -> KeyFetchFailure? {
        while let event = await events.next(isolation: #isolation) {
            if event.kind == .fetched { return nil }
            if event.kind == .fetchFailed { return event.failure }
        }
        return nil
    }

    /// Waits for an event of this kind, and returns all events up to and including it.
    static func events(
        until kind: KeyCacheEvent.Kind,
        in events: inout AsyncStream<KeyCacheEvent>.Iterator
    ) async -> [KeyCacheEvent] {
        var seen: [KeyCacheEvent] = []
        while let event = await events.next(isolation: #isolation) {
            seen.append(event)
            if event.kind == kind { break }
        }
        return seen
    }
}

extension HostileCase {
    /// The deadline of a fetch: short if the server is expected to exceed it.
    var deadline: Duration { expected == "deadline" ? .milliseconds(500) : .seconds(20) }

    /// Makes a cache with valid keys fetch them again, from a server that now has the fault.
    ///
    /// The failure must have the expected code and come in time, the valid keys must stay in use, and a later valid
    /// response must be accepted.
    func run() async throws {
        try await ScriptedServer.run { server in
            let bench = try HostileBench(server, deadline: deadline)
            let deadline = deadline
            let (expected, script) = (expected, script)
            let good = bench.issuer.token()
            let stream = bench.cache.events()
            try await bench.cache.running {
                var events = stream.makeAsyncIterator()
                _ = await HostileBench.events(until: .fetched, in: &events)
                #expect(await bench.verdict(good) == "verified")
                server.answer(HostileBench.keysPath, with: script)
                let asked = server.requestCount()

                let start = ContinuousClock.now
                let verdict = await bench.verdict(bench.unknown)
                let time = start.duration(to: .now)
                #expect(verdict == "keys-unavailable")
                // No failure may come before the deadline; after it, a busy machine may be slow, but not more than
                // that.
                #expect(time < deadline + .seconds(10))
                if expected == "deadline" { #expect(time >= deadline) }

                var failure = try #require(await HostileBench.failure(in: &events))
                // On a busy machine a transport may exceed the limit now and then; one that always does fails below.
                for _ in 0..<5 where failure.detail.contains("did not finish") {
                    failure = try #require(await HostileBench.failure(in: &events))
                }
                #expect(failure.code.rawValue == expected, "\(failure)")
                #expect(failure.document == .keySet)
                // The transport kept its own limit, so the cache did not have to abandon the fetch.
                #expect(!failure.detail.contains("did not finish"))
                #expect(!failure.description.contains("SECRET"))

                #expect(await bench.verdict(good) == "verified")
                #expect(bench.cache.status(of: "https://issuer.example")?.keys?.keys.count == 1)
                try await server.waitForRequests(asked + 1)
                #expect(server.requestCount(of: "/elsewhere") == 0)

                server.answer(HostileBench.keysPath, with: .keySet([.shared, .another]))
                _ = await HostileBench.events(until: .freshAgain, in: &events)
                let other = bench.issuer.token {
                    $0.header["kid"] = .string(TestKey.another.keyID)
                    $0.signing = .key(.another)
                }
                #expect(await bench.verdict(other) == "verified")
            }
        }
    }
}

#endif
