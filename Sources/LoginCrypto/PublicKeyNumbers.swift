// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// The public numbers of a key, as a JSON Web Key has them (RFC 7518 §6, RFC 8037 §2).
///
/// They are not judged here: a key is made of them by the reader of JSON Web Keys, which refuses weak ones.
package enum PublicKeyNumbers: Sendable, Equatable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    case ed25519([UInt8])

    /// Reads a `SubjectPublicKeyInfo` (RFC 5280 §4.1.2.7).
    ///
    /// - Parameter der: The structure in DER, and nothing after it.
    ///
    /// Nil for what is none, and for a key of another type or curve.
    package init?(subjectPublicKeyInfo der: [UInt8]) {
        let numbers: Self? = withOpenSSL {
            unsafe der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                guard let key = unsafe d2i_PUBKEY(nil, &position, bytes.count),
                    unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count })
                else { return nil }
                return Self(key)
            }
        }
        guard let numbers else { return nil }
        self = numbers
    }

    /// Reads the public key of an X.509 certificate (RFC 5280 §4.1).
    ///
    /// Neither its signature nor its dates are looked at.
    ///
    /// - Parameter der: The certificate in DER, and nothing after it.
    ///
    /// Nil for what is none, and for a key of another type or curve.
    package init?(certificate der: [UInt8]) {
        let numbers: Self? = withOpenSSL {
            unsafe der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                let parsed = unsafe d2i_X509(nil, &position, bytes.count)
                defer { unsafe X509_free(parsed) }
                guard unsafe parsed != nil, unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }),
                    let held = unsafe X509_get0_pubkey(parsed)
                else { return nil }
                return Self(held)
            }
        }
        guard let numbers else { return nil }
        self = numbers
    }

    /// Reads the numbers of a key; nil for one of another type or curve.
    init?(_ key: EVP_PKEY) {
        if unsafe EVP_PKEY_is_a(key, "RSA") == 1 {
            guard let numbers = Self.rsa(key) else { return nil }
            self = numbers
        } else if unsafe EVP_PKEY_is_a(key, "EC") == 1 {
            guard let curve = curve(of: key),
                let x = number(OSSL_PKEY_PARAM_EC_PUB_X, of: key, byteCount: curve.coordinateByteCount),
                let y = number(OSSL_PKEY_PARAM_EC_PUB_Y, of: key, byteCount: curve.coordinateByteCount)
            else { return nil }
            self = .ec(curve, x: x, y: y)
        } else if unsafe EVP_PKEY_is_a(key, "ED25519") == 1 {
            var bytes = [UInt8](repeating: 0, count: Ed25519Point.byteCount)
            var count = bytes.count
            guard unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == bytes.count else { return nil }
            self = .ed25519(bytes)
        } else {
            return nil
        }
    }

    /// Returns the numbers of an RSA key, for any signatures or for RSASSA-PSS alone; nil for another type.
    static func rsa(_ key: EVP_PKEY) -> Self? {
        guard let modulus = number(OSSL_PKEY_PARAM_RSA_N, of: key),
            let exponent = number(OSSL_PKEY_PARAM_RSA_E, of: key)
        else { return nil }
        return .rsa(modulus: modulus, exponent: exponent)
    }
}

extension PublicKey {
    /// The key as a `SubjectPublicKeyInfo` in DER (RFC 5280 §4.1.2.7); nil if OpenSSL does not write it.
    package var subjectPublicKeyInfo: [UInt8]? {
        withOpenSSL {
            let count = i2d_PUBKEY(key, nil)
            guard count > 0 else { return nil }
            var der = [UInt8](repeating: 0, count: Int(count))
            let written = unsafe der.withUnsafeMutableBufferPointer { bytes in
                var position = bytes.baseAddress
                return unsafe i2d_PUBKEY(key, &position)
            }
            return written == count ? der : nil
        }
    }
}

/// A number of a key, big-endian.
///
/// - Parameters:
///   - name: The name of the parameter.
///   - key: The key.
///   - byteCount: The length, with zeros in front; nil for no such zeros.
/// - Returns: The number; nil if the key does not have it.
private func number(_ name: String, of key: EVP_PKEY, byteCount: Int? = nil) -> [UInt8]? {
    var number: OpaquePointer?
    defer { unsafe BN_free(number) }
    guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1, unsafe number != nil else { return nil }
    let length = byteCount ?? (Int(unsafe BN_num_bits(number)) + 7) / 8
    var bytes = [UInt8](repeating: 0, count: length)
    guard unsafe BN_bn2binpad(number, &bytes, Int32(length)) == Int32(length) else { return nil }
    return bytes
}

/// The curve of a key, by its name in OpenSSL; nil for one that is not supported.
private func curve(of key: EVP_PKEY) -> EllipticCurve? {
    // No name of a curve is longer.
    var name = [CChar](repeating: 0, count: 64)
    guard unsafe EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, &name, name.count, nil) == 1 else {
        return nil
    }
    switch String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) {
    case "prime256v1", "P-256": return .p256
    case "secp384r1", "P-384": return .p384
    case "secp521r1", "P-521": return .p521
    default: return nil
    }
}
