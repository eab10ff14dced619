// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The refusals of an access token under RFC 9068, each from both sides of its limit.
@Suite struct AccessTokenRefusalTests {
    let bench: AccessTokenBench

    init() throws {
        bench = try AccessTokenBench()
    }

    /// A fault of a token, with the code and the claim of its refusal.
    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let code: VerificationCode
        let member: String?
        let change: @Sendable (inout TestToken) -> Void

        init(
            _ name: String,
            _ code: VerificationCode,
            _ member: String?,
            _ change: @escaping @Sendable (inout TestToken) -> Void
        ) {
            self.name = name
            self.code = code
            self.member = member
            self.change = change
        }

        var testDescription: String { name }
    }

    static func claim(_ name: String, _ value: TestJSON?, _ code: VerificationCode) -> Fault {
        Fault("\(name) is \(value?.text ?? "missing")", code, name) { $0.claims[name] = value }
    }

    static let faults: [Fault] =
        [
            Fault("typ is JWT", .tokenType, "typ") { $0.header["typ"] = "JWT" },
            Fault("typ is missing", .tokenType, "typ") { $0.header["typ"] = nil },
            Fault("typ is a number", .tokenType, "typ") { $0.header["typ"] = 1 },
            Fault("cty is JWT", .tokenType, "cty") { $0.header["cty"] = "JWT" },
            Fault("alg is HS256", .algorithm, "alg") { $0.header["alg"] = "HS256" },
            Fault("alg is none", .algorithm, "alg") { $0.header["alg"] = "none" },
            Fault("crit", .criticalHeader, "crit") { $0.header["crit"] = ["exp"] },
            Fault("another key", .signature, nil) { $0.signing = .key(.another) },
            Fault("another key ID", .keyNotFound, "kid") { $0.header["kid"] = "another" },
            claim("events", [:], .tokenType), claim("at_hash", "x", .tokenType), claim("c_hash", "x", .tokenType),
            claim("iss", nil, .missingClaim), claim("iss", "https://issuer.example/", .issuer),
            claim("iss", 1, .claimType),
            claim("aud", nil, .missingClaim), claim("aud", "another", .audience), claim("aud", [], .audience),
            claim("aud", 1, .claimType), claim("aud", ["https://orders.example", 1], .claimType),
            claim("sub", "", .subject), claim("sub", .string(String(repeating: "x", count: 1025)), .subject),
            claim("exp", "soon", .claimType), claim("nbf", "soon", .claimType), claim("iat", true, .claimType),
            claim("jti", "", .missingClaim), claim("jti", 1, .claimType),
            claim("client_id", "", .missingClaim), claim("client_id", 1, .claimType),
            claim("events", .null, .tokenType),
        ] + ["sub", "exp", "iat", "jti", "client_id"].map { claim($0, nil, .missingClaim) }
        + ["iss", "aud", "sub", "exp", "iat", "jti", "client_id"].map { claim($0, .null, .missingClaim) }

    @Test(.rule("T-220", "T-221", "T-222", "T-223"), arguments: faults)
    func `a token with one fault is refused, and the refusal names the claim`(fault: Fault) {
        let refusal = expectRefusal(fault.code) { try bench.verify(fault.change) }
        #expect(fault.member == nil || refusal?.member == fault.member)
    }

    @Test(.rule("T-220"), arguments: ["at+jwt", "AT+JWT", "application/at+jwt", "application/AT+jwt"])
    func `the types of RFC 9068 are accepted`(type: String) throws {
        try bench.verify { $0.header["typ"] = .string(type) }
    }

    @Test(
        .rule("T-220"),
        arguments: ["jwt", "logout+jwt", "dpop+jwt", "at+jwt ", "application/application/at+jwt", ""]
    )
    func `any other type is refused`(type: String) {
        expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = .string(type) } }
    }

    @Test(.rule("T-220"))
    func `a nonce shows an ID token, unless the type or a mark shows an access token`() throws {
        try bench.verify { $0.claims["nonce"] = "n-1" }
        try AccessTokenBench(.keycloak(issuer: "https://login.example")).verify { $0.claims["nonce"] = "n-1" }
        let auth0 = try AccessTokenBench(.auth0(domain: "example.auth0.com"))
        try auth0.verify { $0.claims["nonce"] = "n-1" }
        try auth0.verify { $0.header["typ"] = "JWT" }
        let refusal = expectRefusal(.tokenType) {
            try auth0.verify {
                $0.header["typ"] = "JWT"
                $0.claims["nonce"] = "n-1"
            }
        }
        #expect(refusal?.member == "nonce")
    }

    @Test(.rule("T-231"), arguments: ["DPoP", "dpop"])
    func `a DPoP token that names no key is refused, and one that names a key is accepted`(type: String) throws {
        for claim in ["typ", "token_type"] {
            for confirmation in [nil, .null, [:], ["x5t#S256": "x"]] as [TestJSON?] {
                let refusal = expectRefusal(.confirmationUnsupported) {
                    try bench.verify {
                        $0.claims[claim] = .string(type)
                        $0.claims["cnf"] = confirmation
                    }
                }
                #expect(refusal?.member == "cnf")
            }
            try bench.verify {
                $0.claims[claim] = .string(type)
                $0.claims["cnf"] = ["jkt": "x"]
            }
            try bench.verify { $0.claims[claim] = "Bearer" }
        }
    }

    @Test(.rule("T-231"))
    func `Keycloak's type DPoP needs a key`() throws {
        let keycloak = try AccessTokenBench(.keycloak(issuer: "https://login.example"))
        expectRefusal(.confirmationUnsupported) { try keycloak.verify { $0.claims["typ"] = "DPoP" } }
        try keycloak.verify { $0.claims["typ"] = "Bearer" }
    }

    @Test(.rule("T-221"), arguments: [["https://orders.example"], ["other", "https://orders.example"]])
    func `a token that also names other audiences is accepted`(audiences: [String]) throws {
        try bench.verify { $0.claims["aud"] = .array(audiences.map { .string($0) }) }
    }

    @Test(.rule("T-223"), arguments: ["x", String(repeating: "x", count: 1024), "caf\u{E9}"])
    func `a subject of up to 1024 bytes is accepted`(subject: String) throws {
        #expect(try bench.verify { $0.claims["sub"] = .string(subject) }.subject == subject)
    }

    // MARK: Times

    @Test(.rule("T-226"))
    func `exp, nbf and iat are checked to the second, with the leeway`() throws {
        let now = Int(bench.issuer.clock.now.timeIntervalSince1970)
        for leeway in [0, 30] {
            let bench = try AccessTokenBench(leeway: .seconds(leeway))
            func time(_ seconds: Int) -> TestJSON { .number(String(now + seconds)) }
            try bench.verify { $0.claims["exp"] = time(1 - leeway) }
            expectRefusal(.expired) { try bench.verify { $0.claims["exp"] = time(-leeway) } }
            try bench.verify { $0.claims["nbf"] = time(leeway) }
            expectRefusal(.notYetValid) { try bench.verify { $0.claims["nbf"] = time(leeway + 1) } }
            try bench.verify { $0.claims["iat"] = time(leeway) }
            expectRefusal(.issuedInFuture) { try bench.verify { $0.claims["iat"] = time(leeway + 1) } }
        }
    }

    @Test(.rule("T-226"))
    func `a token older than the maximum age is refused`() throws {
        try AccessTokenBench(maximumAge: .seconds(60)).verify()
        let strict = try AccessTokenBench(maximumAge: .seconds(59))
        expectRefusal(.tooOld) { try strict.verify() }
    }

    // MARK: Requirements of the policy

    @Test(.rule("T-225"))
    func `only an allowed client is accepted`() throws {
        let bench = try AccessTokenBench(allowedClients: ["client-one", "client-app"])
        try bench.verify()
        let refusal = expectRefusal(.authorizedParty) { try bench.verify { $0.claims["client_id"] = "client-two" } }
        #expect(refusal?.member == "client_id")
    }

    @Test(.rule("T-225"))
    func `a token without a client is refused if clients are limited, although its issuer may omit the client`() throws
    {
        var form = AccessTokenIssuer.rfc9068(issuers: ["https://issuer.example"])
        form.requiresClient = false
        try AccessTokenBench(form).verify { $0.claims["client_id"] = nil }
        let strict = try AccessTokenBench(form, allowedClients: ["client-app"])
        expectRefusal(.authorizedParty) { try strict.verify { $0.claims["client_id"] = nil } }
    }

    @Test(.rule("T-224"), arguments: ["gold", ["silver", "gold"], ["platinum"]] as [TestJSON])
    func `a claim with a required value is accepted, as a string or in an array`(value: TestJSON) throws {
        let bench = try AccessTokenBench(requiredValues: ["plan": ["gold", "platinum"]])
        try bench.verify { $0.claims["plan"] = value }
    }

    @Test(
        .rule("T-224"),
        arguments: [nil, "secret-plan", [], ["secret-plan"], ["gold", 1], 1, ["a": "gold"]] as [TestJSON?]
    )
    func `a claim without a required value is refused, and the value is in no message`(value: TestJSON?) throws {
        let bench = try AccessTokenBench(requiredValues: ["plan": ["gold"]])
        let refusal = expectRefusal(.claimValue) { try bench.verify { $0.claims["plan"] = value } }
        #expect(refusal?.member == "plan")
        #expect(refusal?.description.contains("secret-plan") == false)
    }

    @Test(.rule("T-227"))
    func `all required scopes must be in the token, whole and in the same case`() throws {
        let bench = try AccessTokenBench(requiredScopes: ["orders:read", "orders:write"])
        try bench.verify(scopes: ["orders:write", "profile", "orders:read"])
        for scopes in [[], ["orders:read"], ["orders:read", "orders:writes"], ["orders:read", "Orders:write"]] {
            let refusal = expectRefusal(.insufficientScope) { try bench.verify(scopes: scopes) }
            #expect(refusal?.member == "scope")
        }
        expectRefusal(.insufficientScope) { try bench.verify { $0.claims["scope"] = nil } }
    }

    @Test(.rule("T-227"))
    func `spaces between scopes do not matter`() throws {
        #expect(try bench.verify { $0.claims["scope"] = "  a  b a " }.scopes == ["a", "b"])
    }
}
