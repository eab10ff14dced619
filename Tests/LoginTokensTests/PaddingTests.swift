// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// RFC 8017 §9.2: the padding of a signature is compared as a whole, and only one padding is valid.
///
/// With an exponent of 1 a signature equals the padded digest, so these tests can write any padding, as an attacker
/// would. Such keys are refused when they are read (T-051); here they go straight to libcrypto.
@Suite struct PaddingTests {
    private let key: PublicKey
    private static let message = Array("a message".utf8)
    private static let digest = Digest.sha256.hash(message)

    init() throws {
        key = try #require(PublicKey(modulus: Self.modulus, exponent: [1]))
    }

    /// A modulus of 2,048 bits, all of them set.
    private static let modulus = [UInt8](repeating: 0xFF, count: 256)

    /// DigestInfo for SHA-256 (RFC 8017 §9.2, note 1), without the digest.
    private static let prefix: [UInt8] = [
        0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04,
        0x20,
    ]

    /// Returns the EMSA-PKCS1-v1_5 encoding of `message` for a key of 2,048 bits.
    static func encoded(_ message: [UInt8]) -> [UInt8] {
        block(prefix + Digest.sha256.hash(message))
    }

    /// Returns the padding with `info`, filled to 256 bytes.
    private static func block(_ info: [UInt8], fill: UInt8 = 0xFF) -> [UInt8] {
        [0, 1] + [UInt8](repeating: fill, count: 253 - info.count) + [0] + info
    }

    private func accepts(_ signature: [UInt8]) -> Bool {
        key.isValidSignature(signature, of: Self.message, scheme: .pkcs1(.sha256))
    }

    @Test(.rule("T-070", "T-051"))
    func `only the correct padding is accepted, shown with a key that allows forgeries`() {
        #expect(accepts(Self.encoded(Self.message)))
        #expect(!accepts(Self.encoded(Self.message + [0])))
    }

    @Test(.rule("T-070"), arguments: 0..<256)
    func `a padding with one wrong bit in any byte is refused`(position: Int) {
        for bit in 0..<8 {
            var block = Self.encoded(Self.message)
            block[position] ^= 1 << bit
            #expect(!accepts(block))
        }
    }

    /// Each variation with its description.
    private static let variations: [(String, [UInt8])] = [
        ("without the NULL parameter", block(variant(parameters: []))),
        ("with a parameter of another type", block(variant(parameters: [0x04, 0x00]))),
        ("with a parameter that is not empty", block(variant(parameters: [0x05, 0x01, 0x00]))),
        ("with two NULLs", block(variant(parameters: [0x05, 0x00, 0x05, 0x00]))),
        ("with a NULL of a long length", block(variant(parameters: [0x05, 0x81, 0x00]))),
        ("the digest alone", block(digest)),
        ("the prefix without a digest", block(prefix)),
        (
            "the prefix of SHA-1",
            block(
                [0x30, 0x21, 0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00, 0x04, 0x14]
                    + digest.prefix(20)
            )
        ),
        ("the prefix of SHA-512", block(prefix.enumerated().map { $0 == 14 ? 3 : $1 } + digest)),
        ("a long length outside", block([0x30, 0x81, 0x31] + prefix.dropFirst(2) + digest)),
        ("an indefinite length", block([0x30, 0x80] + prefix.dropFirst(2) + digest + [0, 0])),
        ("bytes after the digest, inside", block([0x30, 0x33] + prefix.dropFirst(2) + digest + [0, 0])),
        ("bytes after the digest, outside", block(prefix + digest + [0, 0])),
        (
            "a short padding, the rest after it",
            [0, 1] + [UInt8](repeating: 0xFF, count: 8) + [0] + prefix + digest
                + [UInt8](repeating: 0, count: 194)
        ),
        ("block type 2", block(prefix + digest).enumerated().map { $0 == 1 ? 2 : $1 }),
        ("block type 0", block(prefix + digest, fill: 0).enumerated().map { $0 == 1 ? 0 : $1 }),
        ("padded with zeros", block(prefix + digest, fill: 0)),
        ("without the zero before the digest", [0, 1] + [UInt8](repeating: 0xFF, count: 203) + prefix + digest),
        ("two zeros before the digest", block([0] + prefix + digest)),
    ]

    /// Returns a DigestInfo with other algorithm parameters and correct lengths.
    private static func variant(parameters: [UInt8]) -> [UInt8] {
        let algorithm = prefix[4..<15] + parameters
        let inside = [0x30, UInt8(algorithm.count)] + algorithm + [0x04, 0x20] + digest
        return [0x30, UInt8(inside.count)] + inside
    }

