// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// RFC 8017 §9.1: the padding of RSASSA-PSS, with the parameters that RFC 7518 §3.5 prescribes and no others.
///
/// With an exponent of 1 a signature equals the padded digest, so these tests can write any padding. Such keys are
/// refused when they are read (T-051); here they go straight to libcrypto.
@Suite struct PSSPaddingTests {
    private static let message = Array("a message".utf8)

    /// Returns a key of this size, with all bits set, whose signatures are the padding.
    private func key(bits: Int = 2048) throws -> PublicKey {
        let whole = [UInt8](repeating: 0xFF, count: bits / 8)
        let modulus = bits % 8 == 0 ? whole : [UInt8((1 << (bits % 8)) - 1)] + whole
        return try #require(PublicKey(modulus: modulus, exponent: [1]))
    }

    private func accepts(_ signature: [UInt8], _ digest: Digest) throws -> Bool {
        let valid = try key().isValidSignature(signature, of: Self.message, scheme: .pss(digest))
        #expect(openSSLErrorQueueIsEmpty)
        return valid
    }

    /// The parts of EMSA-PSS; the defaults are valid for a key of 2,048 bits.
    private struct Encoding {
        var digest: Digest
        var salt: [UInt8]
        var mask: Digest
        var message = PSSPaddingTests.message
        var bits = 2047
        var trailer: UInt8 = 0xBC
        var separator: UInt8 = 1
        /// The byte in place of the first zero.
        var firstFill: UInt8 = 0

        init(_ digest: Digest) {
            self.digest = digest
            salt = (0..<digest.byteCount).map { UInt8($0) }
            mask = digest
        }

        /// RFC 8017 §9.1.1, steps 5 to 12.
        var block: [UInt8] {
            let length = (bits + 7) / 8
            let hash = digest.hash([UInt8](repeating: 0, count: 8) + digest.hash(message) + salt)
            var fill = [UInt8](repeating: 0, count: length - salt.count - hash.count - 2)
            if !fill.isEmpty { fill[0] = firstFill }
            let data = fill + [separator] + salt
            var masked = zip(data, Self.mask(hash, count: data.count, mask)).map { $0 ^ $1 }
            masked[0] &= 0xFF >> (8 * length - bits)
            return masked + hash + [trailer]
        }

        /// MGF1, RFC 8017 appendix B.2.1.
        private static func mask(_ seed: [UInt8], count: Int, _ digest: Digest) -> [UInt8] {
            var mask: [UInt8] = []
            var counter: UInt8 = 0
            while mask.count < count {
                mask += digest.hash(seed + [0, 0, 0, counter])
                counter += 1
            }
            return Array(mask.prefix(count))
        }
    }

    @Test(.rule("T-077"), arguments: Digest.allCases)
    func `a correct padding is accepted with any salt`(digest: Digest) throws {
        var encoding = Encoding(digest)
        #expect(try accepts(encoding.block, digest))
        for byte in [0x00, 0x01, 0xFF] as [UInt8] {
            encoding.salt = [UInt8](repeating: byte, count: digest.byteCount)
            #expect(try accepts(encoding.block, digest))
        }
        encoding.message.append(0)
        #expect(try !accepts(encoding.block, digest))
    }

    @Test(.rule("T-077"), arguments: Digest.allCases)
    func `the salt has exactly the length of the digest`(digest: Digest) throws {
        // The longest salt that fits leaves no zero before the byte that ends the padding.
        let longest = 256 - digest.byteCount - 2
        for count in [0, 1, 8, 20, digest.byteCount - 1, digest.byteCount + 1, 2 * digest.byteCount, longest] {
            var encoding = Encoding(digest)
            encoding.salt = [UInt8](repeating: 7, count: count)
            #expect(encoding.block.count == 256)
            #expect(try !accepts(encoding.block, digest), "\(count) bytes")
        }
        for other in Digest.allCases where other.byteCount != digest.byteCount {
            var encoding = Encoding(digest)
            encoding.salt = [UInt8](repeating: 7, count: other.byteCount)
            #expect(try !accepts(encoding.block, digest), "\(other)")
        }
    }

    @Test(.rule("T-078"), arguments: Digest.allCases)
    func `the mask is generated with the digest of the message only`(digest: Digest) throws {
        for other in Digest.allCases {
            var encoding = Encoding(digest)
            encoding.mask = other
            #expect(try accepts(encoding.block, digest) == (other == digest), "\(other)")
        }
    }

    @Test(.rule("T-078"), arguments: Digest.allCases)
    func `a padding for one digest is invalid for another`(digest: Digest) throws {
        for other in Digest.allCases {
            #expect(try accepts(Encoding(digest).block, other) == (other == digest), "\(other)")
        }
    }

    @Test(.rule("T-077"), arguments: Digest.allCases)
    func `every other part of the padding is compared`(digest: Digest) throws {
        for trailer in [0x00, 0xBB, 0xBD, 0xCC, 0xFF] as [UInt8] {
            var encoding = Encoding(digest)
            encoding.trailer = trailer
            #expect(try !accepts(encoding.block, digest), "trailer \(trailer)")
        }
        for separator in [0x00, 0x02, 0x81, 0xFF] as [UInt8] {
            var encoding = Encoding(digest)
            encoding.separator = separator
            #expect(try !accepts(encoding.block, digest), "separator \(separator)")
        }
        for fill in [0x01, 0x40, 0x7F] as [UInt8] {
            var encoding = Encoding(digest)
            encoding.firstFill = fill
            #expect(try !accepts(encoding.block, digest), "fill \(fill)")
        }
    }

    @Test(.rule("T-077"))
    func `a padding with one wrong bit in any byte is refused`() throws {
        let key = try key()
        let right = Encoding(.sha256).block
        for place in right.indices {
            for bit in [0x01, 0x80] as [UInt8] {
                var block = right
                block[place] ^= bit
                #expect(!key.isValidSignature(block, of: Self.message, scheme: .pss(.sha256)), "byte \(place)")
            }
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    /// The padding is one bit shorter than the modulus: with such a key, one byte shorter than the signature.
    @Test(.rule("T-073", "T-077"))
    func `a modulus of 2049 bits has exactly one zero byte before the padding`() throws {
        let key = try key(bits: 2049)
        #expect(key.signatureByteCount == 257)
        var encoding = Encoding(.sha256)
        encoding.bits = 2048
        let block = encoding.block
        #expect(block.count == 256)
        #expect(key.isValidSignature([0] + block, of: Self.message, scheme: .pss(.sha256)))
        #expect(!key.isValidSignature([1] + block, of: Self.message, scheme: .pss(.sha256)))
        #expect(!key.isValidSignature(block, of: Self.message, scheme: .pss(.sha256)))
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-077"))
    func `a padding for PSS is invalid for PKCS #1 v1.5`() throws {
        #expect(try !key().isValidSignature(Encoding(.sha256).block, of: Self.message, scheme: .pkcs1(.sha256)))
        #expect(openSSLErrorQueueIsEmpty)
    }
}
