// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A private key, for assertions of a client, for the test kit, and for the commands that make samples and DPoP proofs.
///
/// No verifying code uses private keys.
package struct PrivateKey: Sendable {
    /// The public key.
    package let publicKey: PublicKey

    private enum Kind {
        case rsa, ec(EllipticCurve), ed25519
    }

    private let held: HeldKey
    private let kind: Kind

    private var key: EVP_PKEY { held.key }

    /// Generates an RSA key with the public exponent 65537.
    ///
    /// - Parameter bits: The length of the modulus, 512 to 8192 bits, so that tests can also generate keys that are too
    ///   weak.
    package init(rsaBits bits: Int) {
        precondition((512...8192).contains(bits), "an RSA key has 512 to 8192 bits here")
        let key = unsafe generate("RSA") { unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits)) == 1 }
        self.init(publicKey: PublicKey(rsa: key), key: key, kind: .rsa)
    }

    /// Generates a key on an elliptic curve.
    package init(curve: EllipticCurve) {
        let key = unsafe generate("EC") { unsafe EVP_PKEY_CTX_set_group_name($0, curve.rawValue) == 1 }
        self.init(publicKey: PublicKey(ec: key, curve: curve), key: key, kind: .ec(curve))
    }

    /// Generates an Ed25519 key.
    package static func ed25519() -> PrivateKey {
        let key = unsafe generate("ED25519") { _ in true }
        return PrivateKey(publicKey: PublicKey(ed25519: key), key: key, kind: .ed25519)
    }

    private init(publicKey: PublicKey, key: EVP_PKEY, kind: Kind) {
        self.publicKey = publicKey
        self.held = HeldKey(key)
        self.kind = kind
    }

    /// The public parameters, as in a JSON Web Key.
    package var numbers: PublicNumbers {
        switch kind {
        case .rsa:
            .rsa(modulus: number(OSSL_PKEY_PARAM_RSA_N, of: key), exponent: number(OSSL_PKEY_PARAM_RSA_E, of: key))
        case .ec(let curve):
            .ec(
                curve: curve,
                x: number(OSSL_PKEY_PARAM_EC_PUB_X, of: key, paddedTo: curve.coordinateByteCount),
                y: number(OSSL_PKEY_PARAM_EC_PUB_Y, of: key, paddedTo: curve.coordinateByteCount)
            )
        case .ed25519:
            .ed25519(rawPublicKey(of: key))
        }
    }

    /// Signs `message`.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - scheme: A signature scheme of the key's type.
    /// - Returns: The signature in the format of JOSE.
    package func signature(of message: [UInt8], scheme: SignatureScheme) -> [UInt8] {
        precondition(scheme.isFor(key), "a key signs by the schemes of its type")
        let size = Int(key.maximumOutputByteCount)
        return withOpenSSL {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            var output = [UInt8](repeating: 0, count: size)
            var length = size
            let signed =
                unsafe EVP_DigestSignInit(context, &parameters, scheme.digest?.evp, nil, key) == 1
                && scheme.configure(parameters)
                && EVP_DigestSign(context, &output, &length, message, message.count) == 1
            precondition(signed, "libcrypto could not sign: the key may be too short for the scheme")
            let signature = Array(output.prefix(length))
            guard case .ecdsa = scheme else { return signature }
            return rawECDSASignature(signature, byteCount: publicKey.signatureByteCount)
        }
    }
}

// MARK: DER

extension PrivateKey {
    /// The maximum length of an RSA modulus that is read, in bits: a longer one takes minutes to check.
    private static let maximumBits = 8192

