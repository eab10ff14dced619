// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import TestSupport
internal import Testing

@testable internal import LoginTokens

/// The proofs that are accepted, and each reason for a refusal.
@Suite struct DPoPVerifierTests {
    private let bench = ProofBench()

    // MARK: Accepted

    @Test(.rule("T-190"), arguments: [TestKey.proofES256, .proofRS256, .proofRS256.using(.ps256), KeyFixture.edwards])
    func `a proof for this request, this token and its key is accepted`(key: TestKey) async throws {
        let bench = ProofBench(key: key)
        let proof = try #require(try await bench.verify(bench.proof()))
        #expect(proof.keyThumbprint == bench.prover.keyThumbprint)
        #expect(proof.algorithm == key.algorithm && proof.isForToken && proof.issuedAt == bench.clock.now)
    }

    @Test(.rule("T-190"))
    func `a proof without a token is accepted for a request without a token`() async throws {
        let text = bench.prover.proof(method: "POST", url: "https://login.example/token")
        let request = DPoPRequest(method: "POST", url: "https://login.example/token", proofs: [text])
        let proof = try await bench.verifier.verify(request)
        #expect(proof.keyThumbprint == bench.prover.keyThumbprint && !proof.isForToken)
    }

    @Test(.rule("T-190"))
    func `a proof may have other claims and header parameters`() async throws {
        let text = bench.proof {
            $0.claims["exp"] = 1
            $0.claims["sub"] = "somebody"
            $0.header["kid"] = "any"
            $0.header["jwk"]?["use"] = "sig"
        }
        try await bench.verify(text)
    }

    @Test(.rule("T-191"))
    func `the certificates of the key in a proof are not read`() async throws {
        try await bench.verify(bench.proof { $0.header["jwk"]?["x5c"] = ["MAA="] })
    }

    // MARK: The number of proofs

    @Test(.rule("T-192"))
    func `a request with two proofs is refused, even if both are valid`() async {
        let texts = [bench.proof(), bench.proof()]
        await expectRefused(.proofMalformed) { () async throws(VerificationError) in
            try await bench.verify(texts[0], texts[1])
        }
        await expectRefused(.proofMalformed) { () async throws(VerificationError) in
            try await bench.verify(texts.joined(separator: ", "))
        }
    }

    @Test(.rule("T-192"))
    func `a request without a token needs a proof`() async {
        await expectRefused(.proofRequired) { () async throws(VerificationError) in
            try await bench.verifier.verify(DPoPRequest(method: "GET", url: ProofBench.url, proofs: []))
        }
    }

    // MARK: The format and the header

    @Test(
        .rule("T-193"),
        arguments: [
            "", ".", "a.b", "a.b.c", "a.b.c.d.e", String(repeating: "a", count: 20_000), "e30.e30.AA", " ",
        ]
    )
    func `a text that is no signed JSON Web Token is refused`(text: String) async {
        let refused: VerificationCode = text == "e30.e30.AA" ? .proofType : .proofMalformed
        await expectRefused(refused) { () async throws(VerificationError) in try await bench.verify(text) }
    }

