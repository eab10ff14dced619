// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginCrypto
internal import LoginText

/// A public key as published by a provider (RFC 7517), validated on parsing and immutable.
///
/// Every value of this type is usable: all defects are found during parsing, and thrown as ``UnusableKey``. The key
/// determines the algorithm. The token's header only claims one of the key's algorithms, and the policy determines
/// which of them are allowed.
public struct JSONWebKey: Sendable {
    /// The key ID, `kid`.
    ///
    /// It is opaque: only compare it.
    public var keyID: String? { storage.keyID }

    /// The key type, `kty`: `RSA`, `EC` or `OKP`.
    public var type: String { storage.type }

    /// The curve, `crv`: `P-256`, `P-384`, `P-521` or `Ed25519`; nil for RSA.
    public var curve: String? { storage.curve }

    /// The size in bits: of the RSA modulus, or of the curve's coordinates.
    public var bits: Int { storage.bits }

    /// The algorithms that this key can verify: those of its type, or the one it names in `alg`.
    public var algorithms: Set<SignatureAlgorithm> { storage.algorithms }

    /// The SHA-256 thumbprint (RFC 7638) in base64url, which identifies the key independently of its ID.
    public var thumbprint: String { storage.thumbprint }

    /// The members of the published key that are ignored because they cannot be read, each with the reason.
    package var notes: [String] { storage.notes }

    /// The key of libcrypto.
    package var publicKey: PublicKey { storage.publicKey }

    /// The length of each signature by this key, in bytes.
    var signatureByteCount: Int { storage.publicKey.signatureByteCount }

    /// The `issuer` member, a Microsoft extension that restricts the key to tokens of one issuer.
    var issuer: String? { storage.issuer }

    /// The storage shared by all copies of a key; each token is verified with a copy.
    private final class Storage: Sendable {
        let keyID: String?
        let type: String
        let curve: String?
        let bits: Int
        let algorithms: Set<SignatureAlgorithm>
        let thumbprint: String
        let issuer: String?
        let notes: [String]
        let publicKey: PublicKey

