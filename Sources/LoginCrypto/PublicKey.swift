// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A public key, which can only verify.
///
/// This type does not check the strength of RSA parameters or the order of an Ed25519 point. `JSONWebKey` refuses weak
/// ones first, because OpenSSL does not: it accepts an RSA exponent of 1 and then a forged signature.
package struct PublicKey: Sendable {
    private let held: HeldKey

    /// The length of each signature by this key, in bytes.
    package let signatureByteCount: Int

    init(_ held: HeldKey, signatureByteCount: Int) {
        self.held = held
        self.signatureByteCount = signatureByteCount
    }

    var key: EVP_PKEY { held.key }

    /// Returns whether `signature` is a valid signature of `message`; false if the scheme does not match the type of
    /// the key.
    ///
    /// To verify repeatedly with one key, create a ``SignatureVerifier`` and reuse it.
    package func isValidSignature(_ signature: [UInt8], of message: [UInt8], scheme: SignatureScheme) -> Bool {
        SignatureVerifier(self, scheme: scheme)?.isValidSignature(signature, of: message.span) ?? false
    }

    /// Returns whether this is the public key of an X.509 certificate (RFC 7517 §4.7).
    ///
    /// - Parameter certificate: The certificate in DER. Bytes after it are ignored.
    /// - Returns: Whether the keys are equal; nil if the bytes are not a certificate, or its key cannot be read.
    package func isKey(of certificate: [UInt8]) -> Bool? {
        withOpenSSL {
            unsafe certificate.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                let parsed = unsafe d2i_X509(nil, &position, bytes.count)
                defer { unsafe X509_free(parsed) }
                guard unsafe parsed != nil, let held = unsafe X509_get0_pubkey(parsed) else { return nil }
                // The same numbers are another type of key in a certificate for RSASSA-PSS (RFC 4055 §1.2).
                guard unsafe EVP_PKEY_is_a(held, "RSA-PSS") == 1 else { return EVP_PKEY_eq(key, held) == 1 }
                return PublicKeyNumbers.rsa(key) == PublicKeyNumbers.rsa(held)
            }
        }
    }
}

/// An object that holds a key of libcrypto.
///
/// Another module that uses OpenSSL may import `EVP_PKEY` without our annotations, as a plain pointer. If the key were
/// stored in a value type, that module would copy the value without retaining the key. Every module retains objects
/// correctly.
final class HeldKey: Sendable {
    let key: EVP_PKEY

    init(_ key: EVP_PKEY) {
        self.key = key
    }
}

extension SignatureScheme {
    /// Returns whether the scheme matches the type of the key.
    ///
    /// OpenSSL does not check this: for a scheme without a named hash function, such as Ed25519, and an RSA key it
    /// chooses a hash function and verifies PKCS #1.
    func isFor(_ key: EVP_PKEY) -> Bool {
        switch self {
        case .pkcs1, .pss: unsafe EVP_PKEY_is_a(key, "RSA") == 1
        case .ecdsa: unsafe EVP_PKEY_is_a(key, "EC") == 1
        case .ed25519: unsafe EVP_PKEY_is_a(key, "ED25519") == 1
        }
    }

    /// Sets the parameters of the scheme other than the hash function, for signing and verifying.
    func configure(_ parameters: OpaquePointer?) -> Bool {
        switch self {
        case .pkcs1:
            // The default padding, set explicitly so that this fails unless the key is RSA.
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
