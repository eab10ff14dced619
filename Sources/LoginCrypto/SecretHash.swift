// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A hash with a secret key of its own: SipHash-2-4 with 128 bits.
///
/// Nobody who does not know the key finds a second input with the hash of another, and nobody who reads the hash finds the
/// input. Where the processor has no instructions for SHA-256, this takes much less time.
package final class SecretHash: Sendable {
    private let key = randomBytes(count: 16)

    private let name: String

    /// What a hash is computed in.
    private let contexts = unsafe Spares(free: EVP_MAC_CTX_free)

    /// A hash with a new key.
    package convenience init() {
        self.init(implementation: "SIPHASH")
    }

    /// The same with another implementation of libcrypto's, for tests of where there is none.
    init(implementation name: String) {
        self.name = name
    }

    /// The hash of `message`.
    package func hash(of message: Span<UInt8>) -> UInt128 {
        // Where libcrypto is set up to offer only what a standard approves, it has no SipHash.
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
        let spare = unsafe contexts.take()
        guard let context = unsafe spare ?? withOpenSSL({ unsafe makeContext() }) else { return nil }
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
            // Fails only where memory has run out.
            precondition(status, "libcrypto could not compute a hash")
            return hash
        }
    }
}

private func bytes(of span: Span<UInt8>) -> [UInt8] {
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
}
