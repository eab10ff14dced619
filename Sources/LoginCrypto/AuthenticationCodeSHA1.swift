// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// The keyed hash HMAC (RFC 2104) with SHA-1, for one-time passwords (RFC 4226 §5) and nothing else.
///
/// That collisions of SHA-1 can be made does not help against HMAC (RFC 6194 §3.3), and the apps that compute these codes know
/// no other hash. It is no ``Digest``, so that nothing that signs or hashes can choose it.
///
/// - Parameters:
///   - message: What to hash.
///   - key: The key.
/// - Returns: 20 bytes; nil where libcrypto is set up to offer no SHA-1.
package func authenticationCodeSHA1(of message: [UInt8], key: [UInt8]) -> [UInt8]? {
    // An empty Swift array may have no address, and HMAC takes that as "the key of the last call".
    let key = key.isEmpty ? [0] : key
    return withOpenSSL {
        var output = [UInt8](repeating: 0, count: 20)
        var length: UInt32 = 0
        let result = unsafe HMAC(EVP_sha1(), key, Int32(key.count), message, message.count, &output, &length)
        return unsafe result != nil && length == 20 ? output : nil
    }
}
