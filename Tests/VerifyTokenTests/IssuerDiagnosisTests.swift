// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginKeys
import LoginTestServers
internal import LoginTesting
internal import LoginTokens
internal import Testing
@testable import verify_token

/// The findings about an issuer, from prepared answers.
@Suite struct IssuerDiagnosisTests {
    private static let issuer = "https://issuer.example"
    private static let document = issuer + "/.well-known/openid-configuration"
    private static let keySetURL = issuer + "/keys"
    /// The time of the clock in these tests, a `ManualClock`.
    private static let date = (name: "Date", value: "Thu, 09 Oct 2025 08:53:20 GMT")

    /// A provider without any fault; a test changes one answer.
    struct Answers: Sendable {
        var metadata: TestJSON = [
            "issuer": "https://issuer.example", "jwks_uri": "https://issuer.example/keys",
            "authorization_endpoint": "https://issuer.example/authorize",
            "token_endpoint": "https://issuer.example/token", "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"], "id_token_signing_alg_values_supported": ["RS256"],
        ]
        var keys: [TestJSON] = [TestKey.shared.json]
        var headers = [IssuerDiagnosisTests.date, (name: "Cache-Control", value: "max-age=3600")]
        /// An answer in the place of the discovery document.
        var discovery: StubTransport.Answer?
        /// An answer in the place of the key set.
        var keySet: StubTransport.Answer?
    }

    /// A fault, and the finding that it causes.
    struct Fault: Sendable, CustomTestStringConvertible {
        let check: IssuerDiagnosis.Check
        let outcome: IssuerDiagnosis.Outcome
        let says: String
        let change: @Sendable (inout Answers) -> Void

        init(
            _ check: IssuerDiagnosis.Check,
            _ outcome: IssuerDiagnosis.Outcome,
            _ says: String,
            _ change: @escaping @Sendable (inout Answers) -> Void
        ) {
            (self.check, self.outcome, self.says, self.change) = (check, outcome, says, change)
        }

        var testDescription: String { "\(check.rawValue): \(says)" }
    }

    private func diagnosis(
        of provider: Provider = .openID(issuers: [issuer]),
        usesDiscovery: Bool = true,
        client: ClientRegistration = ClientRegistration(),
        _ change: (inout Answers) -> Void = { _ in }
    ) async throws -> IssuerDiagnosis {
        var answers = Answers()
        change(&answers)
        let transport = StubTransport()
        transport.answer(
            Self.document,
            with: answers.discovery ?? .json(answers.metadata, headers: answers.headers)
        )
        let keySet = StubTransport.Answer.json(["keys": .array(answers.keys)], headers: answers.headers)
        for url in [Self.keySetURL, Provider.google.keySetURL ?? ""] {
            transport.answer(url, with: answers.keySet ?? keySet)
        }
        let client = IssuerClient(
            configuration: KeyCacheConfiguration(),
            transport: transport,
            timekeeper: Timekeeper(ManualContinuousClock()),
            clock: ManualClock()
        )
        let documents = await client.documents(of: provider, usesDiscovery: usesDiscovery)
        return IssuerDiagnosis(
            documents: documents,
            policy: try TokenPolicy(provider: provider, audiences: ["client"]),
            client: client
        )
    }

    @Test func `a provider without faults passes every check in order`() async throws {
        let diagnosis = try await diagnosis()
        #expect(diagnosis.verdict == .ok)
        #expect(diagnosis.findings.allSatisfy { $0.outcome == .ok && $0.advice == nil })
        #expect(
            diagnosis.findings.map(\.check.rawValue) == [
                "issuer", "discovery-document", "discovery-issuer", "key-set-url", "response-types", "endpoints",
                "pkce", "client-authentication", "key-set", "key", "algorithms", "lifetime", "clock", "timing",
            ]
        )
    }

    @Test func `the default version of Facebook's Graph API is a warning from 90 days before its end`() throws {
        let served = IssuerDiagnosis.graphVersionFinding(at: try Date("2026-11-27T00:00:00Z", strategy: .iso8601))
        #expect(served.check.rawValue == "graph-version" && served.outcome == .ok && served.advice == nil)
        let ended = IssuerDiagnosis.graphVersionFinding(at: .distantFuture)
        #expect(ended.outcome == .warning && ended.detail.contains("does not know the day") && ended.advice != nil)
    }

    private static let faults: [Fault] = [
        Fault(.discoveryDocument, .failed, "404") {
            $0.discovery = .json([:], status: 404)
        },
        Fault(.discoveryDocument, .failed, #"it redirects to "https://other.example/document""#) {
            $0.discovery = .json([:], status: 302, headers: [("Location", "https://other.example/document?secret=s")])
        },
        Fault(.discoveryDocument, .failed, "it redirects to") {
            $0.discovery = .json([:], status: 302, headers: [("Location", "https://ada:the-secret@other.example/")])
        },
        Fault(.discoveryDocument, .failed, "jwks_uri") { $0.metadata["jwks_uri"] = nil },
        Fault(.discoveryIssuer, .failed, #"https://issuer.example/""#) {
            $0.metadata["issuer"] = "https://issuer.example/"
        },
        Fault(.keySetURL, .failed, #""https://keys.example""#) { $0.metadata["jwks_uri"] = "https://keys.example/k" },
        Fault(.responseTypes, .warning, #""id_token""#) { $0.metadata["response_types_supported"] = ["id_token"] },
        Fault(.endpoints, .warning, "no usable token endpoint") { $0.metadata["token_endpoint"] = nil },
        Fault(.pkce, .warning, #""plain""#) { $0.metadata["code_challenge_methods_supported"] = ["plain"] },
        Fault(.clientAuthentication, .failed, "none of which is supported") {
            $0.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_jwt", "tls_client_auth"]
        },
        Fault(.clientAuthentication, .warning, "private_key_jwt needs a key") {
            $0.metadata["token_endpoint_auth_methods_supported"] = ["tls_client_auth", "private_key_jwt"]
        },
        Fault(.clientAuthentication, .warning, #""none": no client secret can be used"#) {
            $0.metadata["token_endpoint_auth_methods_supported"] = ["none"]
        },
        Fault(
            .clientAuthentication,
            .ok,
            #""client_secret_post", "client_secret_basic"; a client secret is sent by client_secret_post"#
        ) {
            $0.metadata["token_endpoint_auth_methods_supported"] = [
                "private_key_jwt", "client_secret_post", "client_secret_basic",
            ]
        },
        Fault(.clientAuthentication, .ok, "which means client_secret_basic") {
            $0.metadata["token_endpoint_auth_methods_supported"] = []
        },
        Fault(.keySet, .failed, "text/html") {
            $0.keySet = .response(TransportResponse(status: 200, headers: [("Content-Type", "text/html")], body: []))
        },
        Fault(.key, .warning, "without ID cannot be used (key-type)") { $0.keys.append(["kty": "EC", "crv": "x"]) },
        Fault(.key, .failed, "(private-key)") { $0.keys[0]["d"] = "AQAB" },
        Fault(.key, .ok, "(use)") { answers in
            var encryption = TestKey.another.json
            encryption["use"] = "enc"
            answers.keys.append(encryption)
        },
        Fault(.keyIDs, .warning, "2 different keys have the ID") { answers in
            var second = TestKey.another.json
            second["kid"] = .string(TestKey.shared.keyID)
            answers.keys.append(second)
        },
        Fault(.keyIDs, .failed, "key-ambiguous") { answers in
            for key in (0..<5).map({ _ in TestKey(.es256) }) {
                var json = key.json
                json["kid"] = "k"
                answers.keys.append(json)
            }
        },
        Fault(.key, .ok, "; x5c is ignored: ") { $0.keys[0]["x5c"] = ["MAA="] },
        Fault(.algorithms, .failed, #""HS256", none of which is supported"#) {
            $0.metadata["id_token_signing_alg_values_supported"] = ["HS256"]
        },
        Fault(.algorithms, .warning, "ES256, and only RS256 is accepted") {
            $0.keys = [TestKey(.es256).json]
            $0.metadata["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
        },
        Fault(.lifetime, .ok, #"3590 s (Cache-Control "max-age=3600", Age "10"); a key cache uses the keys for 3590 s"#)
        {
            $0.headers.append((name: "Age", value: "10"))
        },
        Fault(.lifetime, .ok, "states no lifetime; a key cache uses the keys for 300 s") {
            $0.headers = [IssuerDiagnosisTests.date]
        },
        Fault(.clock, .warning, "No answer has a valid Date") { $0.headers = [] },
        Fault(.clock, .failed, "clock is 60 s behind") {
            $0.headers = [(name: "Date", value: "Thu, 09 Oct 2025 08:54:20 GMT")]
        },
        Fault(.clock, .ok, "differ by 0 s") {
            $0.headers = [(name: "Date", value: "Thu, 09 Oct 2025 07:53:20 GMT"), (name: "Age", value: "3600")]
        },
    ]

    @Test(arguments: faults)
    func `each fault of a provider is found`(fault: Fault) async throws {
        let diagnosis = try await diagnosis { fault.change(&$0) }
        let finding = try #require(
            diagnosis.findings.first { $0.check == fault.check && $0.detail.contains(fault.says) },
            "\(diagnosis.findings)"
        )
        #expect(finding.outcome == fault.outcome)
        #expect((finding.advice != nil) == (fault.outcome != .ok))
        #expect(!finding.detail.contains("the-secret") && !finding.detail.contains("secret=s"))
        #expect((diagnosis.verdict == .ok) == (fault.outcome != .failed))
    }

    @Test(arguments: ["http://issuer.example", "https://issuer.example?x", "issuer.example"])
    func `nothing is requested if the issuer is not an https URL without a query`(issuer: String)
        async throws
    {
        let diagnosis = try await diagnosis(of: .openID(issuers: [issuer]))
        #expect(diagnosis.findings.map(\.check) == [.issuer])
        #expect(diagnosis.verdict == .failed)
    }

    @Test func `an unreachable or overloaded server is reported as worth a retry`() async throws {
        for answer in [StubTransport.Answer.failure(.deadline), .json([:], status: 503)] {
            #expect(try await diagnosis { $0.discovery = answer }.verdict == .unreachable)
            #expect(try await diagnosis { $0.keySet = answer }.verdict == .unreachable)
        }
        #expect(try await diagnosis { $0.keySet = .failure(.tls) }.verdict == .failed)
    }

    @Test func `the discovery document of a provider with a known key set matters for browser logins only`()
        async throws
    {
        let known = try await diagnosis(of: .google, usesDiscovery: false)
        #expect(known.verdict == .ok && known.findings.map(\.check).prefix(2) == [.issuer, .keySet])
        let unreachable = try await diagnosis(of: .google)
        let finding = try #require(unreachable.findings.first { $0.check == .discoveryDocument })
        #expect(unreachable.verdict == .ok && finding.outcome == .warning)
        #expect(finding.detail.hasSuffix("Only logins in browsers need the document."))
    }

    @Test func `a stated client authentication is compared with the listed ones`() async throws {
        for (method, outcome) in [
            (ClientAuthenticationMethod.basic, IssuerDiagnosis.Outcome.failed), (.post, .ok), (.privateKeyJWT, .failed),
            (.none, .ok),
        ] {
            let diagnosis = try await diagnosis(client: ClientRegistration(authentication: method)) {
                $0.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
            }
            let finding = try #require(diagnosis.findings.first { $0.check == .clientAuthentication })
            #expect(finding.outcome == outcome, "\(method)")
            #expect(finding.detail.contains(method.registeredName))
        }
    }

    @Test func `the redirect URI to register has the name of the provider, or says where it belongs`() async throws {
        #expect(try await diagnosis().redirectURIFinding == nil)
        for (name, uri) in [
            ("example", "https://login.example.com/login/example/callback."),
            (nil, "https://login.example.com/login/<name>/callback,"),
        ] as [(String?, String)] {
            let client = ClientRegistration(publicURL: "https://login.example.com/", name: name)
            let finding = try #require(try await diagnosis(client: client).redirectURIFinding)
            #expect(finding.outcome == .ok && finding.detail.contains(" \(uri)"), "\(finding)")
        }
    }

    @Test func `a document of any tenant has the advice to name the tenants`() async throws {
        let template = "https://issuer.example/{tenantid}/v2.0"
        let document = try await diagnosis { $0.metadata["issuer"] = .string(template) }
        let finding = try #require(document.findings.first { $0.check == .discoveryIssuer })
        #expect(finding.outcome == .failed && finding.advice == IssuerDiagnosis.tenantAdvice)
        let typed = try await diagnosis(of: .openID(issuers: [template]))
        #expect(typed.findings.map(\.advice) == [IssuerDiagnosis.tenantAdvice])
        let other = try await diagnosis { $0.metadata["issuer"] = "https://other.example" }
        let advice = try #require(other.findings.first { $0.check == .discoveryIssuer }).advice
        #expect(advice != nil && advice != IssuerDiagnosis.tenantAdvice)
    }

    @Test func `what was not checked is listed, and depends on what was requested`() async throws {
        let all = try await diagnosis()
        let without = all.unchecked(triesSecret: false)
        #expect(without.contains { $0.contains("--try-secret") } && without.contains { $0.contains("--public-url") })
        #expect(!without.contains { $0.contains("not requested") })
        #expect(!all.unchecked(triesSecret: true).contains { $0.contains("--try-secret") })
        let client = ClientRegistration(publicURL: "https://login.example.com")
        let partial = try await diagnosis(of: .google, usesDiscovery: false, client: client)
            .unchecked(triesSecret: false)
        #expect(partial.first == "the discovery document, which was not requested")
        #expect(!partial.contains { $0.contains("--public-url") })
    }

    @Test(
        arguments: [
            ([], .basic), (["client_secret_basic", "client_secret_post"], .basic),
            (["client_secret_post", "client_secret_basic"], .post), (["tls_client_auth", "client_secret_post"], .post),
            (["Client_Secret_Basic"], nil), (["private_key_jwt", "none"], nil),
        ] as [([String], ClientAuthenticationMethod?)]
    )
    func `a secret is sent by the first listed method that can`(
        _ listed: [String],
        _ method: ClientAuthenticationMethod?
    ) {
        #expect(ClientAuthenticationMethod.ofSecret(listed: listed) == method)
        #expect(ClientAuthenticationMethod.ofSecret(listed: nil) == .basic)
    }

    @Test func `a slow provider is reported before its responses exceed the deadline`() async throws {
        var documents = try await diagnosis().documents
        let exchange = try #require(documents.keySet?.exchange)
        let slow = RecordedExchange(
            url: exchange.url,
            result: exchange.result,
            duration: .seconds(3),
            end: exchange.end
        )
        documents.keySet = try IssuerDocuments.Fetch(
            exchange: slow,
            result: .success(#require(documents.keySet?.document))
        )
        let policy = try TokenPolicy(issuers: [Self.issuer], audiences: ["client"])
        let finding = IssuerDiagnosis(documents: documents, policy: policy).findings.last
        #expect(finding?.check == .timing && finding?.outcome == .warning)
        #expect(
            finding?.detail == "Durations: the discovery document 0 ms, the key set 3000 ms; a key cache waits for 5 s."
        )
    }
}
#endif
