// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The metadata of providers, and the parts of it that are trusted.
@Suite struct ProviderMetadataTests {
    private static let issuer = "https://issuer.example"
    private static let document = "https://issuer.example/.well-known/openid-configuration"
    private static let least: TestJSON = [
        "issuer": "https://issuer.example", "jwks_uri": "https://keys.example/keys",
    ]

    private func read(
        _ json: TestJSON,
        issuer: String = issuer,
        allowsLoopbackHTTP: Bool = false
    ) throws(ProviderMetadataError) -> ProviderMetadata {
        var provider = Provider.openID(issuers: [issuer])
        provider.allowsLoopbackHTTP = allowsLoopbackHTTP
        return try ProviderMetadata(json: json.text, provider: provider)
    }

    @Test func `the metadata is read, with endpoints on any host`() throws {
        var json = Self.least
        json["authorization_endpoint"] = "https://login.example/authorize?a=b"
        json["token_endpoint"] = "https://tokens.example/token"
        json["authorization_response_iss_parameter_supported"] = true
        json["code_challenge_methods_supported"] = ["plain", "S256"]
        json["response_types_supported"] = ["code"]
        json["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
        json["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]
        json["scopes_supported"] = ["openid", "email"]
        let metadata = try read(json)
        #expect(metadata.issuer == Self.issuer)
        #expect(metadata.keySetURL.description == "https://keys.example/keys")
        #expect(metadata.authorizationEndpoint?.description == "https://login.example/authorize?a=b")
        #expect(metadata.tokenEndpoint?.description == "https://tokens.example/token")
        #expect(metadata.sendsIssuerInResponse)
        #expect(metadata.codeChallengeMethods == ["plain", "S256"])
        #expect(metadata.responseTypes == ["code"])
        #expect(metadata.idTokenSigningAlgorithms == ["RS256", "ES256"])
        #expect(metadata.tokenEndpointAuthenticationMethods == ["client_secret_basic"])
        #expect(metadata.scopes == ["openid", "email"])
    }

    @Test
    func `a document like Facebook's is accepted, without a token endpoint and with a string in place of an array`()
        throws
    {
        var json = Self.least
        json["authorization_endpoint"] = "https://facebook.example/dialog/oauth/"
        json["response_types_supported"] = ["id_token", "token id_token"]
        json["subject_types_supported"] = "pairwise"
        json["scopes_supported"] = "openid"
        let metadata = try read(json)
        #expect(metadata.tokenEndpoint == nil)
        #expect(metadata.responseTypes == ["id_token", "token id_token"])
        #expect(metadata.scopes == ["openid"])
        #expect(metadata.codeChallengeMethods == nil)
        #expect(!metadata.sendsIssuerInResponse)
    }

    @Test(.rule("T-089"))
    func `a byte order mark before a document is skipped`() throws {
        let provider = Provider.openID(issuers: [Self.issuer])
        let metadata = try ProviderMetadata(json: "\u{FEFF}" + Self.least.text, provider: provider)
        #expect(metadata.keySetURL.description == "https://keys.example/keys")
    }

    @Test(arguments: [
        TestJSON.string("http://issuer.example/a"), "ftp://issuer.example/a", "/a", "https://issuer.example/#a",
        "https://u@issuer.example/", "", 1, .null, ["https://issuer.example/a"], "http://127.0.0.1/a",
    ])
    func `an endpoint that is not allowed is omitted, and the rest is read`(endpoint: TestJSON) throws {
        var json = Self.least
        json["token_endpoint"] = endpoint
        json["authorization_endpoint"] = endpoint
        json["userinfo_endpoint"] = endpoint
        json["authorization_response_iss_parameter_supported"] = "true"
        let metadata = try read(json)
        #expect(metadata.tokenEndpoint == nil)
        #expect(metadata.authorizationEndpoint == nil)
        #expect(metadata.userInfoEndpoint == nil)
        #expect(!metadata.sendsIssuerInResponse)
    }

    @Test func `http is accepted for a loopback endpoint if it is allowed`() throws {
        let json: TestJSON = [
            "issuer": "http://127.0.0.1:8080", "jwks_uri": "http://127.0.0.1:8080/keys",
            "token_endpoint": "http://127.0.0.1:8080/token",
            "userinfo_endpoint": "http://127.0.0.1:8080/userinfo",
        ]
        let metadata = try read(json, issuer: "http://127.0.0.1:8080", allowsLoopbackHTTP: true)
        #expect(metadata.tokenEndpoint?.description == "http://127.0.0.1:8080/token")
        #expect(metadata.userInfoEndpoint?.description == "http://127.0.0.1:8080/userinfo")
        #expect(throws: ProviderMetadataError.self) { try read(json, issuer: "http://127.0.0.1:8080") }
    }

    @Test(arguments: [
        (#"{"issuer":"https://issuer.example/","jwks_uri":"https://issuer.example/keys"}"#, "discovery-issuer"),
        (#"{"issuer":"https://Issuer.example","jwks_uri":"https://issuer.example/keys"}"#, "discovery-issuer"),
        (#"{"issuer":1,"jwks_uri":"https://issuer.example/keys"}"#, "discovery-document"),
        (#"{"issuer":"https://issuer.example"}"#, "discovery-document"),
        (#"{"issuer":"https://issuer.example","jwks_uri":"http://issuer.example/keys"}"#, "discovery-document"),
        (#"{"issuer":"https://issuer.example","jwks_uri":"https://a.example","jwks_uri":"b"}"#, "discovery-document"),
        ("[]", "discovery-document"), ("", "discovery-document"), ("<html>", "discovery-document"),
    ])
    func `a document of another issuer, or without one, is refused`(json: String, code: String) throws {
        let error = #expect(throws: ProviderMetadataError.self) {
            try ProviderMetadata(json: json, provider: .openID(issuers: [Self.issuer]))
        }
        #expect(error?.code.rawValue == code)
    }

    @Test(.rule("T-151")) func `a document may have one other issuer if it is stated, and tokens keep their own`()
        throws
    {
        var provider = Provider.openID(issuers: [Self.issuer])
        provider.documents.discoveryIssuer = "https://internal.example"
        var json = Self.least
        for issuer in [Self.issuer, "https://internal.example"] {
            json["issuer"] = .string(issuer)
            #expect(try ProviderMetadata(json: json.text, provider: provider).issuer == Self.issuer)
        }
        for issuer in ["https://internal.example/", "https://evil.example", ""] {
            json["issuer"] = .string(issuer)
            let error = #expect(throws: ProviderMetadataError.self) {
                try ProviderMetadata(json: json.text, provider: provider)
            }
            #expect(error?.code == .issuer)
        }
    }

    private func fetch(
        _ answer: StubTransport.Answer,
        issuer: String = issuer,
        at url: String = document
    ) async throws -> ProviderMetadata {
        let transport = StubTransport()
        transport.answer(url, with: answer)
        return try await ProviderMetadata.fetch(provider: .openID(issuers: [issuer]), transport: transport)
    }

    @Test func `the discovery URL is the one that the standard defines`() async throws {
        #expect(try await fetch(.json(Self.least)).issuer == Self.issuer)
        for issuer in ["https://issuer.example/", "https://issuer.example/tenants/1"] {
            var json = Self.least
            json["issuer"] = .string(issuer)
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            let url = base + "/.well-known/openid-configuration"
            #expect(try await fetch(.json(json), issuer: issuer, at: url).issuer == issuer)
        }
    }

    @Test func `a document at another URL must still name the exact issuer`()
        async throws
    {
        let issuer = "https://login.microsoftonline.com/{tenantid}/v2.0"
        let document = "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
        let transport = StubTransport()
        var json = Self.least
        json["issuer"] = .string(issuer)
        transport.answer(document, with: .json(json))
        var provider = Provider.microsoftAnyTenant
        provider.documents.discoveryURL = document
        let metadata = try await ProviderMetadata.fetch(provider: provider, transport: transport)
        #expect(metadata.issuer == issuer)
        #expect(transport.requests.map(\.url.description) == [document])
        for other in ["https://login.microsoftonline.com/common/v2.0", issuer + "/", issuer.lowercased() + " "] {
            var provider = Provider.openID(issuers: [other])
            provider.documents.discoveryURL = document
            let error = await #expect(throws: ProviderMetadataError.self) {
                try await ProviderMetadata.fetch(provider: provider, transport: transport)
            }
            #expect(error?.code == .issuer)
        }
        for document in [nil, "http://login.microsoftonline.com/", ""] {
            var provider = Provider.microsoftAnyTenant
            provider.documents.discoveryURL = document
            let error = await #expect(throws: ProviderMetadataError.self) {
                try await ProviderMetadata.fetch(provider: provider, transport: transport)
            }
            #expect(error?.code.rawValue == "url")
        }
    }

    @Test(arguments: [(301, "redirect"), (404, "discovery-document"), (410, "discovery-document"), (500, "status")])
    func `a response with another status than 200 has no metadata`(status: Int, code: String) async throws {
        let response = TransportResponse(
            status: status,
            headers: [("Content-Type", "application/json")],
            body: Array(Self.least.text.utf8)
        )
        let error = await #expect(throws: ProviderMetadataError.self) { try await fetch(.response(response)) }
        #expect(error?.code.rawValue == code)
        #expect(error?.description.contains("requested \"\(Self.document)\"") == true)
    }

    @Test func `a response that is compressed, not JSON, too long or missing has no metadata`() async throws {
        let body = Array(Self.least.text.utf8)
        let json = [(name: "Content-Type", value: "application/json")]
        let answers: [(StubTransport.Answer, String)] = [
            (.response(TransportResponse(status: 200, headers: [], body: body)), "content-type"),
            (
                .response(TransportResponse(status: 200, headers: [("Content-Type", "text/html")], body: body)),
                "content-type"
            ),
            (
                .response(TransportResponse(status: 200, headers: json + [("Content-Encoding", "gzip")], body: body)),
                "content-encoding"
            ),
            (
                .response(
                    TransportResponse(
                        status: 200,
                        headers: json,
                        body: body + [UInt8](repeating: 0x20, count: Limits.discoveryDocumentBytes)
                    )
                ), "too-large"
            ),
            (.failure(.deadline), "deadline"),
        ]
        for (answer, code) in answers {
            let error = await #expect(throws: ProviderMetadataError.self) { try await fetch(answer) }
            #expect(error?.code.rawValue == code)
        }
        let error = await #expect(throws: ProviderMetadataError.self) {
            try await fetch(.json(Self.least), issuer: "http://issuer.example")
        }
        #expect(error?.code.rawValue == "url")
    }
}