    @Test(.rule("T-193"))
    func `a proof obeys the rules for the format of tokens`() async {
        await bench.expectRefusal(.proofMalformed) { $0.header["crit"] = ["exp"] }
        await bench.expectRefusal(.proofMalformed) { $0.header["enc"] = "A256GCM" }
        await bench.expectRefusal(.proofMalformed) { $0.header = .raw(#"{"typ":"dpop+jwt","typ":"dpop+jwt"}"#) }
        await bench.expectRefusal(.proofMalformed) { $0.claims = .raw(#"{"jti":"a","jti":"b"}"#) }
        await bench.expectRefusal(.proofMalformed) { $0.claims = ["jti"] }
        let padded = bench.proof() + "="
        await expectRefused(.proofMalformed) { () async throws(VerificationError) in try await bench.verify(padded) }
    }

    @Test(
        .rule("T-193"),
        arguments: ["JWT", "DPOP+JWT", "application/dpop+jwt", "at+jwt", "", 1, .null, nil] as [TestJSON?]
    )
    func `a proof of another type is refused`(type: TestJSON?) async {
        let refusal = await bench.expectRefusal(.proofType) { $0.header["typ"] = type }
        #expect(refusal?.member == "typ")
    }

    @Test(.rule("T-193"), arguments: ["none", "HS256", "ES384", "RS512", "es256", "", 1, nil] as [TestJSON?])
    func `a proof by an algorithm that is not allowed is refused`(algorithm: TestJSON?) async {
        await bench.expectRefusal(.proofAlgorithm) { $0.header["alg"] = algorithm }
    }

    @Test(.rule("T-193"))
    func `a proof by an allowed algorithm of another policy is refused`() async throws {
        var bench = ProofBench(key: .proofRS256)
        bench.policy = try DPoPPolicy(algorithms: [.es256])
        await bench.expectRefusal(.proofAlgorithm) { _ in }
        bench.policy = try DPoPPolicy(algorithms: [.rs256])
        try await bench.verify(bench.proof())
    }

    // MARK: The claims

    @Test(.rule("T-194"), arguments: ["jti", "htm", "htu", "iat"])
    func `a proof that lacks a claim is refused`(name: String) async {
        let refusal = await bench.expectRefusal(.proofClaim) { $0.claims[name] = nil }
        #expect(refusal?.member == name)
    }

    @Test(
        .rule("T-194"),
        arguments: [
            ("jti", 1), ("jti", ""), ("jti", .string(String(repeating: "x", count: 257))), ("htm", .null), ("htu", []),
            ("iat", "1760000000"), ("iat", -1), ("iat", 1e300), ("ath", 1), ("nonce", true),
        ] as [(String, TestJSON)]
    )
    func `a proof with a claim of the wrong type is refused`(name: String, value: TestJSON) async {
        let refusal = await bench.expectRefusal(.proofClaim) { $0.claims[name] = value }
        #expect(refusal?.member == name)
    }

    @Test(.rule("T-194"))
    func `an ID of 256 bytes is accepted`() async throws {
        try await bench.verify(bench.proof { $0.claims["jti"] = .string(String(repeating: "x", count: 256)) })
    }

    // MARK: The request

    @Test(.rule("T-195"), arguments: ["POST", "get", "GET ", ""])
    func `a proof for another method is refused`(method: String) async {
        await bench.expectRefusal(.proofMethod) { $0.claims["htm"] = .string(method) }
        let text = bench.proof()
        await expectRefused(.proofMethod) { () async throws(VerificationError) in
            try await bench.verify(text, method: method)
        }
    }

    @Test(
        .rule("T-195"),
        arguments: [
            "https://api.example/v1/you", "https://api.example/v1/me/", "https://api.example/V1/me",
            "http://api.example/v1/me", "https://api.example:8443/v1/me", "https://other.example/v1/me",
            "https://api.example/v1%2Fme", "/v1/me", "api.example/v1/me", "", "https://user@api.example/v1/me",
        ]
    )
    func `a proof for another URL is refused`(url: String) async {
        let refusal = await bench.expectRefusal(.proofURL) { $0.claims["htu"] = .string(url) }
        #expect(refusal?.member == "htu")
        let text = bench.proof()
        await expectRefused(.proofURL) { () async throws(VerificationError) in try await bench.verify(text, url: url) }
    }

    @Test(.rule("T-195"))
    func `the query and the fragment of either URL are ignored`() async throws {
        let text = bench.proof { $0.claims["htu"] = .string(ProofBench.url + "?a=b#c") }
        try await bench.verify(text, url: ProofBench.url + "?d=e%zz")
    }

    // MARK: The time

    @Test(.rule("T-196"), arguments: [-59, 0, 30])
    func `a proof within the time window is accepted`(seconds: Int) async throws {
        try await bench.verify(bench.proof { $0.claims["iat"] = .number(String(1_760_000_000 + seconds)) })
    }

    @Test(.rule("T-196"))
    func `a proof outside the time window is refused`() async {
        await bench.expectRefusal(.proofTooOld) { $0.claims["iat"] = 1_759_999_940 }
        await bench.expectRefusal(.proofInFuture) { $0.claims["iat"] = 1_760_000_031 }
        await bench.expectRefusal(.proofInFuture) { $0.claims["iat"] = 1_760_000_030.001 }
    }

    @Test(.rule("T-196"))
    func `the policy sets the time window`() async throws {
        var bench = bench
        bench.policy = try DPoPPolicy(maximumAge: .seconds(10), leeway: .zero)
        try await bench.verify(bench.proof { $0.claims["iat"] = 1_759_999_991 })
        await bench.expectRefusal(.proofTooOld) { $0.claims["iat"] = 1_759_999_990 }
        await bench.expectRefusal(.proofInFuture) { $0.claims["iat"] = 1_760_000_001 }
    }

    @Test(.rule("T-196"))
    func `a policy accepts clocks that are up to 60 s ahead and up to 300 s behind`() async throws {
        var bench = bench
        bench.policy = try DPoPPolicy(maximumAge: .seconds(300), leeway: .seconds(60))
        for issued in [1_759_999_701, 1_760_000_060] {
            try await bench.verify(bench.proof { $0.claims["iat"] = .number("\(issued)") })
        }
        await bench.expectRefusal(.proofTooOld) { $0.claims["iat"] = 1_759_999_700 }
        await bench.expectRefusal(.proofInFuture) { $0.claims["iat"] = 1_760_000_061 }
    }

    @Test(.rule("T-196"))
    func `a policy without algorithms or with a duration out of range is refused`() {
        #expect(throws: PolicyError.self) { try DPoPPolicy(algorithms: []) }
        for age in [Duration.zero, .milliseconds(999), .seconds(301)] {
            #expect(throws: PolicyError.self) { try DPoPPolicy(maximumAge: age) }
        }
        for leeway in [Duration.seconds(-1), .seconds(61)] {
            #expect(throws: PolicyError.self) { try DPoPPolicy(leeway: leeway) }
        }
    }

    // MARK: The token

    @Test(.rule("T-197"))
    func `a proof for another token, or for none, is refused`() async {
        let other = bench.prover.proof(method: "GET", url: ProofBench.url, token: "another token")
        await expectRefused(.proofTokenHash) { () async throws(VerificationError) in try await bench.verify(other) }
        await bench.expectRefusal(.proofTokenHash) { $0.claims["ath"] = nil }
        await bench.expectRefusal(.proofTokenHash) { $0.claims["ath"] = "" }
    }

    @Test(.rule("T-197"), arguments: [TestKey.proofRS256, TestKey(.es256)])
    func `a valid proof by a key that the token is not bound to is refused`(key: TestKey) async {
        let text = TestProver(key: key, clock: bench.clock)
            .proof(method: "GET", url: ProofBench.url, token: bench.token)
        await expectRefused(.proofBinding) { () async throws(VerificationError) in try await bench.verify(text) }
    }

    @Test(.rule("T-197"))
    func `a proof with a token that is not bound is refused`() async {
        var bench = bench
        bench.confirmation = .unbound
        await bench.expectRefusal(.proofBinding) { _ in }
    }

    @Test(.rule("T-197"))
    func `a bound token without a proof is refused`() async {
        await expectRefused(.proofRequired) { () async throws(VerificationError) in try await bench.verify() }
    }

    @Test(.rule("T-197"))
    func `a token that is not bound needs no proof, unless the policy requires bound tokens`() async throws {
        var bench = bench
        bench.confirmation = .unbound
        #expect(try await bench.verify() == nil)
        bench.policy = try DPoPPolicy(requiresBoundTokens: true)
        await expectRefused(.proofRequired) { () async throws(VerificationError) in try await bench.verify() }
    }

    @Test(.rule("T-197"))
    func `a verified ID token with cnf needs a proof by its key`() async throws {
        let tokens = try Bench()
        let prover = TestProver(clock: tokens.issuer.clock)
        let text = tokens.issuer.token { $0.claims["cnf"] = prover.confirmation }
        let token = try tokens.verify(text: text)
        let verifier = DPoPVerifier(ledger: InMemoryDPoPLedger(), clock: tokens.issuer.clock)
        let proof = prover.proof(method: "POST", url: ProofBench.url, token: text)
        for proofs in [[proof], []] {
            let request = DPoPRequest(method: "POST", url: ProofBench.url, proofs: proofs)
            guard proofs.isEmpty else {
                try await verifier.verify(request, token: text, confirmation: token.confirmation)
                continue
            }
            await expectRefused(.proofRequired) { () async throws(VerificationError) in
                try await verifier.verify(request, token: text, confirmation: token.confirmation)
            }
        }
    }

    // MARK: The key and the signature

    @Test(
        .rule("T-191"),
        arguments: [
            nil, .null, [], [:], "key", ["kty": "oct", "k": "AAAA"],
            ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"],
        ] as [TestJSON?]
    )
    func `a proof without a usable public key is refused`(key: TestJSON?) async {
        let refusal = await bench.expectRefusal(.proofKey) { $0.header["jwk"] = key }
        #expect(refusal?.member == "jwk")
    }

    @Test(.rule("T-191"), arguments: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"])
    func `a proof with a private member in its key is refused`(name: String) async {
        for value: TestJSON in ["AAAA", .null] {
            await bench.expectRefusal(.proofKey) { $0.header["jwk"]?[name] = value }
        }
    }

    /// The spellings that a published key may have.
    @Test(.rule("T-057", "T-191"))
    func `the key of a proof has only the canonical spelling`() async throws {
        let x = try #require(bench.prover.jwk["x"]?.text.dropFirst().dropLast())
        for text in [x + "=", x + "\n"] {
            await bench.expectRefusal(.proofKey) { $0.header["jwk"]?["x"] = .string("\(text)") }
        }
        for name in ["use", "alg", "kid", "key_ops"] {
            for value: TestJSON in [.null, ""] {
                await bench.expectRefusal(.proofKey) { $0.header["jwk"]?[name] = value }
            }
        }
        let modulus = try TestKey.shared.json.decoded("n")
        await bench.expectRefusal(.proofKey) {
            $0.header["alg"] = "RS256"
            $0.header["jwk"] = ["kty": "RSA", "n": .encoded([0] + modulus), "e": "AQAB"]
            $0.signing = .key(.shared)
        }
    }

    @Test(.rule("T-191"))
    func `a proof with a key for another algorithm or use is refused`() async {
        await bench.expectRefusal(.proofKey) { $0.header["jwk"] = TestProver(key: .proofRS256).jwk }
        await bench.expectRefusal(.proofKey) { $0.header["jwk"]?["alg"] = "ES384" }
        await bench.expectRefusal(.proofKey) { $0.header["jwk"]?["use"] = "enc" }
        await bench.expectRefusal(.proofKey) { $0.header["jwk"]?["key_ops"] = ["sign"] }
    }

    @Test(.rule("T-191"))
    func `a proof with an RSA key that is too short or too long is refused`() async {
        for bits in [1024, 4104] {
            let key = TestKey(.rs256, bits: bits)
            await bench.expectRefusal(.proofKey) {
                $0.header["alg"] = "RS256"
                $0.header["jwk"] = ["kty": "RSA", "n": key.json["n"] ?? .null, "e": key.json["e"] ?? .null]
                $0.signing = .key(key)
            }
        }
    }

    @Test(.rule("T-191"))
    func `a key whose private key is published is accepted only if the policy allows it`() async throws {
        // RFC 7515 A.3, without its private half.
        let key: TestJSON = [
            "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
        ]
        var bench = bench
        bench.confirmation = TokenConfirmation(
            keyThumbprint: "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U",
            certificateThumbprint: nil
        )
        await bench.expectRefusal(.proofKey) { $0.header["jwk"] = key }
        bench.policy = try DPoPPolicy(allowPublishedTestKeys: true)
        // The test does not have the private key.
        await bench.expectRefusal(.proofSignature) { $0.header["jwk"] = key }
    }

    @Test(.rule("T-191"))
    func `a proof that another key has signed is refused`() async {
        await bench.expectRefusal(.proofSignature) { $0.signing = .key(KeyFixture.p256) }
        await bench.expectRefusal(.proofSignature) { $0.signing = .bytes([UInt8](repeating: 0, count: 64)) }
        await bench.expectRefusal(.proofSignature) { $0.signing = .bytes([1]) }
        await bench.expectRefusal(.proofSignature) { $0.signing = .hmac(secret: Array("secret".utf8)) }
    }

    @Test(.rule("T-191"))
    func `each proof by a key that was used before is checked`() async throws {
        // The bench creates a verifier for each use.
        let verifier = bench.verifier
        func verify(
            _ proof: String,
            for confirmation: TokenConfirmation
        ) async throws(VerificationError) -> DPoPProof? {
            let request = DPoPRequest(method: "GET", url: ProofBench.url, proofs: [proof])
            return try await verifier.verify(request, token: bench.token, confirmation: confirmation)
        }
        let (own, other) = (bench.confirmation, ProofBench(key: KeyFixture.p256).confirmation)
        _ = try await verify(bench.proof(), for: own)
        await expectRefused(.proofSignature) { () async throws(VerificationError) in
            try await verify(bench.proof { $0.signing = .key(KeyFixture.p256) }, for: own)
        }
        await expectRefused(.proofBinding) { () async throws(VerificationError) in
            try await verify(bench.proof(), for: other)
        }
        #expect(try await verify(bench.proof(), for: own)?.keyThumbprint == bench.prover.keyThumbprint)
    }
}
