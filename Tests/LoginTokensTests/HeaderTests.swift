// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7515 §4: the header is one JSON object, and the signature covers all of it.
@Suite struct HeaderTests {
    let bench: Bench

    init() throws {
        bench = try Bench()
    }

    static let noObjects: [TestJSON] = [
        ["alg"], [["alg": "RS256"]], "alg", "", 0, .null, true, .raw(" "), .raw("RS256"),
    ]

    @Test(.rule("T-009"), arguments: noObjects)
    func `a header that is not a JSON object is refused`(header: TestJSON) throws {
        expectRefusal(.header) { try bench.verify { $0.header = header } }
    }

    @Test(.rule("T-009"), arguments: noObjects)
    func `a payload that is not a JSON object is refused`(claims: TestJSON) throws {
        expectRefusal(.payload) { try bench.verify { $0.claims = claims } }
    }

    @Test(.rule("T-009"))
    func `an empty object is a valid header and a valid payload with missing members`() throws {
        expectRefusal(.algorithm) { try bench.verify { $0.header = [:] } }
        expectRefusal(.missingClaim) { try bench.verify { $0.claims = [:] } }
    }

    /// The JSON serializations have a second, unsigned header (RFC 7515 §7.2.1); a compact token must not take
    /// parameters from members of these names.
    @Test(.rule("T-015"), arguments: ["header", "unprotected", "protected"])
    func `a header nested in the header is not read`(name: String) throws {
        let key = TestJSON.string(bench.issuer.key.keyID)
        try bench.verify { $0.header[name] = ["alg": "none", "kid": "other", "crit": ["exp"], "typ": "at+jwt"] }
        expectRefusal(.algorithm) {
            try bench.verify { token in
                token.header["alg"] = nil
                token.header[name] = ["alg": "RS256", "kid": key]
            }
        }
    }

    @Test(.rule("T-015"))
    func `header parameters in the payload are ignored`() throws {
        try bench.verify { token in
            for (name, value) in [("alg", "none"), ("kid", "other"), ("typ", "at+jwt"), ("enc", "A256GCM")] {
                token.claims[name] = .string(value)
            }
            token.claims["crit"] = ["exp"]
        }
        expectRefusal(.algorithm) {
            try bench.verify { token in
                token.header["alg"] = nil
                token.claims["alg"] = "RS256"
            }
        }
    }

    @Test(.rule("T-016"), arguments: ["enc", "zip", "epk", "apu", "apv", "iv", "tag", "p2s", "p2c"])
    func `a header parameter of encrypted tokens is refused`(name: String) throws {
        for value in ["A256GCM", "DEF", "", 310_000, .null, true, ["kty": "EC"]] as [TestJSON] {
            let refusal = expectRefusal(.header) { try bench.verify { $0.header[name] = value } }
            #expect(refusal?.member == name)
        }
    }

    @Test(.rule("T-016"))
    func `an unknown header parameter is ignored`() throws {
        try bench.verify { token in
            for name in ["ENC", "enc ", "encx", "zi", "p2", "http://example/enc"] { token.header[name] = "A256GCM" }
        }
    }

    /// The prefix ends at the slash byte, although U+0301 combines with the slash to one Swift `Character`.
    @Test(.rule("T-045"), arguments: ["application/\u{301}jwt", "application\u{301}/jwt", "application/jwt\u{301}"])
    func `a type with a combining mark is a different type`(type: String) throws {
        expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = .string(type) } }
    }

    @Test
    func `the parsed header returns its parameters`() throws {
        let text = bench.issuer.token { $0.header["x"] = ["y": 1] }
        let header = try CompactJWS(text).header
        #expect(header.algorithm == "RS256")
        #expect(header.keyID == bench.issuer.key.keyID)
        #expect(header.type == "JWT")
        #expect(header["x"]?["y"]?.integer == 1)
        #expect(header["y"] == nil)
    }

    @Test
    func `a header parameter of another type is not returned as a string`() throws {
        let text = bench.issuer.token { $0.header = ["alg": 1, "kid": .null, "typ": ["JWT"]] }
        let header = try CompactJWS(text).header
        #expect(header.algorithm == nil)
        #expect(header.keyID == nil)
        #expect(header.type == nil)
        #expect(header["alg"]?.kind == .number)
    }
}
