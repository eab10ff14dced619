// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §3.11: the kinds of token that are accepted as ID tokens.
@Suite struct TokenTypeTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(.rule("T-043"), arguments: ["JWT", "jwt", "Jwt", "application/jwt", "Application/JWT"])
    func `the type JWT is accepted`(type: String) throws {
        try bench.verify { $0.header["typ"] = .string(type) }
    }

    @Test(.rule("T-043"))
    func `a token without a type is accepted`() throws {
        try bench.verify { $0.header["typ"] = nil }
    }

    @Test(.rule("T-044"), arguments: [1, true, .null, ["JWT"], ["typ": "JWT"]] as [TestJSON])
    func `a type that is not a string is refused`(type: TestJSON) throws {
        expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = type } }
    }

    @Test(
        .rule("T-045"),
        arguments: [
            "at+jwt", "application/at+jwt", "AT+JWT", "logout+jwt", "dpop+jwt", "secevent+jwt", "JOSE+JSON", "JWE", "",
            " JWT", "JWT ", "application/application/jwt", "\u{FF2A}WT",
        ]
    )
    func `any other type is refused`(type: String) throws {
        expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = .string(type) } }
    }

    @Test(
        .rule("T-046"),
        arguments: ["JWT", "jwt", "application/jwt", "jwt;a=b", "application/JWT ; a=b", "at+jwt", "application/x+jwt"]
    )
    func `a nested token is refused`(contentType: String) throws {
        expectRefusal(.tokenType) { try bench.verify { $0.header["cty"] = .string(contentType) } }
    }

    @Test(.rule("T-046"), arguments: ["json", "text/plain", "jwtx", "x-jwt", "application/jwts", ""])
    func `another content type is accepted`(contentType: String) throws {
        try bench.verify { $0.header["cty"] = .string(contentType) }
    }

    @Test(.rule("T-047"))
    func `a token without a type is refused if the policy requires one`() throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], requiresType: true)
        let strict = try Bench(issuer: issuer, policy: policy)
        try strict.verify()
        expectRefusal(.tokenType) { try strict.verify { $0.header["typ"] = nil } }
    }
}
