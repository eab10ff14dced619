// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A key that closes bytes, so that nobody without it reads or changes them: AES-256 in Galois/Counter Mode (NIST SP
/// 800-38D).
///
/// What is sealed is a nonce of 96 random bits, the ciphertext, and a tag of 128 bits. With random nonces one key may seal
/// 2³² times (§8.3); who makes a new key for each text stays far below.
package struct SealingKey: Sendable {
    /// The length of a key in bytes.
    package static let byteCount = 32

    /// How many bytes sealing adds.
    package static let overhead = nonceByteCount + tagByteCount

    private static let nonceByteCount = 12
    private static let tagByteCount = 16

    /// libcrypto counts in 32 bits, and nothing here is nearly so long.
    private static let longest = 1 << 20

    private let bytes: [UInt8]

    /// A key.
    ///
    /// - Parameter bytes: ``byteCount`` bytes that nobody guesses.
    package init(_ bytes: [UInt8]) {
        precondition(bytes.count == Self.byteCount, "a key has 32 bytes")
        self.bytes = bytes
    }

    /// Seals a text.
    ///
    /// - Parameters:
    ///   - text: What to seal; 1 MiB at most.
    ///   - context: What it belongs to, which opening must name again; it is not kept. 1 MiB at most.
    /// - Returns: The nonce, the ciphertext and the tag.
    package func seal(_ text: [UInt8], context: [UInt8]) -> [UInt8] {
        seal(text, context: context, nonce: randomBytes(count: Self.nonceByteCount))
    }

    /// The same with a nonce that the caller says, for the vectors of the specification.
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
            // Fails only where memory has run out, or where a provider forbids AES.
            precondition(isSealed, "libcrypto could not seal")
            return nonce + output + tag
        }
    }

    /// Opens what was sealed.
    ///
    /// - Parameters:
    ///   - sealed: What ``seal(_:context:)`` returned.
    ///   - context: What it belongs to.
    /// - Returns: The text; nil where one byte of it, of the context or of the key is another.
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
                // Before this one answers 1, nothing in the output may be believed.
                && EVP_DecryptFinal_ex(cipher, &rest, &length) == 1
            return isOpen ? output : nil
        }
    }
}

extension SealingKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is one, without the bytes.
    package var description: String { "key to seal with" }
    /// As ``description``.
    package var debugDescription: String { description }
    /// No children: a dump must not show the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
