// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// RFC 7518 §3.4: ECDSA with the signature as the concatenation of r and s.
@Suite struct ECDSATests {
    private static let keys = Dictionary(
        uniqueKeysWithValues: EllipticCurve.allCases.map { ($0, PrivateKey(curve: $0)) }
    )
    private let message = Array("a message".utf8)

    /// Returns a key of the curve, and its signature of `message`.
    private func signed(_ curve: EllipticCurve) throws -> (key: PublicKey, r: [UInt8], s: [UInt8]) {
        let key = try #require(Self.keys[curve])
        let signature = key.signature(of: message, scheme: curve.scheme)
        #expect(signature.count == 2 * curve.coordinateByteCount)
        let half = signature.count / 2
        return (key.publicKey, Array(signature[..<half]), Array(signature[half...]))
    }

    private func accepts(_ key: PublicKey, _ signature: [UInt8], _ curve: EllipticCurve) -> Bool {
        let valid = key.isValidSignature(signature, of: message, scheme: curve.scheme)
        #expect(openSSLErrorQueueIsEmpty)
        return valid
    }

    // MARK: Known answers

    /// RFC 6979 A.2.5, A.2.6, A.2.7, with the hash function that JOSE assigns to the curve.
    static let examples: [(curve: EllipticCurve, x: String, y: String, message: String, signature: String)] = [
        (.p256, p256.x, p256.y, "sample", p256.sample), (.p256, p256.x, p256.y, "test", p256.test),
        (.p384, p384.x, p384.y, "sample", p384.sample), (.p384, p384.x, p384.y, "test", p384.test),
        (.p521, p521.x, p521.y, "sample", p521.sample), (.p521, p521.x, p521.y, "test", p521.test),
    ]

    private static let p256 = (
        x: "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6",
        y: "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
        sample: "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        test: "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
            + "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
    )

    private static let p384 = (
        x: "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13",
        y: "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720",
        sample: "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46"
            + "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        test: "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db"
            + "ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e06a739f040649a667bf3b828246baa5a5"
    )

    private static let p521 = (
        x: "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7f20fb633"
            + "155d38ffa16d2bd761dcac474b9a2f5023a4",
        y: "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28a0db25741b5b34a828008b22acc23f"
            + "924faafbd4d33f81ea66956dfeaa2bfdfcf5",
        sample: "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b53"
            + "4931d7d4e8455cc91f9b15bf05ec36e377fa"
            + "00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b68af282623eaa63e5b5c0723d8b8c37ff077"
            + "7b1a20f8ccb1dccc43997f1ee0e44da4a67a",
        test: "013e99020abf5cee7525d16b69b229652ab6bdf2affcaef38773b4b7d08725f10cdb93482fdcc54edcee91eca4166b2a"
            + "7c6265ef0ce2bd7051b7cef945babd47ee6d"
            + "01fbd0013c674aa79cb39849527916ce301c66ea7ce8b80682786ad60f98f7e78a19ca69eff5c57400e3b3a0ad66ce09"
            + "78214d13baf4e9ac60752f7b155e2de4dce3"
    )

    @Test(.rule("T-071"), arguments: examples)
    func `the signatures of RFC 6979 are valid for their own message only`(
        curve: EllipticCurve,
        x: String,
        y: String,
        message: String,
        signature: String
    ) throws {
        let key = try #require(PublicKey(curve: curve, x: bytes(x), y: bytes(y)))
        #expect(key.isValidSignature(bytes(signature), of: Array(message.utf8), scheme: curve.scheme))
        #expect(!key.isValidSignature(bytes(signature), of: Array(message.utf8) + [0], scheme: curve.scheme))
        #expect(openSSLErrorQueueIsEmpty)
    }

    // MARK: Length

