// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Returns an HMAC (RFC 2104) with SHA-1, for one-time passwords (RFC 4226 §5) only.
///
/// Collisions of SHA-1 do not weaken HMAC (RFC 6194 §3.3), and authenticator apps often support no other hash function.
/// SHA-1 is not a ``Digest``, so that no code that signs or hashes can select it.
///
/// - Parameters:
///   - message: The message.
///   - key: The HMAC key.
/// - Returns: 20 bytes; nil if libcrypto is configured without SHA-1.
package func authenticationCodeSHA1(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
    // An empty Swift array may have a null address, which HMAC interprets as "the key of the previous call".
    let key = key.isEmpty ? [0] : key
    return withOpenSSL {
        var output = [UInt8](repeating: 0, count: 20)
        var length: UInt32 = 0
        let result = unsafe HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &output, &length)
        return unsafe result != nil && length == 20 ? output : nil
    }
}
