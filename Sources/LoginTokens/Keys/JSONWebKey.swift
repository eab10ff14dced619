// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A public key as providers publish it (RFC 7517), checked when read, and never changed after.
///
/// A value of this type can be used: whatever makes a key unfit is found when it is read, and thrown as ``UnusableKey``.
/// The key decides the algorithm. A token's header only says which of the key's algorithms it claims, and the policy
/// which of them are allowed.
public struct JSONWebKey: Sendable {
    /// The key ID, `kid`.
    ///
    /// Opaque: compare it, and do nothing else with it.
    public let keyID: String?

    /// What this key can verify: the algorithms of its type, or the one it names in `alg`.
    public let algorithms: Set<SignatureAlgorithm>

    /// The length of the RSA modulus in bits.
    public let bits: Int

    private let publicKey: RSAPublicKey

    /// Reads one key.
    ///
    /// - Parameter json: A JSON object by RFC 7517, in UTF-8.
    /// - Throws: ``UnusableKey``, which names the reason.
    public init(json: some Collection<UInt8>) throws(UnusableKey) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument.read(Array(json), limits: .keySet).root
        } catch {
            throw UnusableKey(.malformed, "not strict JSON: \(error)", keyID: nil)
        }
        try self.init(value)
    }

    package init(_ value: JSONValue) throws(UnusableKey) {
        var reader = JSONWebKeyReader(value)
        try reader.readKeyID()
        try reader.refusePrivateMembers()
        try reader.checkUse()
        self.algorithms = try reader.readAlgorithms()
        let (modulus, exponent) = try reader.readRSA()
        guard let publicKey = RSAPublicKey(modulus: modulus, exponent: exponent) else {
            throw reader.unusable(.malformed, "libcrypto does not accept it")
        }
        self.keyID = reader.keyID
        self.bits = modulus.count * 8 - modulus[0].leadingZeroBitCount
        self.publicKey = publicKey
    }

    /// Whether `signature` is this key's, of `message`, by `algorithm`.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], algorithm: SignatureAlgorithm) -> Bool {
        guard algorithms.contains(algorithm) else { return false }
        switch algorithm {
        case .rs256: return publicKey.isValidSignature(signature, of: message, digest: .sha256)
        }
    }
}

/// Why a published key cannot be used.
public struct UnusableKey: Error, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `weak`.
        public let rawValue: String

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// It is no JSON object, or a member is missing, has the wrong type, or is not canonical.
        public static let malformed = Self(rawValue: "malformed")
        /// Its type, `kty`, is not one we know.
        public static let keyType = Self(rawValue: "key-type")
        /// It is meant for something else (`use`, `key_ops`).
        public static let use = Self(rawValue: "use")
        /// The algorithm it names is not one we know, or not one of its type.
        public static let algorithm = Self(rawValue: "algorithm")
        /// Its numbers make it weak, or slow beyond reason.
        public static let weak = Self(rawValue: "weak")
        /// It shows its private half: whoever can read it can sign.
        public static let privateKey = Self(rawValue: "private-key")
    }

    /// The kind of reason.
    public let reason: Reason

    /// The key's ID, where it has one.
    public let keyID: String?

    private let detail: String

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