    @Test(.rule("T-062", "T-073"), arguments: EllipticCurve.allCases)
    func `a signature has exactly the length of two coordinates`(curve: EllipticCurve) throws {
        let (key, r, s) = try signed(curve)
        #expect(accepts(key, r + s, curve))
        let others: [[UInt8]] = [
            [], [0], r, s, (r + s).dropLast(), Array((r + s).dropFirst()), r + s + [0], [0] + r + s,
            [0] + r + [0] + s, r + s + r + s, [UInt8](repeating: 1, count: 2 * r.count - 1),
        ]
        for other in others { #expect(!accepts(key, other, curve), "\(other.count) bytes") }
    }

    @Test(.rule("T-062"), arguments: EllipticCurve.allCases)
    func `a DER signature that OpenSSL accepts is refused`(curve: EllipticCurve) throws {
        let (key, r, s) = try signed(curve)
        #expect(!accepts(key, der(r, s), curve))
        // The same padded or cut to the length that is checked: that of both coordinates.
        let cut = Array((der(r, s) + [UInt8](repeating: 0, count: 2 * r.count)).prefix(2 * r.count))
        #expect(!accepts(key, cut, curve))
    }

    /// Encodes SEQUENCE { INTEGER r, INTEGER s }, as in certificates.
    private func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let body = [r, s].flatMap { number in
            let significant = Array(number.drop { $0 == 0 })
            let content = (significant[0] & 0x80 == 0 ? [] : [0]) + significant
            return [0x02, UInt8(content.count)] + content
        }
        return [0x30] + (body.count < 128 ? [] : [0x81]) + [UInt8(body.count)] + body
    }

    @Test(.rule("T-062"))
    func `leading zeros of r and s are required`() throws {
        // One signature in 128 has such a number.
        let key = try #require(Self.keys[.p256])
        let short = (0..<10_000).lazy.map { _ in key.signature(of: message, scheme: .ecdsa(.sha256)) }
            .first { $0[0] == 0 || $0[32] == 0 }
        let signature = try #require(short)
        #expect(accepts(key.publicKey, signature, .p256))
        let place = signature[0] == 0 ? 0 : 32
        let without = Array(signature[..<place] + signature[(place + 1)...])
        #expect(!accepts(key.publicKey, without, .p256))
        #expect(!accepts(key.publicKey, [0] + without, .p256) || place == 0)
        #expect(!accepts(key.publicKey, without + [0], .p256))
    }

    // MARK: Range

    /// CVE-2022-21449: without this check, a signature of zeros was valid for every message.
    @Test(.rule("T-063"), arguments: EllipticCurve.allCases)
    func `r and s must be above zero and below the order of the curve`(curve: EllipticCurve) throws {
        let (key, r, s) = try signed(curve)
        let order = curve.order
        let zero = [UInt8](repeating: 0, count: r.count)
        let one = Array(zero.dropLast()) + [1]
        let most = [UInt8](repeating: 0xFF, count: r.count)
        let edges = [zero, one, difference(order, one), order, sum(order, one), most]
        for edge in edges {
            #expect(!accepts(key, edge + s, curve))
            #expect(!accepts(key, r + edge, curve))
            for other in edges { #expect(!accepts(key, edge + other, curve)) }
        }
        #expect(!accepts(key, s + r, curve))
        #expect(accepts(key, r + s, curve))
    }

    /// P-521 has seven unused bits in its first byte, so these sums fit; each is the same number modulo the order.
    @Test(.rule("T-063"))
    func `a value beyond the order is refused, although its remainder is valid`() throws {
        let (key, r, s) = try signed(.p521)
        let order = EllipticCurve.p521.order
        #expect(difference(sum(r, order), order) == r)
        #expect(!accepts(key, sum(r, order) + s, .p521))
        #expect(!accepts(key, r + sum(s, order), .p521))
        #expect(!accepts(key, sum(r, order) + sum(s, order), .p521))
        for bit in 1..<8 {
            var other = r + s
            other[0] |= 1 << bit
            #expect(!accepts(key, other, .p521))
        }
    }

    /// ECDSA signatures come in pairs: (r, s) and (r, −s).
    ///
    /// JOSE forbids neither (RFC 7518 §3.4), so tokens must not be identified by their signature.
    @Test(.rule("T-063"), arguments: EllipticCurve.allCases)
    func `a signature with negated s is valid too`(curve: EllipticCurve) throws {
        let (key, r, s) = try signed(curve)
        let negated = difference(curve.order, s)
        #expect(negated != s && accepts(key, r + negated, curve))
        #expect(!accepts(key, difference(curve.order, r) + s, curve))
    }

    // MARK: Keys

    @Test(.rule("T-060"), arguments: EllipticCurve.allCases)
    func `a point that is not on the curve is not a key`(curve: EllipticCurve) throws {
        guard case .ec(_, let x, let y) = try #require(Self.keys[curve]).numbers else {
            Issue.record("a key on a curve has coordinates")
            return
        }
        #expect(PublicKey(curve: curve, x: x, y: y) != nil)
        // The negated point is another point of the curve.
        #expect(PublicKey(curve: curve, x: x, y: difference(curve.prime, y)) != nil)
        let zero = [UInt8](repeating: 0, count: x.count)
        let one = Array(zero.dropLast()) + [1]
        for (x, y) in [(x, sum(y, one)), (y, x), (x, x), (zero, zero), (x, zero), (zero, one)] {
            #expect(PublicKey(curve: curve, x: x, y: y) == nil)
            #expect(openSSLErrorQueueIsEmpty)
        }
    }

