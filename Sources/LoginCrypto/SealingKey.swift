// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// An encryption key for authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// The output consists of a random nonce of 96 bits, the ciphertext, and a tag of 128 bits. With random nonces, one key
/// may encrypt 2³² times (§8.3); a new key for each text stays far below this limit.
package struct SealingKey: Sendable {
    /// The length of a key in bytes.
    package static let byteCount = 32

    /// The number of bytes that encryption adds.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// The maximum length, because libcrypto uses 32-bit lengths; no text here is nearly this long.
    private static let longest = 1 << 20

    private let bytes: [UInt8]

    /// Creates a key.
    ///
    /// - Parameter bytes: ``byteCount`` unpredictable bytes.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
        self.bytes = bytes
    }

    /// Encrypts a text.
    ///
    /// - Parameters:
    ///   - text: The plaintext; at most 1 MiB.
    ///   - context: The additional authenticated data, which decryption must supply again; it is not part of the
    ///     output. At most 1 MiB.
    /// - Returns: The nonce, the ciphertext and the tag.
    package func seal(_ text: [UInt8], context: [UInt8]) -> [UInt8] {
        seal(text, context: context, nonce: randomBytes(count: Self.nonceByteCount))
    }

    /// Encrypts with a given nonce, for the test vectors of the specification.
    func seal(_ text: [UInt8], context: [UInt8], nonce: [UInt8]) -> [UInt8] {
        precondition(nonce.count == Self.nonceByteCount, "a nonce has 12 bytes")
        precondition(max(text.count, context.count) <= Self.longest, "what is sealed has 1 MiB at most")
        return withOpenSSL {
            let cipher = unsafe EVP_CIPHER_CTX_new()
            defer { unsafe EVP_CIPHER_CTX_free(cipher) }
            var output = [UInt8](repeating: 0, count: text.count)
            var tag = [UInt8](repeating: 0, count: Self.tagByteCount)
            var length: Int32 = 0
            var rest = [UInt8](repeating: 0, count: Self.tagByteCount)
            let isSealed =
                unsafe EVP_EncryptInit_ex2(cipher, EVP_aes_256_gcm(), bytes, nonce, nil) == 1
                && EVP_EncryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1
                && EVP_EncryptUpdate(cipher, &output, &length, text, Int32(text.count)) == 1
                && Int(length) == text.count
                && EVP_EncryptFinal_ex(cipher, &rest, &length) == 1
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
            // This fails only if memory is exhausted, or if a provider forbids AES.
            precondition(isSealed, "libcrypto could not seal")
            return nonce + output + tag
        }
    }

    /// Decrypts a text.
    ///
    /// - Parameters:
    ///   - sealed: The output of ``seal(_:context:)``.
    ///   - context: The additional authenticated data.
    /// - Returns: The plaintext; nil if any byte of the sealed text, the context or the key differs.
    package func open(_ sealed: [UInt8], context: [UInt8]) -> [UInt8]? {
        guard (Self.overhead...Self.overhead + Self.longest).contains(sealed.count), context.count <= Self.longest
        else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceByteCount))
        var tag = Array(sealed.suffix(Self.tagByteCount))
        let ciphertext = Array(sealed.dropFirst(nonce.count).dropLast(tag.count))
        return withOpenSSL {
            let cipher = unsafe EVP_CIPHER_CTX_new()
            defer { unsafe EVP_CIPHER_CTX_free(cipher) }
            var output = [UInt8](repeating: 0, count: ciphertext.count)
            var length: Int32 = 0
            var rest = [UInt8](repeating: 0, count: Self.tagByteCount)
            let isOpen =
                unsafe EVP_DecryptInit_ex2(cipher, EVP_aes_256_gcm(), bytes, nonce, nil) == 1
                && EVP_DecryptUpdate(cipher, nil, &length, context, Int32(context.count)) == 1
                && EVP_DecryptUpdate(cipher, &output, &length, ciphertext, Int32(ciphertext.count)) == 1
                && Int(length) == ciphertext.count
                && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1
                // The output is not authenticated before this call returns 1.
                && EVP_DecryptFinal_ex(cipher, &rest, &length) == 1
            return isOpen ? output : nil
        }
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A fixed text without the key bytes.
    package var description: String { "key to seal with" }
    /// The same text as ``description``.
    package var debugDescription: String { description }
    /// A mirror without children, so that a dump does not show the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
