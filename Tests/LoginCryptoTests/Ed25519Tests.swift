// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// RFC 8032 §5.1: Ed25519 signatures.
@Suite struct Ed25519Tests {
    private static let key = PrivateKey.ed25519()
    private static let message = Array("a message".utf8)
    private static let signature = key.signature(of: message, scheme: .ed25519)

    private let key = Self.key.publicKey
    private let message = Self.message
    private let signature = Self.signature

    private func accepts(_ signature: [UInt8]) -> Bool {
        let valid = key.isValidSignature(signature, of: message, scheme: .ed25519)
        #expect(openSSLErrorQueueIsEmpty)
        return valid
    }

    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let message: [UInt8]
        let signature: String

        var testDescription: String { name }
    }

    static let examples: [Example] = [
        Example(
            name: "TEST 1",
            key: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: [],
            signature:
                "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b"
        ),
        Example(
            name: "TEST 2",
            key: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: [0x72],
            signature:
                "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
                + "387b2eaeb4302aeeb00d291612bb0c00"
        ),
        Example(
            name: "TEST 3",
            key: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: [0xAF, 0x82],
            signature:
                "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
                + "4a7c15e9716ed28dc027beceea1ec40a"
        ),
        Example(
            name: "TEST SHA(abc)",
            key: "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
            message: Digest.sha512.hash("abc".utf8),
            signature:
                "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
                + "3dca179c138ac17ad9bef1177331a704"
        ),
    ]

    @Test(.rule("T-071"), arguments: examples)
    func `the signatures of RFC 8032 are valid for their own message only`(example: Example) throws {
        #expect(Ed25519Point.fault(in: bytes(example.key)) == nil)
        let key = try #require(PublicKey(ed25519: bytes(example.key)))
        #expect(key.isValidSignature(bytes(example.signature), of: example.message, scheme: .ed25519))
        #expect(!key.isValidSignature(bytes(example.signature), of: example.message + [0], scheme: .ed25519))
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-071"))
    func `a signature with one flipped bit is refused`() {
        for place in signature.indices {
            for bit in 0..<8 {
                var other = signature
                other[place] ^= 1 << bit
                #expect(!accepts(other))
            }
        }
        #expect(accepts(signature))
    }

    @Test(.rule("T-073"))
    func `a signature has exactly 64 bytes`() {
        let others: [[UInt8]] = [
            [], [0], signature.dropLast(), Array(signature.dropFirst()), signature + [0], [0] + signature,
            signature + signature, Array(signature.prefix(32)), [UInt8](repeating: 0, count: 114),
        ]
        for other in others { #expect(!accepts(other), "\(other.count) bytes") }
        #expect(accepts(signature))
    }

    /// RFC 8032 §5.1.7 step 1: without this check each signature would have fifteen more valid forms.
    @Test(.rule("T-064"))
    func `S must be below the order of the base point`() {
        let order = bytes("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")
        let (r, s) = (Array(signature[..<32]), Array(signature[32...].reversed()))
        var beyond = s
        for _ in 1..<15 {
            beyond = sum(beyond, order)
            #expect(!accepts(r + beyond.reversed()))
        }
        #expect(!accepts(r + order.reversed()))
        #expect(!accepts(r + [UInt8](repeating: 0xFF, count: 32)))
        #expect(accepts(r + s.reversed()))
    }

    @Test(.rule("T-064"))
    func `a non-canonical R and an all-zero signature are refused`() {
        let s = Array(signature[32...])
        for point in Ed25519PointTests.notCanonical + Ed25519PointTests.smallOrder {
            #expect(!accepts(point + s))
            #expect(!accepts(point + [UInt8](repeating: 0, count: 32)))
        }
        #expect(!accepts([UInt8](repeating: 0, count: 64)))
    }

    /// The reason why such keys are refused when they are read: OpenSSL accepts the key and a signature anybody can
    /// forge.
    @Test(.rule("T-064"))
    func `one signature is valid for every message with a key of small order`() throws {
        let identity: [UInt8] = [1] + [UInt8](repeating: 0, count: 31)
        let key = try #require(PublicKey(ed25519: identity))
        let forged = identity + [UInt8](repeating: 0, count: 32)
        for message in ["a message", "another", ""] {
            #expect(key.isValidSignature(forged, of: Array(message.utf8), scheme: .ed25519))
        }
        #expect(Ed25519Point.fault(in: identity) == .smallOrder)
    }

    @Test(.rule("T-064"), arguments: [0, 1, 31, 33, 64])
    func `an Ed25519 key has exactly 32 bytes`(count: Int) {
        #expect(PublicKey(ed25519: [UInt8](repeating: 3, count: count)) == nil)
        #expect(openSSLErrorQueueIsEmpty)
    }
}

/// RFC 8032 §5.1.3: the encodings of points that are valid keys.
@Suite struct Ed25519PointTests {
    /// The eight points of small order, encoded; two of them also with the other sign, which is a second encoding at x
    /// = 0.
    static let smallOrder = [
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
    ].map(bytes)

    /// Every y from the prime 2²⁵⁵ − 19 up to 2²⁵⁵ − 1, with either sign.
    static let notCanonical = (UInt8(0xED)...0xFF).flatMap { low in
        [0x7F, 0xFF].map { high in [low] + [UInt8](repeating: 0xFF, count: 30) + [high] }
    }

    /// Returns the encoded points with this y, with either sign of x.
    private func points(y: UInt8) -> [[UInt8]] {
        [0, 0x80].map { [y] + [UInt8](repeating: 0, count: 30) + [$0] }
    }

    /// Returns the encoded points whose y is the prime minus this number, with either sign of x.
    private func points(belowPrimeBy distance: UInt8) -> [[UInt8]] {
        [0x7F, 0xFF].map { [0xED - distance] + [UInt8](repeating: 0xFF, count: 30) + [$0] }
    }

    @Test(.rule("T-064"), arguments: smallOrder)
    func `points of small order are detected, with either sign`(point: [UInt8]) {
        #expect(Ed25519Point.fault(in: point) == .smallOrder)
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-064"))
    func `a y coordinate not below the prime is not canonical, whatever its remainder`() {
        #expect(Self.notCanonical.count == 38)
        for point in Self.notCanonical { #expect(Ed25519Point.fault(in: point) == .notCanonical) }
        // The greatest y below the prime of a point on the curve: −3.
        for point in points(belowPrimeBy: 3) { #expect(Ed25519Point.fault(in: point) == nil) }
    }

    /// The small numbers that are the y of a point, computed with Euler's criterion in another program.
    @Test(.rule("T-064"))
    func `the numbers below 40 that are no y coordinate of the curve are detected`() {
        let off: Set<UInt8> = [2, 7, 8, 11, 12, 13, 17, 20, 22, 31, 34, 36, 38]
        for y in UInt8(2)..<40 {
            for point in points(y: y) + points(belowPrimeBy: y) {
                #expect(Ed25519Point.fault(in: point) == (off.contains(y) ? .notOnCurve : nil), "\(y)")
            }
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-064"))
    func `the base point and generated keys are on the curve`() {
        #expect(Ed25519Point.fault(in: [0x58] + [UInt8](repeating: 0x66, count: 31)) == nil)
        for _ in 0..<16 {
            guard case .ed25519(let point) = PrivateKey.ed25519().numbers else {
                Issue.record("an Ed25519 key is a point")
                return
            }
            #expect(Ed25519Point.fault(in: point) == nil)
        }
    }
}
