// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A hash function used by the algorithms of JOSE.
package enum Digest: Sendable, CaseIterable {
    case sha256, sha384, sha512

    /// The length of the hash, in bytes.
    package var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// OpenSSL's implementation, fetched once and never freed.
    ///
    /// The result of `EVP_sha256` is only a name, which OpenSSL would look up on each use.
    var evp: OpaquePointer {
        switch self {
        case .sha256: unsafe Self.fetchedSHA256
        case .sha384: unsafe Self.fetchedSHA384
        case .sha512: unsafe Self.fetchedSHA512
        }
    }

    private nonisolated(unsafe) static let fetchedSHA256 = unsafe fetch("SHA256")
    private nonisolated(unsafe) static let fetchedSHA384 = unsafe fetch("SHA384")
    private nonisolated(unsafe) static let fetchedSHA512 = unsafe fetch("SHA512")

    private static func fetch(_ name: String) -> OpaquePointer {
        let fetched = unsafe withOpenSSL { unsafe EVP_MD_fetch(nil, name, nil) }
        // This fails only if a provider forbids SHA-2.
        guard let fetched = unsafe fetched else { preconditionFailure("libcrypto has no \(name)") }
        return unsafe fetched
    }

    /// Hashes `message`.
    package func hash(_ message: some Collection<UInt8>) -> [UInt8] {
        hash(Array(message).span)
    }

    /// Hashes `message`.
    package func hash(_ message: Span<UInt8>) -> [UInt8] {
        let hash = value(of: message)
        return (0..<byteCount).map { hash[$0] }
    }

    /// Returns the hash of `message` in the first bytes of the result.
    ///
    /// Errors may stay on libcrypto's queue only if this ends the process.
    func value(of message: Span<UInt8>) -> SIMD64<UInt8> {
        unsafe message.withUnsafeBufferPointer { message in
            var hash = SIMD64<UInt8>()
            let status = unsafe withUnsafeMutableBytes(of: &hash) { output in
                let output = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe EVP_Digest(message.baseAddress, message.count, output, nil, evp, nil)
            }
            // This fails only if memory is exhausted.
            precondition(status == 1, "libcrypto could not compute a digest")
            return hash
        }
    }

    /// Returns the HMAC (RFC 2104) of `message`.
    package func authenticationCode(of message: some Collection<UInt8>, key: some Collection<UInt8>) -> [UInt8] {
        let message = Array(message)
        // An empty Swift array may have a null address, which HMAC interprets as "the key of the previous call".
        let key = key.isEmpty ? [0] : Array(key)
        return withOpenSSL {
            var output = [UInt8](repeating: 0, count: byteCount)
            let result = unsafe HMAC(evp, key, Int32(key.count), message, message.count, &output, nil)
            precondition(unsafe result != nil, "libcrypto could not compute an HMAC")
            return output
        }
    }
}
