// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import LoginCrypto

/// A signature algorithm of JSON Web Algorithms that takes a public key (RFC 7518 §3, RFC 8037 §3.1, RFC 9864 §2.2).
///
/// There is no case for HMAC, so no public key can be mistaken for a shared secret, and no case for `none`. A policy
/// cannot allow an algorithm without a case. The algorithms of HMAC belong to ``SharedSecret``.
public enum SignatureAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// RSASSA-PKCS1-v1_5 with SHA-256, the default of OpenID Connect.
    case rs256 = "RS256"
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    case rs384 = "RS384"
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    case rs512 = "RS512"
    /// RSASSA-PSS with SHA-256, also for MGF1, and a salt of 32 bytes.
    case ps256 = "PS256"
    /// RSASSA-PSS with SHA-384, also for MGF1, and a salt of 48 bytes.
    case ps384 = "PS384"
    /// RSASSA-PSS with SHA-512, also for MGF1, and a salt of 64 bytes.
    case ps512 = "PS512"
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// ECDSA on P-384 with SHA-384.
    case es384 = "ES384"
    /// ECDSA on P-521 with SHA-512.
    case es512 = "ES512"
    /// Ed25519 under its name in RFC 8037; there the name also covers Ed448, which is not supported here.
    case edDSA = "EdDSA"
    /// Ed25519 under the name of RFC 9864.
    case ed25519 = "Ed25519"

    /// Creates the algorithm with this name, compared case-sensitively (RFC 7515 §4.1.1); nil if it is not supported.
    init?(_ name: JSONValue) {
        guard let algorithm = Self.allCases.first(where: { name.isString($0.rawValue) }) else { return nil }
        self = algorithm
    }
}

extension SignatureAlgorithm {
    /// The signature scheme.
    package var scheme: SignatureScheme {
        switch self {
        case .rs256: .pkcs1(.sha256)
        case .rs384: .pkcs1(.sha384)
        case .rs512: .pkcs1(.sha512)
        case .ps256: .pss(.sha256)
        case .ps384: .pss(.sha384)
        case .ps512: .pss(.sha512)
        case .es256: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .edDSA, .ed25519: .ed25519
        }
    }

    /// The hash function of `at_hash` and `c_hash`: the one in the algorithm's name, and SHA-512 for Ed25519, which
    /// uses it internally (OpenID Connect Core §3.1.3.6; RFC 8032 §5.1).
    var digest: Digest {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .ps512, .es512, .edDSA, .ed25519: .sha512
        }
    }

    /// The algorithms of an RSA key, for any key size (RFC 7518 §3.3, §3.5).
    static let ofRSA: Set<SignatureAlgorithm> = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]

    /// The algorithms of an Ed25519 key.
    static let ofEd25519: Set<SignatureAlgorithm> = [.edDSA, .ed25519]

    /// Returns the one algorithm of an elliptic curve (RFC 7518 §3.4).
    static func of(_ curve: EllipticCurve) -> SignatureAlgorithm {
        switch curve {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        }
    }
}
