// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginKeys
import LoginTesting
import LoginTokens
import TestSupport
import Testing

/// Keys whose URL comes from the issuer's discovery document.
@Suite struct DiscoveryTests {
    private static let issuer = "https://issuer.example"
    private static let document = "https://issuer.example/.well-known/openid-configuration"
    private static let keys = "https://issuer.example/keys"

    /// Returns the verdict on a valid token with a cold cache, and the failure of the fetch.
    private func outcome(
        of discovery: StubTransport.Answer,
        issuer: String = issuer,
        at document: String = document,
        configuration: KeyCacheConfiguration = KeyCacheConfiguration(),
        allowsLoopbackHTTP: Bool = false,
        cleartextHosts: Set<String> = []
    ) async throws -> (verdict: String, failure: String?, asked: [String]) {
        var provider = Provider.openID(issuers: [issuer])
        provider.allowsLoopbackHTTP = allowsLoopbackHTTP
        provider.cleartextHosts = cleartextHosts
        let maker = TestIssuer(provider: provider)
        let transport = StubTransport()
        transport.answer(document, with: discovery)
        for keys in [Self.keys, "https://keys.example/keys", "http://keys.example/keys", "http://127.0.0.1:8080/keys"] {
            transport.answer(keys, with: .json(maker.keySet))
        }
        let cache = try KeyCache(
            providers: [maker.provider],
            transport: transport,
            configuration: configuration,
            clock: ManualContinuousClock()
        )
        let policy = try TokenPolicy(provider: maker.provider, audiences: [maker.audience])
        let verifier = TokenVerifier(policy: policy, keys: cache, clock: maker.clock)
        let verdict = await cache.running {
            do throws(VerificationError) {
                _ = try await verifier.verify(maker.token(), nonce: .mustBeAbsent)
                return "verified"
            } catch {
                return error.code.rawValue
            }
        }
        let failure = cache.status(of: issuer)?.lastFailure?.code.rawValue
        return (verdict, failure, transport.requests.map(\.url.description))
    }

    @Test(.rule("T-151")) func `the issuer's discovery document leads to its keys`() async throws {
        let outcome = try await outcome(of: .json(["issuer": .string(Self.issuer), "jwks_uri": .string(Self.keys)]))
        #expect(outcome.verdict == "verified")
        #expect(outcome.asked == [Self.document, Self.keys])
    }

    @Test(.rule("T-151")) func `a token is undecided if the discovery document is of another issuer`() async throws {
        let maker = TestIssuer(provider: .openID(issuers: [Self.issuer]))
        let transport = StubTransport()
        let foreign: TestJSON = ["issuer": "https://evil.example", "jwks_uri": .string(Self.keys)]
        transport.answer(Self.document, with: .json(foreign))
        let cache = try KeyCache(providers: [maker.provider], transport: transport, clock: ManualContinuousClock())
        let policy = try TokenPolicy(provider: maker.provider, audiences: [maker.audience])
        let verifier = TokenVerifier(policy: policy, keys: cache, clock: maker.clock)
        await cache.running {
            await expectUndecided(.discovery) { () async throws(VerificationError) in
                try await verifier.verify(maker.token(), nonce: .mustBeAbsent)
            }
        }
    }

    @Test func `a trailing slash of the issuer is not doubled in the discovery URL, and counts in the comparison`()
        async throws
    {
        let issuer = "https://issuer.example/"
        let good = try await outcome(
            of: .json(["issuer": .string(issuer), "jwks_uri": .string(Self.keys)]),
            issuer: issuer
        )
        #expect(good.verdict == "verified")
        let other = try await outcome(
            of: .json(["issuer": .string(Self.issuer), "jwks_uri": .string(Self.keys)]),
            issuer: issuer
        )
        #expect(other.verdict == "discovery")
    }

    @Test func `the discovery URL contains the path of the issuer`() async throws {
        let issuer = "https://issuer.example/tenants/1"
        let outcome = try await outcome(
            of: .json(["issuer": .string(issuer), "jwks_uri": .string(Self.keys)]),
            issuer: issuer,
            at: "https://issuer.example/tenants/1/.well-known/openid-configuration"
        )
        #expect(outcome.verdict == "verified")
    }