    @Test(.rule("T-060"), arguments: EllipticCurve.allCases)
    func `a coordinate has the length of the field, and is below the prime`(curve: EllipticCurve) throws {
        let zero = [UInt8](repeating: 0, count: curve.coordinateByteCount)
        // Each curve has a point with x = 0 and one with a small y: p and p + y would be second encodings of these.
        let y = curve.yAtZero
        let small = curve.smallY
        #expect(PublicKey(curve: curve, x: zero, y: y) != nil)
        #expect(PublicKey(curve: curve, x: small.x, y: sum(zero, [small.y])) != nil)
        let others: [([UInt8], [UInt8])] = [
            (curve.prime, y), (small.x, sum(curve.prime, [small.y])), (zero.dropLast(), y), (zero + [0], y), ([], y),
            (zero, y.dropLast()), (zero, [0] + y), (zero, []), ([], []),
            (zero, [UInt8](repeating: 0xFF, count: y.count)),
        ]
        for (x, y) in others {
            #expect(PublicKey(curve: curve, x: x, y: y) == nil)
            #expect(openSSLErrorQueueIsEmpty)
        }
    }

    @Test(.rule("T-060"))
    func `a point of another curve is refused`() throws {
        for (curve, key) in Self.keys {
            guard case .ec(_, let x, let y) = key.numbers else { continue }
            for other in EllipticCurve.allCases {
                #expect((PublicKey(curve: other, x: x, y: y) != nil) == (other == curve))
                let padding = [UInt8](repeating: 0, count: max(0, other.coordinateByteCount - x.count))
                #expect((PublicKey(curve: other, x: padding + x, y: padding + y) != nil) == (other == curve))
            }
        }
        #expect(openSSLErrorQueueIsEmpty)
    }
}

extension EllipticCurve {
    /// ECDSA on this curve, with the hash function that JOSE assigns to it.
    fileprivate var scheme: SignatureScheme {
        switch self {
        case .p256: .ecdsa(.sha256)
        case .p384: .ecdsa(.sha384)
        case .p521: .ecdsa(.sha512)
        }
    }

    /// The order of the curve's group (FIPS 186-4 D.1.2).
    fileprivate var order: [UInt8] {
        switch self {
        case .p256: bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        case .p384:
            bytes("ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973")
        case .p521:
            [0x01] + [UInt8](repeating: 0xFF, count: 32)
                + bytes("fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409")
        }
    }

    /// The prime of the curve's field.
    fileprivate var prime: [UInt8] {
        switch self {
        case .p256: bytes("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
        case .p384:
            bytes("fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff")
        case .p521: [0x01] + [UInt8](repeating: 0xFF, count: 65)
        }
    }

    /// A y of the points with x = 0: a square root of the curve's coefficient b.
    fileprivate var yAtZero: [UInt8] {
        switch self {
        case .p256: bytes("66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4")
        case .p384:
            bytes("c306610fb0ae5a159cf45c06069f22a6c5eb3641c602d42dea2c4b4f75550793406d80d2b91ad54f9048bd487af1ade1")
        case .p521:
            bytes(
                "012df13601594a883ef2d935e44bb90bf4d6619b74e52af7552f97769011c0719eb439cfab2a88d40fe59a2bed1f4355"
                    + "7169a2d0a2ccd280c607b92bbf51ffe0b078"
            )
        }
    }
    /// A point with a small y: a root of the curve's equation, found by another program.
    fileprivate var smallY: (x: [UInt8], y: UInt8) {
        switch self {
        case .p256: (bytes("d7325d7646cd60d80a92738ceb345f844cffaf35841022cab176f692de8de1d7"), 5)
        case .p384:
            (
                bytes(
                    "2261b2bf605c22f2f3aef6338719b2c486388ad5240719a5257315969ef01ba27f0a104c89704773a81fdabee6ab5c78"
                ), 1
            )
        case .p521:
            (
                bytes(
                    "00d9cb7a32dab342f863edb340f3ea61ddf833e755ce66bb1a918a42714ba05bcdf4ff10994f616a9d80cd0b48b326e3"
                        + "a8a2a8f5634d824875b6e71fb7cddd7b5018"
                ), 1
            )
        }
    }
}
