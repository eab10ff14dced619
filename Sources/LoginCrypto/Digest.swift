// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A hash function, by the name JOSE's algorithms give it.
package enum Digest: Sendable, CaseIterable {
    case sha256, sha384, sha512

    /// The length of its output in bytes.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// OpenSSL's static description of it, which nobody frees.
    var evp: OpaquePointer {
        switch self {
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }

    /// Hashes `message`.
    package func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        let message = Array(message)
        return withOpenSSL {
            var output = [UInt8](repeating: 0, count: byteCount)
            let status = unsafe EVP_Digest(message, message.count, &output, nil, evp, nil)
            // Fails only where memory has run out or a provider forbids SHA-2; there is no honest answer then.
            precondition(status == 1, "libcrypto could not compute a digest")
            return output
        }
    }

    /// The keyed hash HMAC (RFC 2104) of `message`.
    package func authenticationCode(of message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        let message = Array(message)
        // An empty Swift array may have no address, and HMAC takes that as "the key of the last call".
        let key = key.isEmpty ? [0] : Array(key)
        return withOpenSSL {
            var output = [UInt8](repeating: 0, count: byteCount)
            let result = unsafe HMAC(evp, key, Int32(key.count), message, message.count, &output, nil)
            precondition(unsafe result != nil, "libcrypto could not compute an HMAC")
            return output
        }
    }
}