    @Test(
        .rule("T-151", "T-150", "T-159"),
        arguments: [
            (#"{"issuer":"https://issuer.example/","jwks_uri":"https://issuer.example/keys"}"#, "discovery-issuer"),
            (#"{"issuer":"https://evil.example","jwks_uri":"https://issuer.example/keys"}"#, "discovery-issuer"),
            (#"{"issuer":"HTTPS://issuer.example","jwks_uri":"https://issuer.example/keys"}"#, "discovery-issuer"),
            (#"{"issuer":["https://issuer.example"],"jwks_uri":"https://issuer.example/keys"}"#, "discovery-document"),
            (#"{"jwks_uri":"https://issuer.example/keys"}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example"}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":null}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":""}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":"/keys"}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":"http://issuer.example/keys"}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":"http://127.0.0.1:8080/keys"}"#, "discovery-document"),
            (#"{"issuer":"https://issuer.example","jwks_uri":"file:///etc/passwd"}"#, "discovery-document"),
            (
                #"{"issuer":"https://issuer.example","jwks_uri":"https://u:p@issuer.example/keys"}"#,
                "discovery-document"
            ),
            (#"{"issuer":"https://issuer.example","jwks_uri":"https://issuer.example/keys#x"}"#, "discovery-document"),
            (
                #"{"issuer":"https://issuer.example","issuer":"https://issuer.example","jwks_uri":"https://a.example"}"#,
                "discovery-document"
            ),
            (#"["https://issuer.example"]"#, "discovery-document"),
            ("", "discovery-document"),
            ("<html>", "discovery-document"),
        ]
    )
    func `a document of another issuer, or an invalid one, yields no keys`(json: String, failure: String) async throws {
        let body = TransportResponse(
            status: 200,
            headers: [("Content-Type", "application/json")],
            body: Array(json.utf8)
        )
        let outcome = try await outcome(of: .response(body))
        #expect(outcome.verdict == "discovery")
        #expect(outcome.failure == failure)
        #expect(outcome.asked == [Self.document])
    }

    @Test(.rule("T-152")) func `keys on another host are fetched only if that host is allowed`() async throws {
        let document = StubTransport.Answer.json([
            "issuer": .string(Self.issuer), "jwks_uri": "https://keys.example/keys",
        ])
        let refused = try await outcome(of: document)
        #expect(refused.verdict == "discovery")
        #expect(refused.failure == "key-set-host")
        #expect(refused.asked == [Self.document])
        var configuration = KeyCacheConfiguration()
        configuration.keySetHosts = ["keys.example"]
        let allowed = try await outcome(of: document, configuration: configuration)
        #expect(allowed.verdict == "verified")
        configuration.keySetHosts = ["example", "keys.example.evil.example", "eys.example"]
        #expect(try await outcome(of: document, configuration: configuration).failure == "key-set-host")
    }

    @Test(.rule("T-152"))
    func `an issuer with https publishes keys over http only at a host of keys that is named for http, too`()
        async throws
    {
        let document = StubTransport.Answer.json([
            "issuer": .string(Self.issuer), "jwks_uri": "http://keys.example/keys",
        ])
        var configuration = KeyCacheConfiguration()
        func failure(_ cleartextHosts: Set<String>) async throws -> String? {
            try await outcome(of: document, configuration: configuration, cleartextHosts: cleartextHosts).failure
        }
        #expect(try await failure(["keys.example"]) == "key-set-host")
        configuration.keySetHosts = ["keys.example"]
        #expect(try await failure([]) == "discovery-document")
        #expect(try await failure(["issuer.example"]) == "discovery-document")
        #expect(try await failure(["keys.example"]) == nil)
    }

    @Test func `an allowed host cannot redirect key requests to this machine`() async throws {
        var configuration = KeyCacheConfiguration()
        configuration.keySetHosts = ["127.0.0.1"]
        let document = StubTransport.Answer.json([
            "issuer": .string(Self.issuer), "jwks_uri": "http://127.0.0.1:8080/keys",
        ])
        #expect(try await outcome(of: document, configuration: configuration).failure == "discovery-document")
        let allowed = try await outcome(of: document, configuration: configuration, allowsLoopbackHTTP: true)
        #expect(allowed.verdict == "verified")
    }

    @Test(arguments: [TransportFailure.Code.connection, .deadline, .tls, .name])
    func `a failed discovery request is reported as such, not as an invalid document`(code: TransportFailure.Code)
        async throws
    {
        let outcome = try await outcome(of: .failure(code))
        #expect(outcome.verdict == "keys-unavailable")
        #expect(outcome.failure == code.rawValue)
    }

    @Test func `a discovered key set URL is reused until it fails or a day has passed`() async throws {
        let maker = TestIssuer(provider: .openID(issuers: [Self.issuer]))
        let transport = StubTransport()
        let clock = ManualContinuousClock()
        transport.answer(
            Self.document,
            with: .json(["issuer": .string(Self.issuer), "jwks_uri": .string(Self.keys)])
        )
        transport.answer(Self.keys, with: .json(maker.keySet))
        let cache = try KeyCache(providers: [maker.provider], transport: transport, clock: clock)
        try await cache.running {
            _ = try await cache.snapshot(for: Self.issuer)
            #expect(transport.requests.map(\.url.target) == ["/.well-known/openid-configuration", "/keys"])
            _ = try await cache.refreshed(for: Self.issuer, unknownKeyID: "x")
            #expect(transport.requests.map(\.url.target).dropFirst(2) == ["/keys"])

            transport.answer(Self.keys, with: .failure(.connection))
            let moved = "https://issuer.example/moved"
            transport.answer(Self.document, with: .json(["issuer": .string(Self.issuer), "jwks_uri": .string(moved)]))
            transport.answer(moved, with: .json(maker.keySet))
            clock.advance(by: .seconds(30))
            await #expect(throws: VerificationUnavailable.self) {
                try await cache.refreshed(for: Self.issuer, unknownKeyID: "y")
            }
            clock.advance(by: .seconds(1))
            await transport.requests(atLeast: 6)
            let asked = transport.requests.map(\.url.target).dropFirst(3)
            #expect(asked == ["/keys", "/.well-known/openid-configuration", "/moved"])
        }
    }
}
