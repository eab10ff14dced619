// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// A hash with a secret key of its own: SipHash-2-4 with 128 bits.
///
/// Nobody who does not know the key finds a second input with the hash of another, and nobody who reads the hash finds the
/// input. Where the processor has no instructions for SHA-256, this takes much less time.
@safe
package final class SecretHash: Sendable {
    private let key = randomBytes(count: 16)

    /// It is never used or changed, only copied, which libcrypto may do on several threads at once.
    ///
    /// Nil where libcrypto is set up to offer only what a standard approves; HMAC with SHA-256 then stands in.
    private nonisolated(unsafe) let prepared: OpaquePointer?

    /// A hash with a new key.
    package convenience init() {
        self.init(implementation: "SIPHASH")
    }

    /// The same with another implementation of libcrypto's, for tests of where there is none.
    init(implementation name: String) {
        let key = key
        unsafe prepared = unsafe withOpenSSL { () -> OpaquePointer? in
            guard let implementation = unsafe EVP_MAC_fetch(nil, name, nil) else { return nil }
            defer { unsafe EVP_MAC_free(implementation) }
            guard let context = unsafe EVP_MAC_CTX_new(implementation) else { return nil }
            guard unsafe EVP_MAC_init(context, key, key.count, nil) == 1 else {
                unsafe EVP_MAC_CTX_free(context)
                return nil
            }
            return unsafe context
        }
    }

    deinit {
        unsafe EVP_MAC_CTX_free(prepared)
    }

    /// The hash of `message`.
    package func hash(of message: Span<UInt8>) -> SIMD16<UInt8> {
        guard let prepared = unsafe prepared else {
            return SIMD16(Digest.sha256.authenticationCode(of: bytes(of: message), key: key).prefix(16))
        }
        return unsafe message.withUnsafeBufferPointer { message in
            withOpenSSL {
                var hash = SIMD16<UInt8>()
                let context = unsafe EVP_MAC_CTX_dup(prepared)
                defer { unsafe EVP_MAC_CTX_free(context) }
                let status = unsafe withUnsafeMutableBytes(of: &hash) { output in
                    var length = 0
                    let bytes = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                    return unsafe EVP_MAC_update(context, message.baseAddress, message.count) == 1
                        && EVP_MAC_final(context, bytes, &length, output.count) == 1 && length == output.count
                }
                // Fails only where memory has run out.
                precondition(status, "libcrypto could not compute a hash")
                return hash
            }
        }
    }
}

private func bytes(of span: Span<UInt8>) -> [UInt8] {
    unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
}