    /// Reads a private key: a `PrivateKeyInfo` (RFC 5958 §2), or an RSA or EC key in its older form (RFC 8017 §A.1.2,
    /// RFC 5915 §3).
    ///
    /// - Parameter der: The structure in DER, and nothing after it.
    ///
    /// Nil for anything else, for a key of another type or curve, and for one whose parts do not belong together.
    package init?(der: [UInt8]) {
        let read: (key: EVP_PKEY, numbers: PublicKeyNumbers)? = withOpenSSL {
            unsafe der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                guard let key = unsafe d2i_AutoPrivateKey(nil, &position, bytes.count),
                    unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }),
                    Int(key.bits) <= Self.maximumBits, let numbers = PublicKeyNumbers(key), isConsistent(key)
                else { return nil }
                return (key: key, numbers: numbers)
            }
        }
        guard let read else { return nil }
        switch read.numbers {
        case .rsa: self.init(publicKey: PublicKey(rsa: read.key), key: read.key, kind: .rsa)
        case .ec(let curve, _, _):
            self.init(publicKey: PublicKey(ec: read.key, curve: curve), key: read.key, kind: .ec(curve))
        case .ed25519: self.init(publicKey: PublicKey(ed25519: read.key), key: read.key, kind: .ed25519)
        }
    }

    /// The key as a `PrivateKeyInfo` in DER (RFC 5958 §2); nil if OpenSSL does not write it.
    package var privateKeyInfo: [UInt8]? {
        withOpenSSL {
            let info = unsafe EVP_PKEY2PKCS8(key)
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            guard unsafe info != nil else { return nil }
            let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
            guard count > 0 else { return nil }
            var der = [UInt8](repeating: 0, count: Int(count))
            let written = unsafe der.withUnsafeMutableBufferPointer { bytes in
                var position = bytes.baseAddress
                return unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &position)
            }
            return written == count ? der : nil
        }
    }
}

/// Returns whether the private and the public half of a key belong together.
///
/// libcrypto could not sign with another key, which ``PrivateKey/signature(of:scheme:)`` relies on.
private func isConsistent(_ key: EVP_PKEY) -> Bool {
    let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe context != nil, unsafe EVP_PKEY_check(context) == 1 else { return false }
    return true
}

/// The parameters of a public key.
package enum PublicNumbers: Sendable {
    /// Modulus and exponent, big-endian, without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// Coordinates, big-endian, each in the full length of the curve.
    case ec(curve: EllipticCurve, x: [UInt8], y: [UInt8])
    /// The encoded point (RFC 8032 §5.1.5).
    case ed25519([UInt8])
}

private func generate(_ type: String, configure: (OpaquePointer?) -> Bool) -> EVP_PKEY {
    let generated = withOpenSSL { () -> EVP_PKEY? in
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var key: EVP_PKEY?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe configure(context),
            unsafe EVP_PKEY_generate(context, &key) == 1
        else { return nil }
        return key
    }
    guard let generated else { preconditionFailure("libcrypto could not generate a key of type \(type)") }
    return generated
}

/// Returns a public parameter of a generated key.
private func number(_ name: String, of key: EVP_PKEY, paddedTo size: Int? = nil) -> [UInt8] {
    withOpenSSL {
        var number: OpaquePointer?
        defer { unsafe BN_free(number) }
        precondition(unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1, "a key has \(name)")
        return unsafe bytes(of: number, count: size ?? (Int(BN_num_bits(number)) + 7) / 8)
    }
}

private func rawPublicKey(of key: EVP_PKEY) -> [UInt8] {
    withOpenSSL {
        var output = [UInt8](repeating: 0, count: Ed25519Point.byteCount)
        var length = output.count
        precondition(unsafe EVP_PKEY_get_raw_public_key(key, &output, &length) == 1, "a key has its public half")
        return output
    }
}

/// Converts an ECDSA signature from DER to r and s side by side.
private func rawECDSASignature(_ der: [UInt8], byteCount: Int) -> [UInt8] {
    unsafe der.withUnsafeBufferPointer { der in
        var position = der.baseAddress
        let pair = unsafe d2i_ECDSA_SIG(nil, &position, der.count)
        defer { unsafe ECDSA_SIG_free(pair) }
        precondition(unsafe pair != nil, "libcrypto can read the signature it made")
        return unsafe bytes(of: ECDSA_SIG_get0_r(pair), count: byteCount / 2)
            + bytes(of: ECDSA_SIG_get0_s(pair), count: byteCount / 2)
    }
}

private func bytes(of number: OpaquePointer?, count: Int) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: count)
    precondition(unsafe BN_bn2binpad(number, &output, Int32(count)) == Int32(count), "the number has \(count) bytes")
    return output
}
