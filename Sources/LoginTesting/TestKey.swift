// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginCrypto
internal import LoginText
public import LoginTokens

/// A key pair for tests, which signs and provides its public key as a JSON Web Key.
public struct TestKey: Sendable {
    /// The key ID, 40 lower-case hexadecimal digits like Facebook's.
    public let keyID: String

    /// The signature algorithm, also the `alg` of the JSON Web Key.
    public let algorithm: SignatureAlgorithm

    private let privateKey: PrivateKey

    /// Generates a key pair.
    ///
    /// - Parameters:
    ///   - algorithm: The signature algorithm.
    ///   - bits: The length of an RSA modulus, 512 to 8192 bits; ignored for other keys. Keys below 2,048 bits are for
    ///     tests of their refusal; the shortest cannot sign with the longest digests.
    public init(_ algorithm: SignatureAlgorithm = .rs256, bits: Int = 2048) {
        let privateKey =
            switch algorithm {
            case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: PrivateKey(rsaBits: bits)
            case .es256: PrivateKey(curve: .p256)
            case .es384: PrivateKey(curve: .p384)
            case .es512: PrivateKey(curve: .p521)
            case .edDSA, .ed25519: PrivateKey.ed25519()
            }
        self.init(privateKey: privateKey, algorithm: algorithm)
    }

    /// Creates a key pair from a private key.
    ///
    /// - Parameters:
    ///   - privateKey: The private key.
    ///   - algorithm: An algorithm of the key's type.
    package init(privateKey: PrivateKey, algorithm: SignatureAlgorithm) {
        let identity =
            switch privateKey.numbers {
            case .rsa(let modulus, _): modulus
            case .ec(_, let x, let y): x + y
            case .ed25519(let point): point
            }
        self.keyID = hexadecimal(Digest.sha256.hash(identity).prefix(20))
        self.algorithm = algorithm
        self.privateKey = privateKey
    }

    /// An RSA key shared by all tests of a process, because generating a key takes a tenth of a second.
    public static let shared = TestKey()

    /// A second shared RSA key, for tests that need two.
    public static let another = TestKey()

    /// Returns the same key pair with another algorithm of its type.
    ///
    /// - Parameter algorithm: For an RSA key any RS or PS algorithm; for an Ed25519 key either of its names.
    /// - Returns: The key, with the same ID.
    public func using(_ algorithm: SignatureAlgorithm) -> TestKey {
        TestKey(privateKey: privateKey, algorithm: algorithm)
    }

    /// The public key as a JSON Web Key.
    ///
    /// Modify its members to get an invalid key.
    public var json: TestJSON {
        var json: TestJSON = ["use": "sig", "alg": .string(algorithm.rawValue), "kid": .string(keyID)]
        switch privateKey.numbers {
        case .rsa(let modulus, let exponent):
            json["kty"] = "RSA"
            json["n"] = .string(Base64URL.encode(modulus))
            json["e"] = .string(Base64URL.encode(exponent))
        case .ec(let curve, let x, let y):
            json["kty"] = "EC"
            json["crv"] = .string(curve.rawValue)
            json["x"] = .string(Base64URL.encode(x))
            json["y"] = .string(Base64URL.encode(y))
        case .ed25519(let point):
            json["kty"] = "OKP"
            json["crv"] = "Ed25519"
            json["x"] = .string(Base64URL.encode(point))
        }
        return json
    }

    /// Returns the public key for verification.
    ///
    /// - Throws: `UnusableKey` if the key is too weak.
    public func publicKey() throws(UnusableKey) -> JSONWebKey {
        try JSONWebKey(json: json.text)
    }

    /// Signs a message with the key's algorithm.
    public func signature(of message: [UInt8]) -> [UInt8] {
        privateKey.signature(of: message, scheme: algorithm.scheme)
    }
}
