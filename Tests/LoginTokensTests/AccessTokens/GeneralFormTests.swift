// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The general form of access tokens that do not follow RFC 9068: `AccessTokenIssuer.jwt`.
@Suite struct GeneralFormTests {
    private static let issuers = ["https://as.example"]

    private static func bench(maximumAge: Duration? = nil) throws -> AccessTokenBench {
        try AccessTokenBench(
            .jwt(issuers: issuers, mark: .claim("scp"), scopeClaim: "scp"),
            maximumAge: maximumAge
        )
    }

    @Test(.rule("T-220"), arguments: [nil, "JWT", "jwt", "application/jwt"] as [TestJSON?])
    func `a token without typ, or with JWT, is accepted`(type: TestJSON?) throws {
        let token = try Self.bench().verify { $0.header["typ"] = type }
        #expect(token.clientID == "client-app" && token.scopes == ["orders:read"])
        #expect(token.roles.isEmpty && token.issuedAt != nil)
    }

    @Test(.rule("T-220"), arguments: ["at+jwt", "logout+jwt", "dpop+jwt", 1] as [TestJSON])
    func `a token with another typ is refused`(type: TestJSON) throws {
        let bench = try Self.bench()
        expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = type } }
    }

    @Test(.rule("T-224"), arguments: ["nonce", "at_hash", "c_hash", "events"])
    func `a claim of another kind of token refuses it, even with the mark`(claim: String) throws {
        let forms: [AccessTokenIssuer] = [
            try .jwt(issuers: Self.issuers, mark: .claim("scp"), scopeClaim: "scp"),
            try .jwt(issuers: Self.issuers, mark: .value(claim: "token_use", ["access"])),
        ]
        for form in forms {
            let bench = try AccessTokenBench(form)
            try bench.verify()
            for value in ["x", nil, [:]] as [TestJSON?] {
                expectRefusal(.tokenType) { try bench.verify { $0.claims[claim] = value ?? .null } }
            }
        }
    }

    @Test(
        .rule("T-224"),
        arguments: [
            "", " ", "\t\r\n", "\u{A0}", "\u{2003}\u{3000}", [], [:], false, .null, [""], [.null], [" ", .null], [[]],
            [[:], ["\u{2028}"]],
        ] as [TestJSON]
    )
    func `a mark without content is missing`(value: TestJSON) throws {
        for claim in ["scp", "plan"] {
            let form = try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .claim(claim))
            let bench = try AccessTokenBench(form)
            try bench.verify { $0.claims[claim] = "x" }
            expectRefusal(.missingClaim) { try bench.verify { $0.claims[claim] = value } }
        }
    }

    @Test(
        .rule("T-224"),
        arguments: ["\u{A0}x", 0, true, ["", "x"], [.null, 0], ["a": .null], "\u{200B}"] as [TestJSON]
    )
    func `a mark with any content is there`(value: TestJSON) throws {
        let form = try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .claim("plan"))
        try AccessTokenBench(form).verify { $0.claims["plan"] = value }
    }

    @Test(.rule("T-224"), arguments: ["typ", "token_type"])
    func `an array of words names each kind of token in it`(claim: String) throws {
        let bench = try Self.bench()
        for value in [["Refresh"], ["Bearer", "id_token"], ["JWT", "Logout"]] as [TestJSON] {
            expectRefusal(.tokenType) { try bench.verify { $0.claims[claim] = value } }
        }
        for value in [[], ["Bearer"], ["JWT", 1], [["Refresh"]]] as [TestJSON] {
            try bench.verify { $0.claims[claim] = value }
        }
        expectRefusal(.confirmationUnsupported) { try bench.verify { $0.claims[claim] = ["Bearer", "DPoP"] } }
    }

    /// An authorization server, with what separates its access tokens from its ID tokens.
    private struct Server {
        let name: String
        let mark: AccessTokenIssuer.Mark
        let client: String?
        let own: [String: TestJSON]

        init(_ name: String, _ mark: AccessTokenIssuer.Mark, client: String?, _ own: [String: TestJSON]) {
            self.name = name
            self.mark = mark
            self.client = client
            self.own = own
        }
    }

    // Not a global: the leak sanitizer does not recognize a pointer that shares its bits with the case of a `Mark`.
    private static var servers: [Server] {
        [
            Server(
                "Ory Hydra",
                .claim("scp"),
                client: "client_id",
                ["client_id": "client-app", "scp": ["orders:read"], "ext": [:]]
            ),
            Server("Zitadel", .claim("client_id"), client: "client_id", ["client_id": "client-app"]),
            Server(
                "authentik",
                .claim("scope"),
                client: "azp",
                ["scope": "orders:read", "azp": "client-app", "auth_time": 1]
            ),
            Server(
                "AD FS",
                .claim("appid"),
                client: "appid",
                ["appid": "client-app", "scp": "orders:read", "apptype": "Public"]
            ),
            Server(
                "PingFederate",
                .claim("client_id"),
                client: "client_id",
                ["client_id": "client-app", "scope": "orders:read"]
            ),
            Server(
                "FusionAuth",
                .value(claim: "tty", ["at"]),
                client: "applicationId",
                ["tty": "at", "applicationId": "client-app"]
            ),
            Server(
                "Glewlwyd",
                .value(claim: "type", ["access_token"]),
                client: "client_id",
                ["type": "access_token", "client_id": "a"]
            ),
            Server(
                "Duende",
                .claim("client_id"),
                client: "client_id",
                ["client_id": "client-app", "scope": ["orders:read"]]
            ),
            Server(
                "WSO2",
                .value(claim: "aut", ["APPLICATION_USER"]),
                client: "azp",
                ["aut": "APPLICATION_USER", "azp": "client-app"]
            ),
            Server("Spring", .claim("scope"), client: nil, ["scope": ["orders:read"]]),
        ]
    }

    @Test(.rule("T-224"), arguments: servers.map(\.name))
    func `the access tokens of other servers are accepted by their mark, and their ID tokens refused`(name: String)
        throws
    {
        let server = try #require(Self.servers.first { $0.name == name })
        let form = try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: server.mark, clientClaim: server.client)
        let issuer = TestIssuer(accessTokensOf: form, audience: AccessTokenBench.audience)
        let bench = try AccessTokenBench(form)
        let access = issuer.token {
            $0.header["typ"] = nil
            for (claim, value) in server.own { $0.claims[claim] = value }
        }
        #expect(throws: Never.self) { try bench.verifier.verify(access, with: issuer.keys) }
        let identity = issuer.token {
            ($0.claims["azp"], $0.claims["auth_time"], $0.claims["sid"]) = ("client-app", 1, "session")
        }
        #expect(throws: TokenRefusal.self) { try bench.verifier.verify(identity, with: issuer.keys) }
    }

    @Test(.rule("T-222"))
    func `iat is required only if the age is limited, and judged if it is present`() throws {
        #expect(try Self.bench().verify { $0.claims["iat"] = nil }.issuedAt == nil)
        let limited = try Self.bench(maximumAge: .seconds(600))
        expectRefusal(.missingClaim) { try limited.verify { $0.claims["iat"] = nil } }
        let bench = try Self.bench()
        expectRefusal(.issuedInFuture) { try bench.verify { $0.claims["iat"] = 1_760_000_001 } }
        expectRefusal(.claimType) { try bench.verify { $0.claims["iat"] = "now" } }
        expectRefusal(.missingClaim) { try bench.verify { $0.claims["exp"] = nil } }
    }

    @Test(.rule("T-221"))
    func `a token whose client is its audience is refused`() throws {
        let bench = try Self.bench()
        let refusal = expectRefusal(.audience) {
            try bench.verify { $0.claims["client_id"] = .string(AccessTokenBench.audience) }
        }
        #expect(refusal?.member == "aud")
        // The authorized party of an ID token is its client, whichever claim names clients here.
        expectRefusal(.audience) { try bench.verify { $0.claims["azp"] = .string(AccessTokenBench.audience) } }
        try bench.verify { $0.claims["aud"] = [.string(AccessTokenBench.audience), "client-app"] }
    }

    @Test func `an audience that is an allowed client is refused in the policy`() throws {
        let form = try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .claim("scp"))
        #expect(throws: PolicyError.self) {
            try AccessTokenPolicy(issuer: form, audiences: ["api", "app"], allowedClients: ["app"])
        }
        #expect(throws: Never.self) { try AccessTokenPolicy(issuer: form, audiences: ["api"], allowedClients: ["app"]) }
    }

    @Test(.rule("T-222"))
    func `the client is in the stated claim, and no other claim replaces it`() throws {
        let bench = try AccessTokenBench(.jwt(issuers: Self.issuers, mark: .claim("scp"), clientClaim: "cid"))
        expectRefusal(.missingClaim) {
            try bench.verify { ($0.claims["cid"], $0.claims["client_id"], $0.claims["azp"]) = (nil, "a", "a") }
        }
        let none = try AccessTokenBench(.jwt(issuers: Self.issuers, mark: .claim("scp"), clientClaim: nil))
        #expect(try none.verify { $0.claims["client_id"] = 1 }.clientID == nil)
    }

    @Test(.rule("T-223"))
    func `scopes are a string or an array`() throws {
        let bench = try Self.bench()
        for value in ["a b", ["a", "b"]] as [TestJSON] {
            #expect(try bench.verify { $0.claims["scp"] = value }.scopes == ["a", "b"])
        }
        for value in [1, ["a b"], ["a", 1], ["a": true]] as [TestJSON] {
            expectRefusal(.claimType) { try bench.verify { $0.claims["scp"] = value } }
        }
    }

    @Test(
        .rule("T-224"),
        arguments: [
            "", "azp", "auth_time", "aud", "sub", "iss", "exp", "iat", "nbf", "jti", "nonce", "acr", "amr", "at_hash",
            "sid",
            "events", "email", "name",
        ]
    )
    func `a claim of ID tokens is no mark`(claim: String) {
        for mark in [AccessTokenIssuer.Mark.claim(claim), .value(claim: claim, ["x"])] {
            #expect(throws: PolicyError.self) { try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: mark) }
        }
    }

    @Test func `a mark without a value, and claims without a name, are refused`() throws {
        for values in [[], [""]] {
            let form = try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .value(claim: "token_use", values))
            #expect(throws: PolicyError.self) { try AccessTokenPolicy(issuer: form, audiences: ["a"]) }
        }
        #expect(throws: PolicyError.self) {
            try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .claim("scp"), clientClaim: "")
        }
        #expect(throws: PolicyError.self) {
            try AccessTokenIssuer.jwt(issuers: Self.issuers, mark: .claim("scp"), scopeClaim: "")
        }
    }
}
