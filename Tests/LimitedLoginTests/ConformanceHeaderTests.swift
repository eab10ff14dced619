// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The header of a Limited Login token.
@Suite struct ConformanceHeaderTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-043"))
    func `header typ "jwt" is accepted`() throws {
        try bench.verify { $0.header["typ"] = "jwt" }
    }

    @Test(.rule("T-043"))
    func `header typ missing is accepted`() throws {
        try bench.verify { $0.header["typ"] = nil }
    }

    @Test(.rule("T-047"))
    func `header typ missing is refused if the policy requires it: token-type`() throws {
        let policy = try TokenPolicy(provider: .facebook, audiences: [bench.issuer.audience], requiresType: true)
        let strict = try Bench(issuer: bench.issuer, policy: policy)
        try strict.verify()
        expectRefusal(.tokenType) { try strict.verify { $0.header["typ"] = nil } }
    }

    @Test(
        .rule("T-045"),
        arguments: [("dpop+jwt", RecognizedInput.dpopProof), ("at+jwt", RecognizedInput.accessTokenJWT)]
    )
    func `header typ "dpop+jwt" or "at+jwt" is refused: token-type`(type: String, input: RecognizedInput) {
        let refusal = expectRefusal(.tokenType) { try bench.verify { $0.header["typ"] = .string(type) } }
        #expect(refusal?.recognizedAs == input)
    }

    /// The RS256 signature is valid: only the name of the algorithm is wrong.
    @Test(.rule("T-021", "T-026"), arguments: ["none", "HS256", "PS256", "ES256", "rs256"])
    func `alg none, HS256, PS256 or ES256 is refused: algorithm`(algorithm: String) {
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(algorithm) } }
    }

    @Test(.rule("T-021", "T-002"))
    func `alg none without a signature is refused: segments`() {
        expectRefusal(.segments) {
            try bench.verify {
                $0.header["alg"] = "none"
                $0.signing = .bytes([])
            }
        }
    }

    /// CVE-2015-9235: the public key used as an HMAC secret.
    @Test(.rule("T-027"))
    func `alg HS256 by the public key is refused: algorithm`() {
        let secret = Array(bench.issuer.key.json.text.utf8)
        expectRefusal(.algorithm) {
            try bench.verify {
                $0.header["alg"] = "HS256"
                $0.signing = .hmac(secret: secret)
            }
        }
    }

    @Test(
        .rule("T-010"),
        arguments: [["exp"], ["b64"], [], "exp", .null, ["https://www.facebook.com"]] as [TestJSON]
    )
    func `header crit present is refused: critical-header`(critical: TestJSON) {
        expectRefusal(.criticalHeader) { try bench.verify { $0.header["crit"] = critical } }
    }

    @Test(.rule("T-035", "T-036", "T-037"), arguments: ["jwk", "jku", "x5u", "x5c"])
    func `header jwk, jku or x5c present is accepted`(name: String) throws {
        try bench.verify { $0.header[name] = Self.foreignKey[name] }
    }

    @Test(.rule("T-035", "T-036", "T-037"), arguments: ["jwk", "jku", "x5u", "x5c"])
    func `header jwk, jku or x5c present is ignored: its key verifies nothing`(name: String) {
        expectRefusal(.signature) {
            try bench.verify {
                $0.header[name] = Self.foreignKey[name]
                $0.signing = .key(.another)
            }
        }
    }

    private static let foreignKey: TestJSON = [
        "jwk": TestKey.another.json,
        "jku": "https://issuer.example/keys",
        "x5u": "https://issuer.example/certificate.pem",
        "x5c": ["MIIB"],
    ]
}
