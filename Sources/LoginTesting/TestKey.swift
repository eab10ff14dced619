// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// An RSA key pair for tests: it signs, and shows its public half as a JSON Web Key.
public struct TestKey: Sendable {
    /// The key ID, 40 lower-case hexadecimal digits like Facebook's.
    public let keyID: String

    private let privateKey: RSAPrivateKey

    /// Generates a key.
    ///
    /// - Parameter bits: 512 … 8192. Keys below 2,048 bits are for tests that want them refused.
    public init(bits: Int = 2048) {
        privateKey = RSAPrivateKey(bits: bits)
        keyID = hexadecimal(Digest.sha256.hash(privateKey.modulus).prefix(20))
    }

    /// One key for all tests of a process: generating takes a tenth of a second.
    public static let shared = TestKey()

    /// Another such key, for tests that need two.
    public static let another = TestKey()

    /// The public half as a JSON Web Key.
    ///
    /// Change its members for a key that is wrong.
    public var json: TestJSON {
        [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(keyID),
            "n": .string(Base64URL.encode(privateKey.modulus)), "e": .string(Base64URL.encode(privateKey.exponent)),
        ]
    }

    /// The public half, ready to verify with.
    ///
    /// - Throws: `UnusableKey` if the key is too weak.
    public func publicKey() throws(UnusableKey) -> JSONWebKey {
        try JSONWebKey(json: json.text.utf8)
    }

    /// Signs with RS256.
    public func signature(of message: [UInt8]) -> [UInt8] {
        privateKey.signature(of: message, digest: .sha256)
    }
}
