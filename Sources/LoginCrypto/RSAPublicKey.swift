// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// An RSA key that can only verify.
///
/// It does not judge its numbers: `JSONWebKey` refuses weak ones before they arrive here, because OpenSSL does not
/// (it takes an exponent of 1 and then accepts a forgery).
package struct RSAPublicKey: Sendable {
    private let key: EVP_PKEY

    /// The length of the modulus, and so of every signature, in bytes.
    package let modulusByteCount: Int

    /// Imports the modulus and the exponent, both big-endian.
    ///
    /// Nil if OpenSSL will not have them.
    package init?(modulus: [UInt8], exponent: [UInt8]) {
        let imported = withOpenSSL { importKey(modulus: modulus, exponent: exponent) }
        guard let imported else { return nil }
        self.init(key: imported)
    }

    init(key: EVP_PKEY) {
        self.key = key
        self.modulusByteCount = (Int(key.bits) + 7) / 8
    }

    /// Whether `signature` is an RSASSA-PKCS1-v1_5 signature of `message` (RFC 8017 §8.2.2).
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], digest: Digest) -> Bool {
        // RFC 8017 §8.2.2 step 1. OpenSSL would refuse too; we do not depend on it, nor hand it an empty buffer.
        guard signature.count == modulusByteCount else { return false }
        return withOpenSSL {
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestVerifyInit(context, nil, digest.evp, nil, key) == 1 else { return false }
            // 0 says "not valid", a negative value "could not tell"; only 1 is a yes.
            return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }
}

/// Builds an `EVP_PKEY` from its two public numbers: far quicker than through a SubjectPublicKeyInfo.
private func importKey(modulus: [UInt8], exponent: [UInt8]) -> EVP_PKEY? {
    let n = unsafe BN_bin2bn(modulus, Int32(modulus.count), nil)
    defer { unsafe BN_free(n) }
    let e = unsafe BN_bin2bn(exponent, Int32(exponent.count), nil)
    defer { unsafe BN_free(e) }
    let builder = unsafe OSSL_PARAM_BLD_new()
    defer { unsafe OSSL_PARAM_BLD_free(builder) }
    guard unsafe n != nil, unsafe e != nil, unsafe builder != nil,
        unsafe OSSL_PARAM_BLD_push_BN(builder, CLogin_RSA_modulus, n) == 1,
        unsafe OSSL_PARAM_BLD_push_BN(builder, CLogin_RSA_exponent, e) == 1
    else { return nil }
    let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
    defer { unsafe OSSL_PARAM_free(parameters) }
    let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: EVP_PKEY?
    guard unsafe parameters != nil, unsafe context != nil,
        unsafe EVP_PKEY_fromdata_init(context) == 1,
        unsafe EVP_PKEY_fromdata(context, &key, Int32(CLogin_EVP_PKEY_PUBLIC_KEY), parameters) == 1
    else { return nil }
    return key
}
