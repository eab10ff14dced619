// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import Testing

/// Private keys in DER (RFC 5958 §2), written and read.
@Suite struct PrivateKeyTests {
    private static let keys: [(key: PrivateKey, scheme: SignatureScheme)] = [
        (PrivateKey(rsaBits: 2048), .pkcs1(.sha256)), (PrivateKey(curve: .p256), .ecdsa(.sha256)),
        (PrivateKey(curve: .p384), .ecdsa(.sha384)), (PrivateKey(curve: .p521), .ecdsa(.sha512)),
        (PrivateKey.ed25519(), .ed25519),
    ]

    @Test(arguments: keys)
    func `a key that was written and read signs for the same public key`(key: PrivateKey, scheme: SignatureScheme)
        throws
    {
        let der = try #require(key.privateKeyInfo)
        let read = try #require(PrivateKey(der: der))
        let message = Array("message".utf8)
        let signature = read.signature(of: message, scheme: scheme)
        #expect(key.publicKey.isValidSignature(signature, of: message, scheme: scheme))
        #expect(read.publicKey.isValidSignature(signature, of: message, scheme: scheme))
        #expect(read.privateKeyInfo == der)
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(arguments: keys)
    func `a truncated or extended key is not read, and leaves no error in the queue`(
        key: PrivateKey,
        scheme: SignatureScheme
    ) throws {
        let der = try #require(key.privateKeyInfo)
        for bytes in [[], Array(der.dropLast()), der + [0], Array(der.dropFirst())] {
            #expect(PrivateKey(der: bytes) == nil)
            #expect(openSSLErrorQueueIsEmpty)
        }
    }

    @Test func `a public key is not read as a private one`() throws {
        for (key, _) in Self.keys {
            #expect(PrivateKey(der: try #require(key.publicKey.subjectPublicKeyInfo)) == nil)
        }
    }

    /// The structure of a P-256 key ends with the point of its public half.
    @Test func `a key whose halves do not belong together is not read`() throws {
        let key = try #require(PrivateKey(curve: .p256).privateKeyInfo)
        let other = try #require(PrivateKey(curve: .p256).privateKeyInfo)
        #expect(PrivateKey(der: Array(key.dropLast(64)) + other.suffix(64)) == nil)
        #expect(PrivateKey(der: Array(key.dropLast(64)) + key.suffix(64)) != nil)
        #expect(openSSLErrorQueueIsEmpty)
    }
}
