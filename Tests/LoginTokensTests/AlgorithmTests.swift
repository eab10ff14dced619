// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8725 §3.1: the policy and the key decide the algorithm.
///
/// The header is only a claim.
@Suite struct AlgorithmTests {
    let bench: Bench
    let key = TestKey.shared

    init() throws {
        bench = try Bench()
    }

    @Test(
        .rule("T-020"),
        arguments: ["RS384", "RS512", "PS256", "PS512", "ES256", "ES256K", "EdDSA", "Ed25519", "HS256"]
    )
    func `an algorithm that is not allowed is refused`(name: String) throws {
        let refusal = expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
        #expect(refusal?.member == "alg")
    }

    static let none: [TestJSON] = [
        "none", "None", "NONE", "nOnE", "", "none ", " none", "none\u{0}", "ｎone", .raw("\"\\u006eone\""),
    ]

    @Test(.rule("T-021"), arguments: none)
    func `the algorithm none is refused in any spelling, with or without a signature`(name: TestJSON) throws {
        for signing in [.issuer, .bytes([0]), .hmac(secret: [])] as [TestToken.Signing] {
            expectRefusal(.algorithm) {
                try bench.verify { token in
                    token.header["alg"] = name
                    token.signing = signing
                }
            }
        }
        expectRefusal(.segments) {
            try bench.verify { token in
                token.header["alg"] = name
                token.signing = .bytes([])
            }
        }
    }

    /// An algorithm without an enum case cannot be allowed.
    @Test(.rule("T-022"), arguments: ["none", "None", "NONE", "nOnE", "", "none "])
    func `SignatureAlgorithm has no value none`(name: String) {
        #expect(SignatureAlgorithm(rawValue: name) == nil)
    }

