// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// A public key as providers publish it (RFC 7517), checked when read, and never changed after.
///
/// A value of this type can be used: whatever makes a key unfit is found when it is read, and thrown as ``UnusableKey``.
/// The key decides the algorithm. A token's header only says which of the key's algorithms it claims, and the policy
/// which of them are allowed.
public struct JSONWebKey: Sendable {
    /// The key ID, `kid`.
    ///
    /// Opaque: compare it, and do nothing else with it.
    public var keyID: String? { storage.keyID }

    /// The key type, `kty`: `RSA`, `EC` or `OKP`.
    public var type: String { storage.type }

    /// The curve, `crv`, of a key that has one: `P-256`, `P-384`, `P-521` or `Ed25519`.
    public var curve: String? { storage.curve }

    /// The length in bits: of the RSA modulus, or of the curve's coordinates.
    public var bits: Int { storage.bits }

    /// What this key can verify: the algorithms of its type, or the one it names in `alg`.
    public var algorithms: Set<SignatureAlgorithm> { storage.algorithms }

    /// The SHA-256 thumbprint (RFC 7638) in base64url: what identifies a key whatever its ID.
    public var thumbprint: String { storage.thumbprint }

    /// Whose tokens it is for, `issuer`: a member of Microsoft's, which others do not have.
    var issuer: String? { storage.issuer }

    /// What all copies of a key share, which are many: each token is verified with one.
    private final class Storage: Sendable {
        let keyID: String?
        let type: String
        let curve: String?
        let bits: Int
        let algorithms: Set<SignatureAlgorithm>
        let thumbprint: String
        let issuer: String?

        /// For each of the algorithms what verifies by it, at the same index.
        let verifiers: [SignatureVerifier]
        let verifiable: [SignatureAlgorithm]

        init(_ reader: JSONWebKeyReader, _ material: KeyMaterial, algorithms: Set<SignatureAlgorithm>) {
            self.keyID = reader.keyID
            self.type = material.type
            self.curve = material.curve
            self.bits = material.bits
            self.algorithms = algorithms
            self.thumbprint = material.thumbprint
            self.issuer = reader.issuer
            let verifiers = algorithms.compactMap { algorithm in
                SignatureVerifier(material.publicKey, scheme: algorithm.scheme).map { (algorithm, $0) }
            }
            self.verifiers = verifiers.map(\.1)
            self.verifiable = verifiers.map(\.0)
        }
    }

    private let storage: Storage

    /// Reads one key.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517, in UTF-8.
    ///   - allowPublishedTestKeys: Whether a key will do whose private half everybody can read, as that of the examples
    ///     in standards. For tests only: whoever can read the example can sign.
    /// - Throws: ``UnusableKey``, which names the reason.
    public init(json: some Collection<UInt8>, allowPublishedTestKeys: Bool = false) throws(UnusableKey) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument.read(Array(json), limits: .keySet).root
        } catch {
            throw UnusableKey(.malformed, "not strict JSON: \(error)", keyID: nil)
        }
        try self.init(value, allowPublishedTestKeys: allowPublishedTestKeys)
    }

    package init(_ value: JSONValue, allowPublishedTestKeys: Bool = false) throws(UnusableKey) {
        var reader = JSONWebKeyReader(value)
        try reader.readKeyID()
        try reader.refusePrivateMembers()
        try reader.checkUse()
        let material = try reader.readMaterial()
        let algorithms = try reader.narrow(material.algorithms)
        try reader.checkCertificate(of: material.publicKey)
        self.storage = Storage(reader, material, algorithms: algorithms)
        if !allowPublishedTestKeys, let origin = PublishedKeys.origin(thumbprint: thumbprint) {
            throw reader.unusable(.published, "its private half is published (\(origin)): anybody can sign with it")
        }
    }

    /// Whether this is its ID.
    func isNamed(_ name: String) -> Bool {
        storage.keyID.map { isEqual($0, name) } ?? false
    }

    /// Whether the key can verify by `algorithm`.
    func canVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        storage.verifiable.firstIndex(of: algorithm).map { storage.verifiers[$0].isUsable } ?? false
    }

    /// Whether `signature` is this key's, of `message`, by `algorithm`.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        isValidSignature(signature, of: message.span, algorithm: algorithm)
    }

    /// Whether `signature` is this key's, of `message`, by `algorithm`.
    func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>, algorithm: SignatureAlgorithm) -> Bool {
        guard let index = storage.verifiable.firstIndex(of: algorithm) else { return false }
        return storage.verifiers[index].isValidSignature(signature, of: message)
    }
}

extension JSONWebKey: CustomStringConvertible {
    /// Its type and its size, for example `RSA, 2048 bits` or `EC, P-256`.
    public var description: String { curve.map { "\(type), \($0)" } ?? "\(type), \(bits) bits" }
}

/// Why a published key cannot be used.
public struct UnusableKey: Error, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `weak`.
        public let rawValue: String

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// It is no JSON object, or a member is missing, has the wrong type, is not canonical, or contradicts another.
        public static let malformed = Self(rawValue: "malformed")
        /// Its type, `kty`, or its curve, `crv`, is not one we know.
        public static let keyType = Self(rawValue: "key-type")
        /// It is meant for something else (`use`, `key_ops`).
        public static let use = Self(rawValue: "use")
        /// The algorithm it names is not one we know, or not one of its type and curve.
        public static let algorithm = Self(rawValue: "algorithm")
        /// Its numbers make it weak, or slow beyond reason.
        public static let weak = Self(rawValue: "weak")
        /// It shows its private half: whoever can read it can sign.
        public static let privateKey = Self(rawValue: "private-key")
        /// Its private half stands in a publication: a standard, a web page, or this package's test vectors.
        public static let published = Self(rawValue: "published")
    }

    /// The kind of reason.
    public let reason: Reason

    /// The key's ID, where it has one.
    public let keyID: String?

    /// What was seen, in a few words.
    package let detail: String

    init(_ reason: Reason, _ detail: String, keyID: String?) {
        self.reason = reason
        self.detail = detail
        self.keyID = keyID
    }

    /// The reason and what was seen.
    ///
    /// It shows nothing of the key but its ID.
    public var description: String {
        "key \(keyID.map { quoted($0) } ?? "without an ID") is unusable: \(reason.rawValue): \(detail)"
    }
}
