// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import TestSupport
internal import Testing

/// Every signature scheme, with every type of key.
@Suite struct SchemeTests {
    enum KeyType: String, CaseIterable, Sendable {
        case rsa, p256, p384, p521, ed25519
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let scheme: SignatureScheme
        let keyTypes: [KeyType]

        init(_ name: String, _ scheme: SignatureScheme, _ keyTypes: [KeyType]) {
            (testDescription, self.scheme, self.keyTypes) = (name, scheme, keyTypes)
        }
    }

    static let rows: [Row] =
        Digest.allCases.flatMap { digest in
            [
                Row("PKCS #1, \(digest)", .pkcs1(digest), [.rsa]), Row("PSS, \(digest)", .pss(digest), [.rsa]),
                Row("ECDSA, \(digest)", .ecdsa(digest), [.p256, .p384, .p521]),
            ]
        } + [Row("Ed25519", .ed25519, [.ed25519])]

    private static func generate(_ type: KeyType) -> PrivateKey {
        switch type {
        case .rsa: PrivateKey(rsaBits: 1536)
        case .p256: PrivateKey(curve: .p256)
        case .p384: PrivateKey(curve: .p384)
        case .p521: PrivateKey(curve: .p521)
        case .ed25519: PrivateKey.ed25519()
        }
    }

    private static let keys = Dictionary(uniqueKeysWithValues: KeyType.allCases.map { ($0, generate($0)) })
    private static let others = Dictionary(uniqueKeysWithValues: KeyType.allCases.map { ($0, generate($0)) })
    private let message = Array("a message".utf8)

    /// Returns the public key, imported from its numbers.
    private func imported(_ key: PrivateKey) -> PublicKey? {
        switch key.numbers {
        case .rsa(let modulus, let exponent): PublicKey(modulus: modulus, exponent: exponent)
        case .ec(let curve, let x, let y): PublicKey(curve: curve, x: x, y: y)
        case .ed25519(let point): PublicKey(ed25519: point)
        }
    }

    @Test(.rule("T-071", "T-075"), arguments: rows)
    func `the public key verifies what the private key signs, directly and after an import`(row: Row) throws {
        for type in row.keyTypes {
            let key = try #require(Self.keys[type])
            for message in [message, [], [UInt8](repeating: 0, count: 100_000)] {
                let signature = key.signature(of: message, scheme: row.scheme)
                for publicKey in [key.publicKey, try #require(imported(key))] {
                    #expect(signature.count == publicKey.signatureByteCount)
                    #expect(publicKey.isValidSignature(signature, of: message, scheme: row.scheme))
                }
            }
        }
        #expect(openSSLErrorQueueIsEmpty)
    }

    @Test(.rule("T-071", "T-075"), arguments: rows)
    func `another message, another signature and another key are refused`(row: Row) throws {
        for type in row.keyTypes {
            let (key, other) = (try #require(Self.keys[type]), try #require(Self.others[type]))
            let signature = key.signature(of: message, scheme: row.scheme)
            func accepts(_ signature: [UInt8], _ message: [UInt8], by key: PrivateKey) -> Bool {
                let valid = key.publicKey.isValidSignature(signature, of: message, scheme: row.scheme)
                #expect(openSSLErrorQueueIsEmpty)
                return valid
            }
            #expect(accepts(signature, message, by: key))
            #expect(!accepts(signature, message, by: other))
            #expect(!accepts(other.signature(of: message, scheme: row.scheme), message, by: key))
            for message in [message + [0], message.dropLast(), [], Array("A message".utf8)] {
                #expect(!accepts(signature, message, by: key))
            }
            for place in signature.indices {
                var changed = signature
                changed[place] ^= 0x01
                #expect(!accepts(changed, message, by: key))
            }
            for byte in [0x00, 0x01, 0x7F, 0xFF] as [UInt8] {
                #expect(!accepts([UInt8](repeating: byte, count: signature.count), message, by: key))
            }
        }
    }

    /// OpenSSL chooses a hash function if none is given: without our own check an RSA key would verify PKCS #1 under
    /// the name of Ed25519.
    @Test(.rule("T-030", "T-075"), arguments: rows)
    func `a signature of one scheme is invalid for another, with any key type`(row: Row) throws {
        for type in row.keyTypes {
            let key = try #require(Self.keys[type])
            let signature = key.signature(of: message, scheme: row.scheme)
            for other in Self.rows {
                let valid = key.publicKey.isValidSignature(signature, of: message, scheme: other.scheme)
                #expect(valid == (other.testDescription == row.testDescription), "\(other.testDescription)")
                #expect(openSSLErrorQueueIsEmpty)
            }
        }
    }

    @Test(.rule("T-075"), arguments: rows)
    func `a key of another type verifies nothing and causes no trap`(row: Row) throws {
        for type in KeyType.allCases where !row.keyTypes.contains(type) {
            let key = try #require(Self.keys[type]).publicKey
            let attempts =
                [0x00, 0x01, 0x30, 0xFF].map { [UInt8](repeating: $0, count: key.signatureByteCount) } + [[]]
            for attempt in attempts {
                #expect(!key.isValidSignature(attempt, of: message, scheme: row.scheme), "\(type)")
                #expect(openSSLErrorQueueIsEmpty)
            }
        }
    }
}
