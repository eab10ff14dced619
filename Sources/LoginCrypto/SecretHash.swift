// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A keyed hash function with a random secret key: SipHash-2-4 with 128 bits.
///
/// Without the key, nobody can find two inputs with the same hash, or the input of a hash. On processors without
/// SHA-256 instructions it is much faster than SHA-256.
package final class SecretHash: Sendable {
    private let key = randomBytes(count: 16)

    private let name: String

    /// The pool of hash contexts.
    private let contexts = unsafe ObjectPool(free: EVP_MAC_CTX_free)

    /// Creates a hash function with a new key.
    package convenience init() {
        self.init(implementation: "SIPHASH")
    }

    /// Creates a hash function with another implementation of libcrypto, for tests without SipHash.
    init(implementation name: String) {
        self.name = name
    }

    /// Returns the hash of `message`.
    package func hash(of message: Span<UInt8>) -> UInt128 {
        // If libcrypto is configured to offer only approved algorithms, it has no SipHash.
        sipHash(of: message)
            ?? Digest.sha256.authenticationCode(of: bytes(of: message), key: key).prefix(16)
            .reduce(0) { $0 << 8 | UInt128($1) }
    }

    private func makeContext() -> OpaquePointer? {
        guard let implementation = unsafe EVP_MAC_fetch(nil, name, nil) else { return nil }
        defer { unsafe EVP_MAC_free(implementation) }
        return unsafe EVP_MAC_CTX_new(implementation)
    }

    private func sipHash(of message: Span<UInt8>) -> UInt128? {
        let pooled = unsafe contexts.take()
        guard let context = unsafe pooled ?? withOpenSSL({ unsafe makeContext() }) else { return nil }
        defer { unsafe contexts.giveBack(context) }
        return unsafe message.withUnsafeBufferPointer { message in
            var hash: UInt128 = 0
            let status = unsafe withUnsafeMutableBytes(of: &hash) { output in
                var length = 0
                let bytes = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                return unsafe EVP_MAC_init(context, key, key.count, nil) == 1
                    && EVP_MAC_update(context, message.baseAddress, message.count) == 1
                    && EVP_MAC_final(context, bytes, &length, output.count) == 1 && length == output.count
            }
            // This fails only if memory is exhausted.
            precondition(status, "libcrypto could not compute a hash")
            return hash
        }
    }
}

private func bytes(of span: Span<UInt8>) -> [UInt8] {
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
}
