// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Signed responses of the endpoint (RFC 9701), required by the introspector.
@Suite struct SignedIntrospectionTests {
    private static let mediaType = "application/token-introspection+jwt"

    let bench: IntrospectionBench
    let issuer: TestIssuer

    init() throws {
        bench = try IntrospectionBench()
        issuer = TestIssuer(
            provider: .openID(issuers: [IntrospectionBench.issuer]),
            audience: "orders-api",
            clock: bench.clock
        )
    }

    /// Sets the signed response.
    private func respond(type: String = Self.mediaType, _ change: (inout TestToken) -> Void = { _ in }) {
        let text = issuer.token {
            $0.header["typ"] = "token-introspection+jwt"
            $0.claims["iat"] = bench.time(0)
            $0.claims["sub"] = nil
            $0.claims["exp"] = nil
            $0.claims["token_introspection"] = bench.members
            change(&$0)
        }
        respond(text, type: type)
    }

    private func respond(_ text: String, type: String = Self.mediaType) {
        let response = TransportResponse(status: 200, headers: [("Content-Type", type)], body: Array(text.utf8))
        bench.transport.answer(.post, IntrospectionBench.endpoint, with: .response(response))
    }

    private func verify(keys: (any KeySource)? = nil) async throws(VerificationError) -> AcceptedAccessToken {
        let introspector: TokenIntrospector
        do {
            introspector = try bench.introspector(responseKeys: keys ?? issuer.keys)
        } catch {
            preconditionFailure("the configuration of the bench is valid: \(error)")
        }
        return try await introspector.verify(IntrospectionBench.token)
    }

    @Test(.rule("T-249"), arguments: ["orders-api", ["other", "orders-api"], "https://orders.example"] as [TestJSON])
    func `a signed response for this API is accepted, and was requested`(recipient: TestJSON) async throws {
        respond { $0.claims["aud"] = recipient }
        let token = try await verify()
        #expect(token.subject == "user-1" && token.scopes == ["orders:read"])
        let accept = bench.transport.requests.first?.headers.first { $0.name == "Accept" }
        #expect(accept?.value == Self.mediaType)
    }

    @Test(.rule("T-249"))
    func `the members of a signed response are checked like those of a plain one`() async throws {
        respond { $0.claims["token_introspection"] = ["active": false] }
        await expectRefused(.inactive) { () async throws(VerificationError) in try await verify() }
        respond {
            var members = bench.members
            members["aud"] = "another"
            $0.claims["token_introspection"] = members
        }
        await expectRefused(.audience) { () async throws(VerificationError) in try await verify() }
    }

    /// A fault of a signed response.
    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout TestToken) -> Void

        init(_ name: String, _ change: @escaping @Sendable (inout TestToken) -> Void) {
            testDescription = name
            self.change = change
        }

        static func header(_ name: String, _ value: TestJSON?) -> Fault {
            Fault("\(name) is \(value?.text ?? "missing")") { $0.header[name] = value }
        }

        static func claim(_ name: String, _ value: TestJSON?) -> Fault {
            Fault("\(name) is \(value?.text ?? "missing")") { $0.claims[name] = value }
        }
    }

    static let faults: [Fault] = [
        .header("typ", nil), .header("typ", "JWT"), .header("typ", "at+jwt"), .header("alg", "none"),
        .header("alg", "HS256"), .header("alg", "RS512"), .header("crit", ["exp"]), .header("kid", "another"),
        Fault("another key") { $0.signing = .key(.another) },
        .claim("iss", nil), .claim("iss", "https://login.example/"), .claim("aud", nil), .claim("aud", "another-api"),
        .claim("aud", []), .claim("aud", ["orders-api", 1]), .claim("iat", nil), .claim("iat", "now"),
        .claim("token_introspection", nil), .claim("token_introspection", []), .claim("token_introspection", "active"),
        .claim("token_introspection", [:]), .claim("token_introspection", ["active": "true"]),
    ]

    @Test(.rule("T-249"), arguments: faults)
    func `a token is undecided if the signed response has one fault`(fault: Fault) async throws {
        respond(fault.change)
        await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in try await verify() }
    }

    @Test(.rule("T-249"))
    func `an unsigned response does not replace a signed one`() async throws {
        bench.answer()
        await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in try await verify() }
        for text in [bench.members.text, "", "a.b.c"] {
            respond(text)
            await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
                try await verify()
            }
        }
        respond(type: "application/jwt")
        await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in try await verify() }
    }

    @Test(.rule("T-249"))
    func `a signed response is accepted for a minute, and not before its time`() async throws {
        for (age, isAccepted) in [(0, true), (60, true), (61, false), (-1, false)] {
            respond { $0.claims["iat"] = bench.time(-age) }
            if isAccepted {
                _ = try await verify()
            } else {
                await expectUndecided(.introspectionUnavailable) { () async throws(VerificationError) in
                    try await verify()
                }
            }
        }
    }

    @Test(.rule("T-249"))
    func `a token is undecided if the keys for the response are unavailable`() async throws {
        respond()
        let nobody = Result<KeySnapshot, VerificationUnavailable>.failure(VerificationUnavailable(detail: "none"))
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verify(keys: SpyKeySource(nobody, then: nobody))
        }
    }

    @Test(.rule("T-249"))
    func `a signed response is no access token`() throws {
        let access = try AccessTokenBench()
        expectRefusal(.tokenType) { try access.verify { $0.header["typ"] = "token-introspection+jwt" } }
    }
}
