// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Synchronization
internal import TestSupport
internal import Testing

/// The request to the endpoint, the result of an accepted token, and the outcomes without an answer.
@Suite struct TokenIntrospectorTests {
    let bench: IntrospectionBench

    init() throws {
        bench = try IntrospectionBench()
    }

    // MARK: The request

    @Test(.rule("T-240"))
    func `the request is that of RFC 7662, with the client authenticated as RFC 6749 encodes it`() async throws {
        // The examples of RFC 7662 §2.1 and §2.2, and of RFC 6749 §2.3.1.
        bench.transport.answer(
            .post,
            "https://server.example.com/introspect",
            with: .json([
                "active": true, "client_id": "l238j323ds-23ij4", "username": "jdoe", "scope": "read write dolphin",
                "sub": "Z5O3upPC88QrAjx00dis", "aud": "https://protected.example.net/resource",
                "iss": "https://server.example.com/", "exp": 1_419_356_238, "iat": 1_419_350_238,
                "extension_field": "twenty-seven",
            ])
        )
        bench.clock.set(Date(timeIntervalSince1970: 1_419_351_000))
        let introspector = try TokenIntrospector(
            endpoint: EndpointURL("https://server.example.com/introspect"),
            clientID: "s6BhdRkqt3",
            clientSecret: "gX1fBat3bV",
            policy: IntrospectionPolicy(
                issuers: ["https://server.example.com/"],
                audiences: ["https://protected.example.net/resource"],
                requiredScopes: ["read", "dolphin"]
            ),
            transport: bench.transport,
            clock: bench.clock
        )
        let token = try await introspector.verify("mF_9.B5f-4.1JqM")
        #expect(token.subject == "Z5O3upPC88QrAjx00dis" && token.clientID == "l238j323ds-23ij4")
        #expect(token.scopes == ["read", "write", "dolphin"])
        #expect(token.claims["extension_field"]?.string == "twenty-seven")

        let request = try #require(bench.transport.requests.first)
        let fields = Dictionary(request.headers.map { ($0.name, $0.value) }) { first, _ in first }
        #expect(request.method == .post && fields["Authorization"] == "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW")
        #expect(fields["Accept"] == "application/json")
        #expect(fields["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(
            String(decoding: request.body, as: UTF8.self) == "token=mF_9.B5f-4.1JqM&token_type_hint=access_token"
        )
        #expect(request.responseLimit == 16384 && request.deadline == .seconds(5))
    }

    @Test(.rule("T-240"))
    func `separators in the client ID, the secret and the token are encoded`() async throws {
        let introspector = try TokenIntrospector(
            endpoint: EndpointURL(IntrospectionBench.endpoint),
            clientID: "orders:api",
            clientSecret: "a b/\u{E9}%",
            policy: bench.policy,
            transport: bench.transport,
            clock: bench.clock
        )
        _ = try await introspector.verify("a&b=c+d%/~")
        let request = try #require(bench.transport.requests.first)
        let field = request.headers.first { $0.name == "Authorization" }
        let expected = Data("orders%3Aapi:a%20b%2F%C3%A9%25".utf8).base64EncodedString()
        #expect(field?.value == "Basic \(expected)")
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body == "token=a%26b%3Dc%2Bd%25%2F~&token_type_hint=access_token")
    }

    @Test(.rule("T-240"), arguments: ["", "a b", "a\r\nb", "caf\u{E9}", "\u{0}"])
    func `a text that is no token causes no request`(text: String) async throws {
        let introspector = try bench.introspector()
        await expectRefused(.encoding) { () async throws(VerificationError) in try await introspector.verify(text) }
        #expect(bench.requests == 0)
    }

    @Test(.rule("T-240"))
    func `a token of 16 KiB is asked about, and one of a byte more is not`() async throws {
        let introspector = try bench.introspector()
        _ = try await introspector.verify(String(repeating: "x", count: Limits.tokenBytes))
        #expect(bench.requests == 1)
        await expectRefused(.tooLarge) { () async throws(VerificationError) in
            try await introspector.verify(String(repeating: "x", count: Limits.tokenBytes + 1))
        }
        #expect(bench.requests == 1)
    }

    // MARK: The result

    @Test(.rule("T-089", "T-241"))
    func `a byte order mark before the answer is skipped`() async throws {
        bench.transport.answer(.post, IntrospectionBench.endpoint, with: .json(.raw("\u{FEFF}" + bench.members.text)))
        _ = try await bench.introspector().verify(IntrospectionBench.token)
    }

    @Test(.rule("T-241"))
    func `an active token is accepted, and its members are typed`() async throws {
        let thumbprint = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        bench.answer {
            $0["token_type"] = "DPoP"
            $0["cnf"] = ["jkt": .string(thumbprint)]
            $0["jti"] = "id-1"
        }
        let token = try await bench.introspector().verify(IntrospectionBench.token)
        #expect(token.issuer == "https://login.example" && token.audience == "https://orders.example")
        #expect(token.subject == "user-1" && token.clientID == "client-app" && token.scopes == ["orders:read"])
        #expect(token.expiresAt == bench.clock.now.addingTimeInterval(3540))
        #expect(token.issuedAt == bench.clock.now.addingTimeInterval(-60) && token.tokenID == "id-1")
        #expect(token.confirmation.keyThumbprint == thumbprint)
        #expect(
            token.description == "access token of \"https://login.example\" for \"https://orders.example\", accepted"
        )
    }

    @Test func `a verified JWT becomes the same kind of token`() throws {
        let verified = try AccessTokenBench().verify(scopes: ["orders:read"])
        let token = AcceptedAccessToken(verified)
        #expect(token.issuer == verified.issuer && token.audience == verified.audience)
        #expect(token.subject == verified.subject && token.clientID == verified.clientID)
        #expect(token.scopes == verified.scopes && token.expiresAt == verified.expiresAt)
        #expect(token.issuedAt == verified.issuedAt && token.tokenID == verified.tokenID)
        #expect(token.confirmation == verified.confirmation && token.claims.names == verified.claims.names)
    }

    @Test(.rule("T-241"))
    func `an inactive token is refused, whatever else the answer says`() async throws {
        bench.answer { $0["active"] = false }
        let introspector = try bench.introspector()
        let refusal = await expectRefused(.inactive) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
        #expect(refusal?.member == "active" && refusal?.recognizedAs == nil)
        #expect(refusal?.publicMessage.hasPrefix("inactive: The access token is unknown, expired or revoked.") == true)
    }

    @Test func `each verdict is observed once`() async throws {
        let told = Mutex<[String]>([])
        var introspector = try bench.introspector(cacheLifetime: .zero)
        introspector.onVerdict = { error in told.withLock { $0.append(error?.code.rawValue ?? "verified") } }
        _ = try await introspector.verify(IntrospectionBench.token)
        bench.answer { $0 = ["active": false] }
        _ = try? await introspector.verify(IntrospectionBench.token)
        bench.transport.answer(.post, IntrospectionBench.endpoint, with: .failure(.deadline))
        _ = try? await introspector.verify(IntrospectionBench.token)
        #expect(told.withLock(\.self) == ["verified", "inactive", "introspection-unavailable"])
    }

    // MARK: No answer

    /// A response that is no answer.
    struct Response: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: StubTransport.Answer

        init(_ name: String, _ answer: StubTransport.Answer) {
            testDescription = name
            self.answer = answer
        }

        init(_ name: String, status: Int = 200, _ headers: [String: String], _ body: String = #"{"active":true}"#) {
            let fields = headers.map { (name: $0.key, value: $0.value) }
            self.init(name, .response(TransportResponse(status: status, headers: fields, body: Array(body.utf8))))
        }

        static func body(_ text: String) -> Response {
            Response(String(text.prefix(40)), ["Content-Type": "application/json"], text)
        }

        static func status(_ status: Int) -> Response {
            Response("\(status)", status: status, ["Content-Type": "application/json"])
        }
    }

    static let failures = TransportFailure.Code.all.map { Response($0.rawValue, .failure($0)) }

    static let statuses = [201, 204, 302, 400, 401, 403, 404, 429, 500, 503].map { Response.status($0) }

    static let headers: [Response] = [
        Response("HTML", ["Content-Type": "text/html"]), Response("no Content-Type", [:]),
        Response("signed", ["Content-Type": "application/token-introspection+jwt"]),
        Response("gzip", ["Content-Type": "application/json", "Content-Encoding": "gzip"]),
    ]

    static let bodies: [Response] = [
        "", "null", "true", "[]", "{}", #"{"active":null}"#, #"{"active":"true"}"#, #"{"active":1}"#,
        #"{"active":[true]}"#, #"{"Active":true}"#, #"{"active":false,"active":true}"#, #"{"active":true}x"#,
        #"{"active":true,}"#, "\u{FEFF}\u{FEFF}{\"active\":true}", #"{"active":true"#,
        #"{"active":true,"a":"# + String(repeating: "[", count: 16) + String(repeating: "]", count: 16) + "}",
        #"{"active":true,"a":""# + String(repeating: "x", count: 16384) + #""}"#,
    ].map { Response.body($0) }

    static let notUTF8 = Response(
        "not UTF-8",
        .response(
            TransportResponse(
                status: 200,
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"active":true,"a":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
            )
        )
    )

    @Test(.rule("T-242"), arguments: failures + statuses + headers + bodies + [notUTF8])
    func `a token is undecided without a proper answer`(response: Response) async throws {
        bench.transport.answer(.post, IntrospectionBench.endpoint, with: response.answer)
        let introspector = try bench.introspector()
        await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
    }

    @Test(.rule("T-242"))
    func `a failure is not cached`() async throws {
        let introspector = try bench.introspector()
        bench.transport.answer(
            .post,
            IntrospectionBench.endpoint,
            with: .failure(.connection),
            .json(["active": "x"]),
            .json(bench.members)
        )
        for _ in 1...2 {
            await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
                try await introspector.verify(IntrospectionBench.token)
            }
        }
        _ = try await introspector.verify(IntrospectionBench.token)
        #expect(bench.requests == 3)
    }

    @Test(.rule("T-242"))
    func `rejected credentials are named, without the secret`() async throws {
        bench.transport.answer(.post, IntrospectionBench.endpoint, with: .json([:], status: 401))
        let introspector = try bench.introspector()
        let reason = await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
            try await introspector.verify(IntrospectionBench.token)
        }
        #expect(reason?.description.contains("rejects the client ID or the secret (401)") == true)
        #expect(reason?.publicMessage.contains("401") == false)
    }

    @Test(.rule("T-242"))
    func `no text contains the token or the secret, even if the endpoint repeats them`() async throws {
        let echo = IntrospectionBench.token + IntrospectionBench.secret
        let responses: [Response] = [
            Response("type", ["Content-Type": echo]), Response("encoding", ["Content-Encoding": echo]), .body(echo),
            .body("{\"\(echo)\":1}"), .body("{\"active\":\"\(echo)\"}"),
        ]
        for response in responses {
            bench.transport.answer(.post, IntrospectionBench.endpoint, with: response.answer)
            let introspector = try bench.introspector()
            let reason = await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
                try await introspector.verify(IntrospectionBench.token)
            }
            let description = try #require(reason).description
            for text in [description, "\(introspector)", String(reflecting: introspector)] {
                #expect(!text.contains(IntrospectionBench.token) && !text.contains(IntrospectionBench.secret))
            }
        }
    }

    // MARK: The configuration

    @Test func `a lifetime from 0 to 300 seconds is accepted, and no other`() throws {
        for seconds in [0, 300] { _ = try bench.introspector(cacheLifetime: .seconds(seconds)) }
        for seconds in [-1, 301] {
            #expect(throws: PolicyError.self) { try bench.introspector(cacheLifetime: .seconds(seconds)) }
        }
    }

    @Test(arguments: [("", "secret"), ("orders-api", "")])
    func `empty credentials are refused`(clientID: String, secret: String) {
        #expect(throws: PolicyError.self) {
            try TokenIntrospector(
                endpoint: EndpointURL(IntrospectionBench.endpoint),
                clientID: clientID,
                clientSecret: secret,
                policy: bench.policy,
                transport: bench.transport
            )
        }
    }
}
