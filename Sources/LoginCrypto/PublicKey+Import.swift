// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Import of keys from their public parameters, which is much faster than from a SubjectPublicKeyInfo.
extension PublicKey {
    /// Imports an RSA key from its modulus and exponent, both big-endian; nil if OpenSSL does not accept them.
    package init?(modulus: [UInt8], exponent: [UInt8]) {
        let imported = withOpenSSL { importRSA(modulus: modulus, exponent: exponent) }
        guard let imported else { return nil }
        self.init(rsa: imported)
    }

    /// Imports a point of an elliptic curve; nil if it is not on the curve.
    ///
    /// Both coordinates are big-endian, in the full length of the curve.
    package init?(curve: EllipticCurve, x: [UInt8], y: [UInt8]) {
        guard x.count == curve.coordinateByteCount, y.count == curve.coordinateByteCount else { return nil }
        // The byte 4 marks an uncompressed point (SEC 1 §2.3.3).
        let imported = withOpenSSL { importEC(curve: curve, point: [4] + x + y) }
        guard let imported else { return nil }
        self.init(ec: imported, curve: curve)
    }

    /// Imports an Ed25519 key (RFC 8032 §5.1.5); nil if it does not have 32 bytes.
    ///
    /// ``Ed25519Point`` checks whether the bytes are a point.
    package init?(ed25519 bytes: [UInt8]) {
        guard bytes.count == Ed25519Point.byteCount else { return nil }
        let imported = withOpenSSL { unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count) }
        guard let imported else { return nil }
        self.init(ed25519: imported)
    }

    init(rsa key: EVP_PKEY) {
        self.init(HeldKey(key), signatureByteCount: (Int(key.bits) + 7) / 8)
    }

    init(ec key: EVP_PKEY, curve: EllipticCurve) {
        self.init(HeldKey(key), signatureByteCount: 2 * curve.coordinateByteCount)
    }

    init(ed25519 key: EVP_PKEY) {
        self.init(HeldKey(key), signatureByteCount: 2 * Ed25519Point.byteCount)
    }
}

private func importRSA(modulus: [UInt8], exponent: [UInt8]) -> EVP_PKEY? {
    let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
    defer { unsafe BN_free(n) }
    let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
    defer { unsafe BN_free(e) }
    guard unsafe n != nil, unsafe e != nil else { return nil }
    return unsafe importKey("RSA") { builder in
        unsafe OSSL_PARAM_BLD_push_BN(builder, CLogin_RSA_modulus, n) == 1
            && OSSL_PARAM_BLD_push_BN(builder, CLogin_RSA_exponent, e) == 1
    }
}

private func importEC(curve: EllipticCurve, point: [UInt8]) -> EVP_PKEY? {
    // Both buffers must stay valid until the key is created, because the builder stores pointers.
    let key = unsafe curve.rawValue.withCString { name in
        unsafe point.withUnsafeBufferPointer { point in
            unsafe importKey("EC") { builder in
                unsafe OSSL_PARAM_BLD_push_utf8_string(builder, CLogin_EC_group, name, 0) == 1
                    && OSSL_PARAM_BLD_push_octet_string(builder, CLogin_EC_point, point.baseAddress, point.count) == 1
            }
        }
    }
    // The checks of SEC 1 §3.2.2.1, except the order, which these curves do not require. The import checks that the
    // point is on the curve too, but does not guarantee it.
    let context = unsafe key.flatMap { unsafe EVP_PKEY_CTX_new_from_pkey(nil, $0, nil) }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe context != nil, unsafe EVP_PKEY_public_check_quick(context) == 1 else { return nil }
    return key
}

/// Creates a public key from the parameters that `push` adds.
private func importKey(_ type: String, push: (OpaquePointer?) -> Bool) -> EVP_PKEY? {
    let builder = unsafe OSSL_PARAM_BLD_new()
    defer { unsafe OSSL_PARAM_BLD_free(builder) }
    guard unsafe builder != nil, unsafe push(builder) else { return nil }
    let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
    defer { unsafe OSSL_PARAM_free(parameters) }
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, type, nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: EVP_PKEY?
    guard unsafe parameters != nil, unsafe context != nil,
        unsafe EVP_PKEY_fromdata_init(context) == 1,
        unsafe EVP_PKEY_fromdata(context, &key, Int32(CLogin_EVP_PKEY_PUBLIC_KEY), parameters) == 1
    else { return nil }
    return key
}
