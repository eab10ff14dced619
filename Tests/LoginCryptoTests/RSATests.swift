// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// Signing and verifying with RSA, and the state of OpenSSL afterwards.
@Suite struct RSATests {
    private static let privateKey = PrivateKey(rsaBits: 2048)
    private static let message = Array("a message".utf8)
    private static let signature = privateKey.signature(of: message, scheme: .pkcs1(.sha256))

    private let privateKey = Self.privateKey
    private let message = Self.message
    private let signature = Self.signature

    private func imported() throws -> PublicKey {
        try #require(PublicKey(modulus: privateKey.modulus, exponent: privateKey.exponent))
    }

    @Test(.rule("T-071"))
    func `the public key verifies what the private key signs, directly and after an import`() throws {
        for key in [privateKey.publicKey, try imported()] {
            #expect(key.signatureByteCount == 256)
            #expect(key.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256)))
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-071"))
    func `another message, another signature and another key are refused`() throws {
        let key = try imported()
        #expect(!key.isValidSignature(signature, of: message + [0], scheme: .pkcs1(.sha256)))
        #expect(!key.isValidSignature(signature, of: message.dropLast(), scheme: .pkcs1(.sha256)))
        #expect(!key.isValidSignature(signature, of: [], scheme: .pkcs1(.sha256)))
        for position in signature.indices {
            var other = signature
            other[position] ^= 1
            #expect(!key.isValidSignature(other, of: message, scheme: .pkcs1(.sha256)))
        }
        #expect(!PrivateKey(rsaBits: 1024).publicKey.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256)))
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-071"))
    func `an empty message can be signed`() throws {
        let signature = privateKey.signature(of: [], scheme: .pkcs1(.sha256))
        #expect(try imported().isValidSignature(signature, of: [], scheme: .pkcs1(.sha256)))
        #expect(try !imported().isValidSignature(signature, of: [0], scheme: .pkcs1(.sha256)))
    }

    @Test(.rule("T-073"))
    func `a signature of another length is refused`() throws {
        let key = try imported()
        let others: [[UInt8]] = [
            [], [0], [0] + signature, signature + [0], Array(signature.dropFirst()), signature.dropLast(),
            signature + signature,
        ]
        for other in others {
            #expect(!key.isValidSignature(other, of: message, scheme: .pkcs1(.sha256)), "\(other.count)")
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-075"), arguments: [0x00, 0x01, 0x7F, 0xFF] as [UInt8])
    func `a signature that OpenSSL cannot process is refused, and leaves the error queue empty`(byte: UInt8) throws {
        let key = try imported()
        #expect(!key.isValidSignature([UInt8](repeating: byte, count: 256), of: message, scheme: .pkcs1(.sha256)))
        #expect(openSSLErrorQueueIsEmpty)
        #expect(key.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256)))
    }

    @Test(.rule("T-075"))
    func `numbers that are not a key are refused, or verify nothing`() {
        let numbers: [[UInt8]] = [
            [], [0], [1], [2], [0xFF], [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 2049),
        ]
        for modulus in numbers {
            for exponent in numbers {
                let key = PublicKey(modulus: modulus, exponent: exponent)
                let empty = key.map { [UInt8](repeating: 0, count: $0.signatureByteCount) } ?? []
                for attempt in [empty, signature] {
                    #expect(key?.isValidSignature(attempt, of: message, scheme: .pkcs1(.sha256)) != true)
                }
                #expect(openSSLErrorQueueIsEmpty)
            }
        }
    }

    @Test(.rule("T-051", "T-055"))
    func `a key with an even modulus or exponent verifies nothing`() throws {
        var even = privateKey.modulus
        even[255] &= 0xFE
        for (modulus, exponent) in [(even, [1, 0, 1]), (privateKey.modulus, [2]), (privateKey.modulus, [0])]
            as [([UInt8], [UInt8])]
        {
            let key = PublicKey(modulus: modulus, exponent: exponent)
            #expect(key?.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256)) != true)
            #expect(openSSLErrorQueueIsEmpty)
        }
    }

    @Test(.rule("T-050"), arguments: [512, 1024, 3072])
    func `a generated key has the requested size and the usual exponent`(bits: Int) {
        let key = PrivateKey(rsaBits: bits)
        #expect(key.modulus.count == bits / 8 && key.modulus[0] & 0x80 != 0)
        #expect(key.exponent == [1, 0, 1])
        #expect(key.publicKey.signatureByteCount == bits / 8)
        let signature = key.signature(of: message, scheme: .pkcs1(.sha256))
        #expect(
            signature.count == bits / 8
                && key.publicKey.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256))
        )
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test func `the loaded libcrypto is version 3`() {
        #expect(openSSLVersion.hasPrefix("OpenSSL 3"))
    }

    @Test(.rule("T-068"))
    func `a key can be released while copies of it are in use`() async throws {
        let signature = signature
        let message = message
        var key: PublicKey? = try imported()
        let copies = Array(repeating: try #require(key), count: 64)
        key = nil
        await withTaskGroup { group in
            for copy in copies {
                group.addTask { #expect(copy.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256))) }
            }
        }
        #expect(key == nil)
    }

    /// Swift may retain an empty optional, and OpenSSL crashes when asked to retain a null pointer.
    @Test(.rule("T-068"))
    func `an optional key without a value can be copied and released`() {
        let absent = PublicKey(ed25519: [])
        let copies = [absent, absent] + Array(repeating: absent, count: 8)
        #expect(copies.allSatisfy { ($0 ?? absent) == nil })
        var held: [PublicKey?] = [absent, privateKey.publicKey]
        held.swapAt(0, 1)
        #expect((held[1] ?? held[0])?.isValidSignature(signature, of: message, scheme: .pkcs1(.sha256)) == true)
    }
}
