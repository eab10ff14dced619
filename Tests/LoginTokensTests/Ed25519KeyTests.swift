// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
import LoginText
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8037 §2: the validity of published Ed25519 keys.
@Suite struct Ed25519KeyTests {
    private func reason(_ change: (inout TestJSON) -> Void) -> UnusableKey.Reason? {
        var json = KeyFixture.edwards.json
        change(&json)
        return KeyFixture.reason(json)
    }

    private func reason(point: [UInt8]) -> UnusableKey.Reason? {
        reason { $0["x"] = .encoded(point) }
    }

    @Test(.rule("T-031"))
    func `an Ed25519 key is for EdDSA and Ed25519 unless it names one of them`() throws {
        for (name, expected) in [(nil, [.edDSA, .ed25519]), ("EdDSA", [.edDSA]), ("Ed25519", [.ed25519])]
            as [(TestJSON?, Set<SignatureAlgorithm>)]
        {
            let key = try JSONWebKey(json: KeyFixture.edwards.json.with("alg", name).text)
            #expect(key.algorithms == expected)
            #expect(key.type == "OKP" && key.curve == "Ed25519" && key.description == "OKP, Ed25519")
        }
    }

    @Test(.rule("T-061"))
    func `an Ed25519 key with an algorithm of another type is unusable`() {
        for other in SignatureAlgorithm.allCases where ![.edDSA, .ed25519].contains(other) {
            #expect(reason { $0["alg"] = .string(other.rawValue) } == .algorithm)
        }
        for name in ["Ed448", "ed25519", "eddsa", "EDDSA", "ECDH-ES", "HS256", "none"] {
            #expect(reason { $0["alg"] = .string(name) } == .algorithm, "\(name)")
        }
    }

    @Test(.rule("T-061"), arguments: ["Ed448", "X25519", "X448", "ed25519", "P-256", "Ed25519 "])
    func `a curve other than Ed25519 is unsupported`(curve: String) {
        #expect(reason { $0["crv"] = .string(curve) } == .keyType)
    }

    @Test(.rule("T-064"), arguments: [0, 1, 31, 33, 57, 64])
    func `an Ed25519 key has exactly 32 bytes`(count: Int) throws {
        let good = try KeyFixture.edwards.json.decoded("x")
        #expect(reason(point: good) == nil)
        #expect(reason(point: Array((good + good).prefix(count))) == .malformed)
    }

    /// The eight points of small order, and two non-canonical encodings of those at x = 0.
    @Test(
        .rule("T-064"),
        arguments: [
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000080",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000080",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        ]
    )
    func `a point of small order is weak`(point: String) {
        #expect(reason(point: bytes(point)) == .weak)
    }

    @Test(.rule("T-064"))
    func `a point that is not canonical or not on the curve is malformed`() {
        let middle = [UInt8](repeating: 0xFF, count: 30)
        for low in UInt8(0xED)...0xFF {
            for high in [0x7F, 0xFF] as [UInt8] { #expect(reason(point: [low] + middle + [high]) == .malformed) }
        }
        let zeros = [UInt8](repeating: 0, count: 30)
        // Of the small numbers, 2 and 7 are not the y of a point on the curve; 3 and 4 are.
        for (y, expected) in [(2, .malformed), (7, .malformed), (3, nil), (4, nil)] as [(UInt8, UnusableKey.Reason?)] {
            for sign in [0, 0x80] as [UInt8] { #expect(reason(point: [y] + zeros + [sign]) == expected, "\(y)") }
        }
    }

    @Test(.rule("T-057"), arguments: ["x", "crv", "kty"], [nil, .null, 1, ["AQAB"], true] as [TestJSON?])
    func `a key with a missing or non-string member is unusable`(name: String, value: TestJSON?) {
        #expect(reason { $0[name] = value } == .malformed)
    }

    @Test(.rule("T-058"))
    func `a key with a private member is refused, whatever its value`() {
        #expect(reason { $0["d"] = .encoded([UInt8](repeating: 1, count: 32)) } == .privateKey)
        #expect(reason { $0["d"] = 1 } == .privateKey)
        #expect(reason { $0["D"] = 1 } == nil)
    }

    @Test(.rule("T-064"), arguments: [.edDSA, .ed25519] as [SignatureAlgorithm])
    func `a signature with S not below the group order is refused`(algorithm: SignatureAlgorithm) throws {
        let bench = try Bench(issuer: TestIssuer(key: KeyFixture.key(algorithm)))
        let text = bench.issuer.token()
        try bench.verify(text: text)
        let parts = text.split(separator: ".")
        let signature = try #require(Base64URL.decode(parts[2].utf8))
        let order = bytes("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")
        let beyond = BigNumber(bytes: signature[32...].reversed()).plus(BigNumber(bytes: order)).bytes
        let other = signature[..<32] + beyond.reversed() + [UInt8](repeating: 0, count: 32 - beyond.count)
        expectRefusal(.signature) { try bench.verify(text: "\(parts[0]).\(parts[1]).\(Base64URL.encode(other))") }
    }
}
