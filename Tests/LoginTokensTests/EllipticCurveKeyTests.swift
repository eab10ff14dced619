// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 7518 §6.2: the validity of published elliptic-curve keys.
@Suite struct EllipticCurveKeyTests {
    static let algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512]
    private static let curves = ["P-256", "P-384", "P-521"]

    private func reason(
        _ algorithm: SignatureAlgorithm,
        _ change: (inout TestJSON) -> Void
    ) -> UnusableKey.Reason? {
        var json = KeyFixture.key(algorithm).json
        change(&json)
        return KeyFixture.reason(json)
    }

    private func length(_ algorithm: SignatureAlgorithm) -> Int {
        switch algorithm {
        case .es256: 32
        case .es384: 48
        default: 66
        }
    }

    @Test(.rule("T-031", "T-060"), arguments: zip(algorithms, curves))
    func `an elliptic curve key is for the algorithm of its curve, whether it names it or not`(
        algorithm: SignatureAlgorithm,
        curve: String
    ) throws {
        var json = KeyFixture.key(algorithm).json
        for named in [true, false] {
            if !named { json["alg"] = nil }
            let key = try JSONWebKey(json: json.text)
            #expect(key.type == "EC" && key.curve == curve && key.algorithms == [algorithm])
            #expect(key.bits == Int(curve.dropFirst(2)) && key.description == "EC, \(curve)")
        }
    }

    @Test(.rule("T-061"), arguments: algorithms)
    func `an elliptic curve key with an algorithm of another curve or type is unusable`(algorithm: SignatureAlgorithm) {
        for other in SignatureAlgorithm.allCases {
            let expected: UnusableKey.Reason? = other == algorithm ? nil : .algorithm
            #expect(reason(algorithm) { $0["alg"] = .string(other.rawValue) } == expected, "\(other)")
        }
        for name in ["ES521", "ES256K", "ES", "es256", "ECDH-ES", "HS256", "none"] {
            #expect(reason(algorithm) { $0["alg"] = .string(name) } == .algorithm, "\(name)")
        }
    }

    @Test(
        .rule("T-060", "T-061"),
        arguments: ["secp256k1", "P-224", "P-256K", "P-192", "p-256", "P256", "P-256 ", "prime256v1", "Ed25519"]
    )
    func `an unsupported curve is refused`(curve: String) {
        #expect(reason(.es256) { $0["crv"] = .string(curve) } == .keyType)
    }

    @Test(.rule("T-060"), arguments: algorithms)
    func `a coordinate with the length of another curve is refused`(algorithm: SignatureAlgorithm) throws {
        for (other, curve) in zip(Self.algorithms, Self.curves) where other != algorithm {
            #expect(reason(algorithm) { $0["crv"] = .string(curve) } == .malformed)
            // Padded with zeros to the other's length, the point is not on the other curve either.
            let json = KeyFixture.key(algorithm).json
            let missing = max(0, length(other) - length(algorithm))
            let padded = try ["x", "y"].map { try [UInt8](repeating: 0, count: missing) + json.decoded($0) }
            #expect(
                reason(algorithm) {
                    $0["crv"] = .string(curve)
                    $0["x"] = .encoded(padded[0])
                    $0["y"] = .encoded(padded[1])
                    $0["alg"] = nil
                } == .malformed
            )
        }
    }

    @Test(.rule("T-060"), arguments: algorithms)
    func `a coordinate must have exactly the length of the curve's field`(algorithm: SignatureAlgorithm) throws {
        for name in ["x", "y"] {
            let good = try KeyFixture.key(algorithm).json.decoded(name)
            #expect(good.count == length(algorithm))
            #expect(reason(algorithm) { $0[name] = .encoded(good) } == nil)
            let others: [[UInt8]] = [
                [0] + good, good + [0], good.dropLast(), Array(good.dropFirst()), [], [0], good + good,
            ]
            for wrong in others {
                #expect(reason(algorithm) { $0[name] = .encoded(wrong) } == .malformed, "\(wrong.count) bytes")
            }
        }
    }

    @Test(.rule("T-060"), arguments: algorithms)
    func `a point that is not on the curve is refused`(algorithm: SignatureAlgorithm) throws {
        let json = KeyFixture.key(algorithm).json
        let zero = [UInt8](repeating: 0, count: length(algorithm))
        let most = [UInt8](repeating: 0xFF, count: length(algorithm))
        for name in ["x", "y"] {
            var next = try json.decoded(name)
            next[next.count - 1] ^= 1
            for wrong in [next, zero, most] {
                #expect(reason(algorithm) { $0[name] = .encoded(wrong) } == .malformed)
            }
        }
        // The point at infinity has no coordinates; some implementations write zeros.
        #expect(
            reason(algorithm) {
                $0["x"] = .encoded(zero)
                $0["y"] = .encoded(zero)
            } == .malformed
        )
        #expect(
            reason(algorithm) {
                $0["x"] = json["y"]
                $0["y"] = json["x"]
            } == .malformed
        )
    }

    /// Each curve has a point with x = 0, whose coordinate is written as zeros and must not be taken for missing.
    @Test(.rule("T-060"))
    func `a coordinate below the prime is accepted, and the same value plus the prime is refused`() {
        let y = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4"
        let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        let zero = [UInt8](repeating: 0, count: 32)
        for (x, expected) in [(zero, nil), (bytes(prime), .malformed)] as [([UInt8], UnusableKey.Reason?)] {
            let json: TestJSON = ["kty": "EC", "crv": "P-256", "x": .encoded(x), "y": .encoded(bytes(y))]
            #expect(KeyFixture.reason(json) == expected)
        }
    }

    @Test(.rule("T-057"), arguments: ["x", "y", "crv", "kty"], [nil, .null, 1, ["AQAB"], true] as [TestJSON?])
    func `a key with a missing or non-string member is unusable`(name: String, value: TestJSON?) {
        #expect(reason(.es256) { $0[name] = value } == .malformed)
    }

    @Test(.rule("T-057"), arguments: ["x", "y"])
    func `unused bits of a coordinate must be zero`(name: String) throws {
        let good = String(try #require(KeyFixture.p256.json[name]?.text.dropFirst().dropLast()))
        let last = try #require(good.last?.asciiValue)
        // 32 bytes leave two unused bits.
        let following = String(good.dropLast()) + String(UnicodeScalar(last + 1))
        for text in [following, following + "="] {
            #expect(reason(.es256) { $0[name] = .string(text) } == .malformed)
        }
    }

    @Test(.rule("T-058"), arguments: algorithms, ["d", "k"])
    func `a key with a private member is refused, whatever its value`(
        algorithm: SignatureAlgorithm,
        name: String
    ) {
        #expect(reason(algorithm) { $0[name] = .encoded([1]) } == .privateKey)
        #expect(reason(algorithm) { $0[name] = 1 } == .privateKey)
    }

    @Test(.rule("T-065", "T-066"))
    func `use and key_ops restrict elliptic curve keys too`() {
        #expect(reason(.es256) { $0["use"] = "enc" } == .use)
        #expect(reason(.es256) { $0["key_ops"] = ["deriveKey"] } == .use)
        #expect(reason(.es256) { $0["use"] = nil } == nil)
    }

    @Test(.rule("T-060", "T-062"))
    func `a token that names an unusable key is refused for the key, and one with a DER signature for the signature`()
        throws
    {
        let issuer = TestIssuer(key: KeyFixture.p256)
        let policy = try Bench(issuer: issuer).policy
        var bad = KeyFixture.p256.json
        bad["y"] = bad["x"]
        let keys = try KeyFixture.snapshot([bad], for: issuer)
        expectRefusal(.keyUnusable) { try Bench(issuer: issuer, keys: keys, policy: policy).verify() }
        let bench = try Bench(issuer: issuer)
        try bench.verify()
        for signature in [[UInt8](repeating: 0, count: 64), [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01]] {
            expectRefusal(.signature) { try bench.verify { $0.signing = .bytes(signature) } }
        }
    }
}
