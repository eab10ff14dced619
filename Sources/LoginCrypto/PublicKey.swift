// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A key that can only verify.
///
/// Whether RSA's numbers are strong, and whether an Ed25519 point is one that should be used, is not judged here:
/// `JSONWebKey` refuses those that are not before they arrive, because OpenSSL does not (it takes an RSA exponent of 1
/// and then accepts a forgery).
package struct PublicKey: Sendable {
    private let held: HeldKey

    /// The length of every signature of this key, in bytes.
    package let signatureByteCount: Int

    init(_ held: HeldKey, signatureByteCount: Int) {
        self.held = held
        self.signatureByteCount = signatureByteCount
    }

    var key: EVP_PKEY { held.key }

    /// Whether `signature` is this key's, of `message`.
    ///
    /// A scheme that is not one of the key's type is a no. Who verifies with the key again and again makes a
    /// ``SignatureVerifier``, and keeps it.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], scheme: SignatureScheme) -> Bool {
        SignatureVerifier(self, scheme: scheme)?.isValidSignature(signature, of: message.span) ?? false
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

/// A key of libcrypto's, held by an object of ours.
///
/// A module that uses OpenSSL too may see `EVP_PKEY` without our notes on it, as a plain pointer. Were it part of a value, that
/// module would copy the value and not retain the key. An object is retained by all alike.
final class HeldKey: Sendable {
    let key: EVP_PKEY

    init(_ key: EVP_PKEY) {
        self.key = key
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