    @Test(.rule("T-022"))
    func `a policy allows at least one algorithm`() throws {
        let provider = bench.issuer.provider
        #expect(throws: PolicyError.self) {
            try TokenPolicy(provider: provider, audiences: ["client-1"], algorithms: [])
        }
        #expect(try TokenPolicy(provider: provider, audiences: ["client-1"]).algorithms == [.rs256])
    }

    @Test(.rule("T-023"), arguments: [nil, .null, 256, true, ["RS256"], ["alg": "RS256"], []] as [TestJSON?])
    func `a missing algorithm, or one that is not a string, is refused`(name: TestJSON?) throws {
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = name } }
    }

    @Test(.rule("T-024"), arguments: ["RS512", "PS256"])
    func `a key does not extend the algorithms that the policy allows`(name: String) throws {
        let bench = try bench(keys: [key(algorithm: .string(name))])
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
    }

    @Test(.rule("T-025"), arguments: ["rs256", "Rs256", "RS256 ", " RS256", "RS-256", "RS256\u{0}", "ＲS256"])
    func `algorithm names are compared byte for byte`(name: String) throws {
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
    }

    @Test(.rule("T-025"))
    func `an algorithm name with JSON escapes is accepted`() throws {
        try bench.verify { $0.header["alg"] = .raw("\"\\u0052S256\"") }
    }

    @Test(.rule("T-026"), arguments: ["none", "ES256", "HS256"])
    func `a valid signature does not make another algorithm in the header acceptable`(name: String) throws {
        expectRefusal(.algorithm) {
            try bench.verify { token in
                token.header["alg"] = .string(name)
                token.signing = .issuer
            }
        }
    }

    @Test(.rule("T-027"), arguments: Secret.allCases)
    func `an RSA public key in any form is not accepted as an HMAC secret`(secret: Secret) throws {
        let bytes = try secret.bytes(of: key)
        for (name, code) in [("HS256", VerificationCode.algorithm), ("RS256", .signature)] {
            expectRefusal(code) {
                try bench.verify { token in
                    token.header["alg"] = .string(name)
                    token.signing = .hmac(secret: bytes)
                }
            }
        }
    }

    @Test(
        .rule("T-027"),
        arguments: [.es256, .es384, .es512, .edDSA, .ed25519] as [SignatureAlgorithm],
        Secret.allCases
    )
    func `an elliptic curve public key in any form is not accepted as an HMAC secret`(
        algorithm: SignatureAlgorithm,
        secret: Secret
    ) throws {
        let key = KeyFixture.key(algorithm)
        let bench = try Bench(issuer: TestIssuer(key: key))
        let bytes = try secret.bytes(of: key)
        for (name, code) in [("HS256", VerificationCode.algorithm), (algorithm.rawValue, .signature)] {
            expectRefusal(code) {
                try bench.verify { token in
                    token.header["alg"] = .string(name)
                    token.signing = .hmac(secret: bytes)
                }
            }
        }
    }

    @Test(.rule("T-028"))
    func `no supported algorithm is symmetric`() {
        #expect(!SignatureAlgorithm.allCases.isEmpty)
        #expect(!SignatureAlgorithm.allCases.contains { $0.rawValue.hasPrefix("HS") || $0.rawValue == "none" })
    }

    @Test(.rule("T-028"))
    func `a symmetric key in a key set is unusable`() throws {
        let secret: TestJSON = ["kty": "oct", "kid": "s", "alg": "HS256", "k": "AAAAAAAAAAAAAAAAAAAAAA"]
        let keys = try JSONWebKeySet(json: (["keys": [secret, key.json]] as TestJSON).text)
        #expect(keys.keys.map(\.keyID) == [key.keyID])
        #expect(keys.unusableKeys.map(\.keyID) == ["s"])
    }

    @Test(.rule("T-029"), arguments: ["RS512", "PS256", "RS384", "RSA-OAEP"])
    func `a key for another algorithm is not used`(name: String) throws {
        let other = key(algorithm: .string(name))
        let alone = try bench(keys: [other])
        expectRefusal(.keyUnusable) { try alone.verify() }
        let withoutID = try bench(keys: [other, key(TestKey.another, keyID: nil)])
        expectRefusal(.keyUnusable) { try withoutID.verify() }
        // Another key with this ID may be used, but then the signature must be its own.
        let sameID = try bench(keys: [other, key(TestKey.another, keyID: .string(key.keyID))])
        expectRefusal(.signature) { try sameID.verify() }
        try sameID.verify { $0.signing = .key(.another) }
    }

    @Test(.rule("T-030"), arguments: ["PS256", "RS512", "RSA-OAEP"])
    func `a key for RS256 verifies no signature of another scheme`(name: String) throws {
        try bench.verify()
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
    }

    @Test(.rule("T-031"))
    func `a key without an algorithm verifies only the algorithms of its type, whatever the header names`() throws {
        let bench = try bench(keys: [key(algorithm: nil)])
        let keys = try #require(bench.keys.keys(of: bench.issuer.provider.issuers[0]))
        #expect(keys.keys[0].algorithms == [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        try bench.verify()
        for name in ["RS512", "PS256", "ES256", "HS256", "none"] {
            expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
        }
    }

    @Test(.rule("T-032"))
    func `refused tokens do not affect later verifications`() throws {
        let verifier = bench.verifier
        let good = bench.issuer.token()
        let bad = ["RS512", "none", "HS256"].map { name in bench.issuer.token { $0.header["alg"] = .string(name) } }
        for round in 0..<1000 {
            expectRefusal(.algorithm) {
                try verifier.verify(bad[round % bad.count], nonce: .mustBeAbsent, with: bench.keys)
            }
        }
        _ = try verifier.verify(good, nonce: .mustBeAbsent, with: bench.keys)
    }

    @Test(.rule("T-033"), arguments: ["ES521", " ", "rs256", 256, false, ["RS256"]] as [TestJSON])
    func `a key with an unknown algorithm is skipped and the other keys are used`(name: TestJSON) throws {
        let unknown = key(TestKey.another, algorithm: name)
        let bench = try bench(keys: [unknown, key.json])
        try bench.verify()
        expectRefusal(.keyUnusable) { try bench.verify { $0.header["kid"] = .string(TestKey.another.keyID) } }
    }

    @Test(
        .rule("T-034"),
        arguments: ["RSA-OAEP", "RSA-OAEP-256", "RSA1_5", "A256KW", "dir", "ECDH-ES", "PBES2-HS256+A128KW"]
    )
    func `an encryption algorithm is refused`(name: String) throws {
        expectRefusal(.algorithm) { try bench.verify { $0.header["alg"] = .string(name) } }
    }

    // MARK: Keys

    private func bench(keys: [TestJSON]) throws -> Bench {
        let set = try JSONWebKeySet(json: (["keys": .array(keys)] as TestJSON).text)
        return try Bench(keys: KeySnapshot(provider: bench.issuer.provider, keys: set))
    }

    private func key(algorithm: TestJSON?) -> TestJSON {
        key(key, algorithm: algorithm)
    }

    private func key(_ key: TestKey, algorithm: TestJSON?) -> TestJSON {
        var json = key.json
        json["alg"] = algorithm
        return json
    }

    private func key(_ key: TestKey, keyID: TestJSON?) -> TestJSON {
        var json = key.json
        json["kid"] = keyID
        return json
    }
}
