// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The key and the signature of a Limited Login token.
@Suite struct ConformanceKeyTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(.rule("T-039"), arguments: [nil, "", 1, .null, ["a"]] as [TestJSON?])
    func `kid missing or "" is refused: key-id`(keyID: TestJSON?) {
        expectRefusal(.keyID) { try bench.verify { $0.header["kid"] = keyID } }
    }

    @Test(.rule("T-040"))
    func `kid unknown is refused without a refetch if all keys are known: key-not-found`() {
        expectRefusal(.keyNotFound) { try bench.verify { $0.header["kid"] = "unknown" } }
    }

    @Test(.rule("T-040"))
    func `kid unknown causes one refetch, then is refused: key-not-found`() async throws {
        let source = SpyKeySource(bench.keys)
        let verifier = try verifier(source)
        let text = bench.token { $0.header["kid"] = "unknown" }
        await expectRefused(.keyNotFound) { () async throws(VerificationError) in
            try await verifier.verify(text, nonce: .exactly(FacebookBench.nonce))
        }
        let issuer = bench.issuer.provider.issuers[0]
        #expect(source.calls == [.snapshot(issuer: issuer), .refreshed(issuer: issuer, unknownKeyID: "unknown")])
    }

    @Test
    func `kid unknown causes one refetch, and is accepted if that returns the key`() async throws {
        let rotated = TestIssuer.facebook(key: .another)
        let source = SpyKeySource(bench.keys, then: rotated.keys)
        let text = rotated.token(nonce: FacebookBench.nonce)
        let token = try await verifier(source).verify(text, nonce: .exactly(FacebookBench.nonce))
        #expect(token.verified.jws.header.keyID == TestKey.another.keyID)
        #expect(source.calls.count == 2)
    }

    @Test
    func `kid unknown is undecided if the refetch fails: keys-unavailable`() async throws {
        let verifier = try verifier(
            SpyKeySource(.success(bench.keys), then: .failure(VerificationUnavailable(detail: "out of reach")))
        )
        let text = bench.token { $0.header["kid"] = "unknown" }
        await expectUndecided(.keysUnavailable) { () async throws(VerificationError) in
            try await verifier.verify(text, nonce: .exactly(FacebookBench.nonce))
        }
    }

    @Test(.rule("T-020"))
    func `kid known with an invalid signature is refused after one refetch, even if that fails`()
        async throws
    {
        let failure = Result<KeySnapshot, VerificationUnavailable>.failure(
            VerificationUnavailable(detail: "out of reach")
        )
        let issuer = bench.issuer.provider.issuers[0]
        for second in [.success(bench.keys), failure] {
            let source = SpyKeySource(.success(bench.keys), then: second)
            let verifier = try verifier(source)
            let text = bench.token { $0.signing = .key(.another) }
            await expectRefused(.signature) { () async throws(VerificationError) in
                try await verifier.verify(text, nonce: .exactly(FacebookBench.nonce))
            }
            #expect(source.calls == [.snapshot(issuer: issuer), .refreshed(issuer: issuer, unknownKeyID: nil)])
        }
    }

    /// A made-up token must not cause a request for keys.
    @Test(.rule("T-020", "T-105"), arguments: ["alg", "iss", "aud"])
    func `a token that is not for this app, or not from Facebook, causes no key request`(member: String) async throws {
        let source = SpyKeySource(.success(bench.keys), then: .failure(VerificationUnavailable(detail: "out of reach")))
        let verifier = try verifier(source)
        let text = bench.token {
            if member == "alg" { $0.header["alg"] = "none" } else { $0.claims[member] = "https://evil.example" }
        }
        await #expect(throws: VerificationError.self) {
            try await verifier.verify(text, nonce: .exactly(FacebookBench.nonce))
        }
        #expect(source.calls.isEmpty)
    }

    /// The curve and point of RFC 7517 §A.1.
    private var ecKey: TestJSON {
        [
            "kty": "EC", "crv": "P-256", "kid": .string(bench.issuer.key.keyID),
            "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        ]
    }

    @Test(.rule("T-042"))
    func `JWKS has kty EC key with same kid: refused: key-unusable`() throws {
        let other = try FacebookBench(keySet: ["keys": [ecKey, TestKey.another.json]])
        expectRefusal(.keyUnusable) { try other.verify() }
    }

    @Test(.rule("T-042"))
    func `JWKS has kty EC key with same kid beside the RSA one: the RSA one is used`() throws {
        try FacebookBench(keySet: ["keys": [ecKey, bench.issuer.key.json]]).verify()
    }

    @Test(
        .rule("T-029", "T-030", "T-065"),
        arguments: [("alg", "RS512"), ("alg", "PS256"), ("alg", "rs256"), ("use", "enc"), ("use", "SIG")]
    )
    func `JWKS has alg≠RS256 or use≠sig for that kid: refused: key-unusable`(member: String, value: String) throws {
        var key = bench.issuer.key.json
        key[member] = .string(value)
        let other = try FacebookBench(keySet: ["keys": [key, TestKey.another.json]])
        expectRefusal(.keyUnusable) { try other.verify() }
    }

    @Test(.rule("T-031", "T-065"), arguments: ["alg", "use"])
    func `JWKS has no alg or use for that kid: accepted`(member: String) throws {
        var key = bench.issuer.key.json
        key[member] = nil
        try FacebookBench(keySet: ["keys": [key]]).verify()
    }

    @Test(.rule("T-050"), arguments: [1024, 2047])
    func `RSA modulus < 2048 bits is refused: key-unusable`(bits: Int) throws {
        let weak = try FacebookBench(issuer: .facebook(key: TestKey(bits: bits)))
        expectRefusal(.keyUnusable) { try weak.verify() }
    }

    @Test(.rule("T-073"))
    func `signature length ≠ modulus length is refused: signature`() throws {
        let text = bench.token()
        let input = text.prefix { $0 != "." } + "." + text.split(separator: ".")[1]
        let signature = bench.issuer.key.signature(of: Array(input.utf8))
        try #require(text == input + "." + Base64URL.encode(signature))
        for wrong in [[0] + signature, signature + [0], Array(signature.dropLast()), Array(signature.dropFirst()), [0]]
        {
            expectRefusal(.signature) { try bench.verify(text: input + "." + Base64URL.encode(wrong)) }
        }
    }

    @Test(.rule("T-071"))
    func `signature of another key is refused: signature`() {
        expectRefusal(.signature) { try bench.verify { $0.signing = .key(.another) } }
    }

    private func verifier(_ source: SpyKeySource) throws -> LimitedLoginVerifier {
        try LimitedLoginVerifier(appIDs: [bench.issuer.audience], keys: source, clock: bench.issuer.clock)
    }
}
