// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Testing

@testable internal import LoginCrypto

/// AES-256-GCM by the vectors of its specification, and ciphertexts that cannot be decrypted.
@Suite struct SealingKeyTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let key: String
        let nonce: String
        let context: String
        let text: String
        let sealed: String

        var testDescription: String { "test case \(number)" }
    }

    /// "The Galois/Counter Mode of Operation", McGrew and Viega, appendix B: the vectors with 256-bit keys and 96-bit
    /// nonces.
    static let examples = [
        Example(
            number: 13,
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            context: "",
            text: "",
            sealed: "530f8afbc74536b9a963b4f1c4cb738b"
        ),
        Example(
            number: 14,
            key: String(repeating: "00", count: 32),
            nonce: String(repeating: "00", count: 12),
            context: "",
            text: String(repeating: "00", count: 16),
            sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
        ),
        Example(
            number: 16,
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            context: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            text:
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            sealed:
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        ),
    ]

    private static let key = SealingKey(Array(0..<32))
    private static let context = Array("attempt 1".utf8)
    private static let text = Array("what nobody else may read".utf8)

    @Test(arguments: examples)
    func `the vectors of the specification are encrypted and decrypted`(example: Example) {
        let key = SealingKey(bytes(example.key))
        let (nonce, context) = (bytes(example.nonce), bytes(example.context))
        let sealed = key.seal(bytes(example.text), context: context, nonce: nonce)
        #expect(hexadecimal(sealed) == example.nonce + example.sealed)
        #expect(key.open(bytes(example.nonce + example.sealed), context: context) == bytes(example.text))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096])
    func `encrypted data decrypts, and each encryption is different`(count: Int) {
        let text = (0..<count).map { UInt8($0 & 0xFF) }
        let sealed = Self.key.seal(text, context: Self.context)
        #expect(sealed.count == count + SealingKey.overhead)
        #expect(Self.key.open(sealed, context: Self.context) == text)
        #expect(Self.key.seal(text, context: Self.context) != sealed)
    }

    @Test func `data with one flipped bit does not decrypt`() {
        let sealed = Self.key.seal(Self.text, context: Self.context)
        for place in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[place] ^= 1 << UInt8(bit)
                #expect(Self.key.open(changed, context: Self.context) == nil)
            }
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test func `data does not decrypt with another context or another key`() {
        let sealed = Self.key.seal(Self.text, context: Self.context)
        #expect(Self.key.open(sealed, context: Array("attempt 2".utf8)) == nil)
        #expect(Self.key.open(sealed, context: []) == nil)
        #expect(SealingKey(Array(1...32)).open(sealed, context: Self.context) == nil)
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test func `data that is truncated, extended or too short does not decrypt`() {
        let sealed = Self.key.seal(Self.text, context: Self.context)
        for count in 0..<sealed.count {
            #expect(Self.key.open(Array(sealed.prefix(count)), context: Self.context) == nil)
        }
        #expect(Self.key.open(sealed + [0], context: Self.context) == nil)
        #expect(Self.key.open([], context: []) == nil)
        let huge = [UInt8](repeating: 0, count: 2 << 20)
        #expect(Self.key.open(huge, context: []) == nil)
        #expect(Self.key.open(sealed, context: huge) == nil)
    }

    @Test func `no text shows the key`() {
        #expect("\(Self.key)" == "key to seal with")
        #expect(String(reflecting: Self.key) == "key to seal with")
        #expect(Mirror(reflecting: Self.key).children.isEmpty)
    }
}
