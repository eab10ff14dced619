// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A key that can only verify.
///
/// Whether RSA's numbers are strong, and whether an Ed25519 point is one that should be used, is not judged here:
/// `JSONWebKey` refuses those that are not before they arrive, because OpenSSL does not (it takes an RSA exponent of 1
/// and then accepts a forgery).
package struct PublicKey: Sendable {
    let key: EVP_PKEY

    /// The length of every signature of this key, in bytes.
    package let signatureByteCount: Int

    /// Whether `signature` is this key's, of `message`.
    ///
    /// A scheme that is not one of the key's type is a no.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], scheme: SignatureScheme) -> Bool {
        // RFC 8017 §8.1.2 and §8.2.2 step 1, RFC 7518 §3.4 step 1, RFC 8032 §5.1.7 step 1. OpenSSL would refuse too;
        // we do not depend on it, nor hand it an empty buffer.
        guard signature.count == signatureByteCount else { return false }
        return withOpenSSL {
            guard scheme.isFor(key) else { return false }
            var signature = signature
            if case .ecdsa = scheme {
                guard let der = derECDSASignature(signature) else { return false }
                signature = der
            }
            guard let context = unsafe EVP_MD_CTX_new() else { return false }
            defer { unsafe EVP_MD_CTX_free(context) }
            var parameters: OpaquePointer?
            guard unsafe EVP_DigestVerifyInit(context, &parameters, scheme.digest?.evp, nil, key) == 1,
                unsafe scheme.configure(parameters)
            else { return false }
            // 0 says "not valid", a negative value "could not tell"; only 1 is a yes.
            return unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        }
    }

    /// Whether this is the key that an X.509 certificate is about (RFC 7517 §4.7).
    ///
    /// - Parameter certificate: The certificate in DER, and nothing after it.
    /// - Returns: Whether it is; false also for what is no certificate.
    package func isKey(of certificate: [UInt8]) -> Bool {
        withOpenSSL {
            unsafe certificate.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                let parsed = unsafe d2i_X509(nil, &position, bytes.count)
                defer { unsafe X509_free(parsed) }
                guard unsafe parsed != nil, unsafe position == bytes.baseAddress.map({ unsafe $0 + bytes.count }),
                    let held = unsafe X509_get0_pubkey(parsed)
                else { return false }
                return EVP_PKEY_eq(key, held) == 1
            }
        }
    }
}

extension SignatureScheme {
    /// Whether it is one of the key's type.
    ///
    /// OpenSSL does not ask: for a scheme that names no hash function, as Ed25519, it takes one of its own choice with an RSA
    /// key, and verifies PKCS #1.
    func isFor(_ key: EVP_PKEY) -> Bool {
        switch self {
        case .pkcs1, .pss: unsafe EVP_PKEY_is_a(key, "RSA") == 1
        case .ecdsa: unsafe EVP_PKEY_is_a(key, "EC") == 1
        case .ed25519: unsafe EVP_PKEY_is_a(key, "ED25519") == 1
        }
    }

    /// Sets what the scheme asks for beyond the hash function, for signing as for verifying.
    func configure(_ parameters: OpaquePointer?) -> Bool {
        switch self {
        case .pkcs1:
            // The default, but said: the key must be RSA, or this fails.
            unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1
        case .pss(let digest):
            unsafe EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(parameters, digest.evp) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, Int32(digest.byteCount)) == 1
        case .ecdsa, .ed25519:
            true
        }
    }
}

/// OpenSSL takes an ECDSA signature as a DER sequence of r and s; JOSE writes them side by side.
///
/// The DER is made here, so that there is one for each pair of numbers, and no question of how strictly it is read.
private func derECDSASignature(_ signature: [UInt8]) -> [UInt8]? {
    let half = signature.count / 2
    let r = unsafe BN_bin2bn(Array(signature[..<half]), Int32(half), nil)
    let s = unsafe BN_bin2bn(Array(signature[half...]), Int32(half), nil)
    let pair = unsafe ECDSA_SIG_new()
    defer { unsafe ECDSA_SIG_free(pair) }
    // Takes both numbers over, unless it fails.
    guard unsafe ECDSA_SIG_set0(pair, r, s) == 1 else {
        unsafe BN_free(r)
        unsafe BN_free(s)
        return nil
    }
    let size = unsafe i2d_ECDSA_SIG(pair, nil)
    guard size > 0 else { return nil }
    var output = [UInt8](repeating: 0, count: Int(size))
    let written = unsafe output.withUnsafeMutableBufferPointer { buffer in
        var position = buffer.baseAddress
        return unsafe i2d_ECDSA_SIG(pair, &position)
    }
    return written == size ? output : nil
}