        /// The verifiers, one for each algorithm in `verifiable`, at the same index.
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
            self.notes = reader.notes
            self.publicKey = material.publicKey
            let verifiers = algorithms.compactMap { algorithm in
                SignatureVerifier(material.publicKey, scheme: algorithm.scheme).map { (algorithm, $0) }
            }
            self.verifiers = verifiers.map(\.1)
            self.verifiable = verifiers.map(\.0)
        }
    }

    private let storage: Storage

    /// Parses a key.
    ///
    /// A published key is read leniently in spelling: see <doc:VerifyTokensOfAnyProvider>.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517, in UTF-8.
    ///   - allowPublishedTestKeys: Whether to accept a key whose private key is published, such as the examples in
    ///     standards. For tests only: anybody who can read the example can sign.
    /// - Throws: ``UnusableKey``, with the reason.
    public init(json: some Collection<UInt8>, allowPublishedTestKeys: Bool = false) throws(UnusableKey) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument.read(json.withoutByteOrderMark, limits: .keySet).root
        } catch {
            throw UnusableKey(.malformed, "not strict JSON: \(error)", keyID: nil)
        }
        try self.init(value, allowPublishedTestKeys: allowPublishedTestKeys)
    }

    /// Parses a key.
    ///
    /// - Parameters:
    ///   - json: A JSON object by RFC 7517.
    ///   - allowPublishedTestKeys: Whether to accept a key whose private key is published, such as the examples in
    ///     standards. For tests only: anybody who can read the example can sign.
    /// - Throws: ``UnusableKey``, with the reason.
    public init(json: some StringProtocol, allowPublishedTestKeys: Bool = false) throws(UnusableKey) {
        try self.init(json: json.utf8, allowPublishedTestKeys: allowPublishedTestKeys)
    }

    package init(_ value: JSONValue, allowPublishedTestKeys: Bool = false) throws(UnusableKey) {
        var reader = JSONWebKeyReader(value, in: .document)
        try reader.refusePrivateMembers()
        try reader.readKeyID()
        try reader.checkUse()
        let material = try reader.readMaterial()
        let algorithms = try reader.narrow(material.algorithms)
        try reader.checkCertificate(of: material.publicKey)
        self.storage = Storage(reader, material, algorithms: algorithms)
        if !allowPublishedTestKeys { try refusePublished(reader) }
    }

    /// Parses the key in a header, which the sender of the token chose.
    ///
    /// It can verify one algorithm only. Its certificates are not parsed, because they would add nothing to a key that
    /// is identified by its thumbprint.
    ///
    /// - Parameters:
    ///   - value: The header parameter `jwk` (RFC 7515 §4.1.3).
    ///   - algorithm: The algorithm of the header.
    ///   - allowPublishedTestKeys: Whether to accept a key whose private key is published.
    /// - Throws: ``UnusableKey``, with the reason.
    init(
        inHeader value: JSONValue,
        algorithm: SignatureAlgorithm,
        allowPublishedTestKeys: Bool
    ) throws(UnusableKey) {
        var reader = JSONWebKeyReader(value, in: .header)
        try reader.refusePrivateMembers()
        try reader.readKeyID()
        try reader.checkUse()
        let material = try reader.readMaterial()
        guard material.type != "RSA" || material.bits <= Limits.proofModulusBits else {
            throw reader.unusable(.weak, "the modulus has more than \(Limits.proofModulusBits) bits")
        }
        guard try reader.narrow(material.algorithms).contains(algorithm) else {
            throw reader.unusable(.algorithm, "the key does not fit alg \(quoted(algorithm.rawValue))")
        }
        self.storage = Storage(reader, material, algorithms: [algorithm])
        if !allowPublishedTestKeys { try refusePublished(reader) }
    }

    private func refusePublished(_ reader: JSONWebKeyReader) throws(UnusableKey) {
        guard let origin = PublishedKeys.origin(thumbprint: thumbprint) else { return }
        throw reader.unusable(.published, "the private key is published (\(origin)): anyone can sign with it")
    }

    /// Returns whether the key has this ID.
    func isNamed(_ name: String) -> Bool {
        storage.keyID.map { isEqual($0, name) } ?? false
    }

    /// Returns whether the key can verify signatures by `algorithm`.
    func canVerify(_ algorithm: SignatureAlgorithm) -> Bool {
        storage.verifiable.firstIndex(of: algorithm).map { storage.verifiers[$0].isUsable } ?? false
    }

    /// Returns whether `signature` is a valid signature of `message` by this key and `algorithm`.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        isValidSignature(signature, of: message.span, algorithm: algorithm)
    }

    /// Returns whether `signature` is a valid signature of `message` by this key and `algorithm`.
    func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>, algorithm: SignatureAlgorithm) -> Bool {
        guard let index = storage.verifiable.firstIndex(of: algorithm) else { return false }
        return storage.verifiers[index].isValidSignature(signature, of: message)
    }
}

extension JSONWebKey: CustomStringConvertible {
    /// The type and the size, for example `RSA, 2048 bits` or `EC, P-256`.
    public var description: String { curve.map { "\(type), \($0)" } ?? "\(type), \(bits) bits" }
}

/// An error for a published key that cannot be used.
public struct UnusableKey: Error, Sendable, CustomStringConvertible {
    /// The stable code of the reason.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The code, for example `weak`.
        public let rawValue: String

        /// The code, the same as ``rawValue``.
        public var description: String { rawValue }

        /// The key is not a JSON object, or a member is missing, has the wrong type, has no clear reading, or contradicts
        /// another.
        public static let malformed = Self(rawValue: "malformed")
        /// The key type, `kty`, or the curve, `crv`, is not supported.
        public static let keyType = Self(rawValue: "key-type")
        /// The key is for another use (`use`, `key_ops`).
        public static let use = Self(rawValue: "use")
        /// The `alg` member is not a supported algorithm, or not one of the key's type and curve.
        public static let algorithm = Self(rawValue: "algorithm")
        /// The key's parameters make it weak, or make verification too slow.
        public static let weak = Self(rawValue: "weak")
        /// The key contains private members, so anybody who can read it can sign.
        public static let privateKey = Self(rawValue: "private-key")
        /// The private key is published in a standard, on a web page, or in this package's test vectors.
        public static let published = Self(rawValue: "published")
    }

    /// The stable code of the reason.
    public let reason: Reason

    /// The key ID; nil if the key has none.
    public let keyID: String?

    /// A short description of the defect.
    package let detail: String

    init(_ reason: Reason, _ detail: String, keyID: String?) {
        self.reason = reason
        self.detail = detail
        self.keyID = keyID
    }

    /// The code and the description of the defect.
    ///
    /// It contains nothing of the key except its ID.
    public var description: String {
        "key \(keyID.map { quoted($0) } ?? "without an ID") is unusable: \(reason.rawValue): \(detail)"
    }
}
