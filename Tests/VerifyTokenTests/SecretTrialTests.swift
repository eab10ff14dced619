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

/// The trial of a client secret: whether it is sent, how, and what an answer proves.
@Suite struct SecretTrialTests {
    private static let secret = "the secret+of=the client"

    private func trial(
        client: ClientRegistration = ClientRegistration(),
        issuer: String = "https://issuer.example",
        _ members: [String: TestJSON] = [:]
    ) async throws -> SecretTrial {
        var metadata: TestJSON = [
            "issuer": .string(issuer), "jwks_uri": "https://issuer.example/keys",
            "token_endpoint": "https://tokens.example/token?tenant=1",
        ]
        for (name, value) in members { metadata[name] = value }
        let transport = StubTransport()
        transport.answer(issuer + "/.well-known/openid-configuration", with: .json(metadata))
        transport.answer("https://issuer.example/keys", with: .json(["keys": [TestKey.shared.json]]))
        var provider = Provider.openID(issuers: ["https://issuer.example"])
        if issuer.hasPrefix("http:") { provider = .openID(issuers: [issuer]) }
        provider.allowsLoopbackHTTP = true
        let documents = await IssuerClient(configuration: KeyCacheConfiguration(), transport: transport)
            .documents(of: provider, usesDiscovery: true)
        let policy = try TokenPolicy(provider: provider, audiences: ["client"])
        let diagnosis = IssuerDiagnosis(documents: documents, policy: policy, client: client)
        return try SecretTrial(diagnosis, clientID: "client:1")
    }

    private func form(_ request: TransportRequest) throws -> FormFields {
        try #require(FormFields(reading: request.body))
    }

    @Test func `the secret is sent in the header by default, with a code that no provider issues`() async throws {
        let trial = try await trial()
        let request = trial.request(with: Self.secret)
        #expect(request.method == .post && request.url.description == "https://tokens.example/token?tenant=1")
        let form = try form(request)
        #expect(form.only("grant_type") == "authorization_code" && form.only("code") == "verify-token-doctor")
        #expect(form.only("code_verifier")?.utf8.count == 60)
        #expect(form.only("redirect_uri") == "https://verify-token.invalid/callback")
        #expect(form.only("client_secret") == nil && form.only("client_id") == nil)
        let header = try #require(request.headers.first { $0.name == "Authorization" }?.value)
        #expect(header == basicCredentials(clientID: "client:1", secret: Self.secret))
    }

    @Test
    func `the secret is sent in the form if the document lists only that, and with the redirect URI if it is known`()
        async throws
    {
        let client = ClientRegistration(publicURL: "https://login.example.com", name: "example")
        let trial = try await trial(
            client: client,
            ["token_endpoint_auth_methods_supported": ["private_key_jwt", "client_secret_post"]]
        )
        let request = trial.request(with: Self.secret)
        let form = try form(request)
        #expect(form.only("client_id") == "client:1" && form.only("client_secret") == Self.secret)
        #expect(form.only("redirect_uri") == "https://login.example.com/login/example/callback")
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    @Test func `the announcement names the server, and neither the query nor the secret`() async throws {
        let text = try await trial().announcement
        #expect(text.contains(#""https://tokens.example/token""#) && text.contains("client_secret_basic"))
        #expect(!text.contains("tenant=1") && !text.contains(Self.secret))
    }

    @Test(
        arguments: [
            (["issuer": "https://other.example"], "no discovery document with the issuer"),
            (["token_endpoint": .null], "no usable token endpoint"),
            (["token_endpoint": "http://127.0.0.1:1/token"], "not reached by https"),
            (
                ["token_endpoint_auth_methods_supported": ["private_key_jwt"]],
                "no client authentication that sends a secret"
            ),
        ] as [([String: TestJSON], String)]
    )
    func `the secret is not sent without https, the issuer, and a way to send it`(
        _ members: [String: TestJSON],
        _ reason: String
    ) async throws {
        let obstacle = await #expect(throws: SecretTrial.Obstacle.self) { try await trial(members) }
        let finding = try #require(obstacle?.finding)
        #expect(finding.outcome == .warning && finding.detail.contains(reason), "\(finding)")
    }

    @Test func `the secret is not sent to an endpoint from a document that was fetched by http`() async throws {
        let obstacle = await #expect(throws: SecretTrial.Obstacle.self) {
            try await trial(issuer: "http://127.0.0.1:1")
        }
        #expect(obstacle?.reason.contains("not fetched by https") == true)
    }

    @Test func `a stated authentication that is not listed is not tried`() async throws {
        let obstacle = await #expect(throws: SecretTrial.Obstacle.self) {
            try await trial(
                client: ClientRegistration(authentication: .post),
                ["token_endpoint_auth_methods_supported": ["client_secret_basic"]]
            )
        }
        #expect(obstacle != nil)
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_grant"}"#, "application/json", IssuerDiagnosis.Outcome.ok),
        (401, #"{"error":"invalid_client"}"#, "application/json", .failed),
        (400, #"{"error":"invalid_client"}"#, "application/json", .failed),
        (400, #"{"error":"invalid_request"}"#, "application/json", .warning),
        (400, #"{"error":"unauthorized_client"}"#, "application/json", .warning),
        (200, #"{"error":"invalid_grant"}"#, "application/json", .warning),
        (500, #"{"error":"invalid_grant"}"#, "application/json", .warning),
        (302, #"{"error":"invalid_grant"}"#, "application/json", .warning),
        (400, #"{"error":"invalid_grant"}"#, "text/html", .warning),
        (401, "", "application/json", .warning),
        (400, #"{"error":"the secret+of=the client"}"#, "application/json", .warning),
        (400, #"{"error":["invalid_grant"]}"#, "application/json", .warning),
    ])
    func `only invalid_grant proves a secret, and only invalid_client refutes it`(
        _ status: Int,
        _ body: String,
        _ type: String,
        _ outcome: IssuerDiagnosis.Outcome
    ) async throws {
        let response = TransportResponse(status: status, headers: [("Content-Type", type)], body: Array(body.utf8))
        let finding = try await trial().finding(about: .success(response))
        #expect(finding.check == .clientSecret && finding.outcome == outcome, "\(finding)")
        #expect(!finding.detail.contains(Self.secret))
        #expect(finding.detail.contains("not proven") == (outcome == .warning))
        #expect((finding.advice == nil) == (outcome == .ok))
    }

    @Test func `no answer proves nothing`() async throws {
        let finding = try await trial().finding(about: .failure(TransportFailure(.deadline, "too late")))
        #expect(finding.outcome == .warning && finding.detail.contains("no answer (deadline)"))
    }
}
#endif
