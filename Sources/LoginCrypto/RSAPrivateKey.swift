// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// An RSA key that can sign, for the test kit and the sample command.
///
/// No verifying code takes one.
package struct RSAPrivateKey: Sendable {
    private let key: EVP_PKEY

    /// Generates a key with the public exponent 65537.
    ///
    /// - Parameter bits: The length of the modulus; 512 … 8192, so that tests can also make keys too weak to use.
    package init(bits: Int) {
        precondition((512...8192).contains(bits), "an RSA key has 512 to 8192 bits here")
        let generated = withOpenSSL { () -> EVP_PKEY? in
            guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "RSA", nil) else { return nil }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: EVP_PKEY?
            guard unsafe EVP_PKEY_keygen_init(context) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1,
                unsafe EVP_PKEY_generate(context, &key) == 1
            else { return nil }
            return key
        }
        guard let generated else { preconditionFailure("libcrypto could not generate an RSA key of \(bits) bits") }
        self.key = generated
    }

    /// The half that may be shown.
    package var publicKey: RSAPublicKey { RSAPublicKey(key: key) }

    /// The modulus, big-endian, without leading zeros.
    package var modulus: [UInt8] { publicNumber(OSSL_PKEY_PARAM_RSA_N) }

    /// The public exponent, big-endian, without leading zeros.
    package var exponent: [UInt8] { publicNumber(OSSL_PKEY_PARAM_RSA_E) }

    /// Signs `message` with RSASSA-PKCS1-v1_5 (RFC 8017 §8.2.1).
    package func signature(of message: [UInt8], digest: Digest) -> [UInt8] {
        let size = Int(key.maximumOutputByteCount)
        return withOpenSSL {
            let context = unsafe EVP_MD_CTX_new()
            defer { unsafe EVP_MD_CTX_free(context) }
            var output = [UInt8](repeating: 0, count: size)
            var length = size
            let signed =
                unsafe EVP_DigestSignInit(context, nil, digest.evp, nil, key) == 1
                && EVP_DigestSign(context, &output, &length, message, message.count) == 1
            precondition(signed, "libcrypto could not sign")
            return Array(output.prefix(length))
        }
    }

    private func publicNumber(_ name: String) -> [UInt8] {
        withOpenSSL {
            var number: OpaquePointer?
            defer { unsafe BN_free(number) }
            // A key that was generated has both of its public numbers.
            precondition(unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1, "an RSA key has \(name)")
            let size = unsafe (Int(BN_num_bits(number)) + 7) / 8
            var output = [UInt8](repeating: 0, count: size)
            unsafe BN_bn2bin(number, &output)
            return output
        }
    }
}