    @Test(.rule("T-070"))
    func `any other padding is refused`() {
        #expect(Self.block(Self.variant(parameters: [0x05, 0x00])) == Self.encoded(Self.message))
        for (name, block) in Self.variations {
            #expect(block.count == 256, "\(name)")
            #expect(!accepts(block), "\(name)")
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-072"))
    func `a signature not below the modulus is refused, although its remainder is valid`() throws {
        // RFC 8017 §5.2.2 step 1. The signature plus this smaller modulus still has 256 bytes.
        let modulus = [0x80] + [UInt8](repeating: 0, count: 254) + [1]
        let key = try #require(PublicKey(modulus: modulus, exponent: [1]))
        let right = Self.encoded(Self.message)
        let beyond = BigNumber(bytes: right).plus(BigNumber(bytes: modulus)).bytes
        #expect(key.isValidSignature(right, of: Self.message, scheme: .pkcs1(.sha256)))
        #expect(beyond.count == 256 && !key.isValidSignature(beyond, of: Self.message, scheme: .pkcs1(.sha256)))
        #expect(!key.isValidSignature(modulus, of: Self.message, scheme: .pkcs1(.sha256)))
        #expect(openSSLErrorQueueIsEmpty)
    }

    // MARK: The longer digests

    /// Returns the bytes before the digest.
    ///
    /// One of them names the function: 1 for SHA-256, 2 for SHA-384, 3 for
    /// SHA-512.
    private static func prefix(_ digest: Digest, name: UInt8? = nil, parameters: [UInt8] = [0x05, 0x00]) -> [UInt8] {
        let own: UInt8 =
            switch digest {
            case .sha256: 1
            case .sha384: 2
            case .sha512: 3
            }
        let algorithm = [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, name ?? own] + parameters
        let inside = [0x30, UInt8(algorithm.count)] + algorithm + [0x04, UInt8(digest.byteCount)]
        return [0x30, UInt8(inside.count + digest.byteCount)] + inside
    }

    private func accepts(_ signature: [UInt8], _ digest: Digest) -> Bool {
        let valid = key.isValidSignature(signature, of: Self.message, scheme: .pkcs1(digest))
        #expect(openSSLErrorQueueIsEmpty)
        return valid
    }

    @Test(.rule("T-070"), arguments: Digest.allCases)
    func `each digest has one valid padding, which is invalid for other digests`(digest: Digest) {
        let hash = digest.hash(Self.message)
        let right = Self.block(Self.prefix(digest) + hash)
        if digest.byteCount == 32 { #expect(right == Self.encoded(Self.message)) }
        for other in Digest.allCases { #expect(accepts(right, other) == (other.byteCount == digest.byteCount)) }
        for place in right.indices {
            for bit in [0x01, 0x80] as [UInt8] {
                var block = right
                block[place] ^= bit
                #expect(!accepts(block, digest), "byte \(place)")
            }
        }
    }

    @Test(.rule("T-070"), arguments: Digest.allCases)
    func `any other padding is refused for each digest`(digest: Digest) {
        let hash = digest.hash(Self.message)
        let prefix = Self.prefix(digest)
        // 8, 9 and 10 are SHA-3 with digests of the same lengths.
        let names: [UInt8] = [1, 2, 3, 4, 5, 6, 8, 9, 10].filter { $0 != prefix[14] }
        let others =
            names.map { Self.prefix(digest, name: $0) + hash } + [
                Self.prefix(digest, parameters: []) + hash, Self.prefix(digest, parameters: [0x30, 0x00]) + hash,
                Self.prefix(digest, parameters: [0x05, 0x81, 0x00]) + hash, hash, prefix, prefix + hash + [0],
                prefix + hash.dropLast(), prefix.dropLast() + [0] + hash,
                [0x30, 0x80] + prefix.dropFirst(2) + hash + [0, 0],
                [0x30, 0x81] + prefix.dropFirst() + hash,
            ]
        for other in others { #expect(!accepts(Self.block(other), digest), "\(other.count) bytes") }
        #expect(!accepts(Self.block(prefix + hash, fill: 0), digest))
        let short = [0, 1] + [UInt8](repeating: 0xFF, count: 8) + [0] + prefix + hash
        #expect(!accepts(short + [UInt8](repeating: 0, count: 256 - short.count), digest))
        #expect(accepts(Self.block(prefix + hash), digest))
    }
}
