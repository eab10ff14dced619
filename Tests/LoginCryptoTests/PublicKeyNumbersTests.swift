// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import Testing

/// RFC 5280 §4.1.2.7: the numbers of a key, out of its `SubjectPublicKeyInfo` and back.
@Suite struct PublicKeyNumbersTests {
    private static let keys: [PublicKey] = [
        PrivateKey(rsaBits: 2048).publicKey, PrivateKey(curve: .p256).publicKey, PrivateKey(curve: .p384).publicKey,
        PrivateKey(curve: .p521).publicKey, PrivateKey.ed25519().publicKey,
    ]

    private func key(_ numbers: PublicKeyNumbers) -> PublicKey? {
        switch numbers {
        case .rsa(let modulus, let exponent): PublicKey(modulus: modulus, exponent: exponent)
        case .ec(let curve, let x, let y): PublicKey(curve: curve, x: x, y: y)
        case .ed25519(let bytes): PublicKey(ed25519: bytes)
        }
    }

    @Test(arguments: keys)
    func `a key created from its numbers encodes as the original`(original: PublicKey) throws {
        let der = try #require(original.subjectPublicKeyInfo)
        let numbers = try #require(PublicKeyNumbers(subjectPublicKeyInfo: der))
        #expect(try #require(key(numbers)).subjectPublicKeyInfo == der)
    }

    @Test(arguments: keys)
    func `a truncated or extended encoding has no numbers, and leaves no error in the queue`(original: PublicKey) throws
    {
        let der = try #require(original.subjectPublicKeyInfo)
        for bytes in [[], Array(der.dropLast()), der + [0], Array(der.dropFirst())] {
            #expect(PublicKeyNumbers(subjectPublicKeyInfo: bytes) == nil)
            #expect(PublicKeyNumbers(certificate: bytes) == nil)
            #expect(openSSLErrorQueueIsEmpty)
        }
        #expect(PublicKeyNumbers(certificate: der) == nil)
    }

    @Test func `a key of an unsupported curve has no numbers`() {
        // secp256k1, with its generator for a point.
        let der =
            "3056301006072a8648ce3d020106052b8104000a03420004"
            + "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
            + "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
        let digits = Array(der)
        let key = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...($0 + 1)]), radix: 16)
        }
        #expect(key.count == 88)
        #expect(PublicKeyNumbers(subjectPublicKeyInfo: key) == nil)
        #expect(openSSLErrorQueueIsEmpty)
    }
}
