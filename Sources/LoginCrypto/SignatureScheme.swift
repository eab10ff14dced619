// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A signature scheme with its hash function.
package enum SignatureScheme: Sendable {
    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    case pkcs1(Digest)
    /// RSASSA-PSS (RFC 8017 §8.1) with the parameters of JOSE (RFC 7518 §3.5).
    ///
    /// The salt has the length of the digest, and MGF1 uses the same digest.
    case pss(Digest)
    /// ECDSA with the signature as r and s, each in the full length of a coordinate (RFC 7518 §3.4).
    case ecdsa(Digest)
    /// Ed25519 (RFC 8032 §5.1), which includes hashing.
    case ed25519

    /// The hash function to pass to OpenSSL; nil if the scheme includes its own.
    var digest: Digest? {
        switch self {
        case .pkcs1(let digest), .pss(let digest), .ecdsa(let digest): digest
        case .ed25519: nil
        }
    }
}

/// An elliptic curve for ECDSA, by its name in JOSE and in OpenSSL.
package enum EllipticCurve: String, Sendable, CaseIterable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    /// The length of a coordinate in bits.
    package var bits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .p521: 521
        }
    }

    /// The length of a coordinate, and of each half of a signature, in bytes.
    package var coordinateByteCount: Int { (bits + 7) / 8 }
}
