// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL
internal import Synchronization

/// A key prepared for verifying signatures of one scheme.
///
/// Preparing a verification takes libcrypto a considerable part of the time of an RSA verification. It is therefore
/// done for the first signature, and the prepared context is reused.
package final class SignatureVerifier: Sendable {
    private let key: PublicKey
    private let scheme: SignatureScheme

    /// The pool of prepared contexts; unused for Ed25519, which takes the message itself and is not prepared.
    private let verifications: ObjectPool

    /// Whether preparing has succeeded once, so that it can succeed again.
    private let wasPrepared = Atomic(false)

    /// Creates a verifier; nil if the scheme does not match the type of the key.
    package init?(_ key: PublicKey, scheme: SignatureScheme) {
        guard withOpenSSL({ scheme.isFor(key.key) }) else { return nil }
        self.key = key
        self.scheme = scheme
        verifications = unsafe ObjectPool(free: EVP_PKEY_CTX_free)
    }

    /// Whether libcrypto supports this scheme; it may not if it is configured to offer only approved algorithms.
    package var isUsable: Bool {
        guard scheme.digest != nil, !wasPrepared.load(ordering: .relaxed) else { return true }
        guard let context = unsafe withOpenSSL({ unsafe prepare() }) else { return false }
        unsafe verifications.giveBack(context)
        return true
    }

    /// Returns whether `signature` is a valid signature of `message` by this key.
    package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
        // RFC 8017 §8.1.2 and §8.2.2 step 1, RFC 7518 §3.4 step 1, RFC 8032 §5.1.7 step 1. OpenSSL would refuse too;
        // this check does not rely on it, and avoids passing an empty buffer.
        guard signature.count == key.signatureByteCount else { return false }
        return withOpenSSL {
            switch scheme {
            case .pkcs1(let digest), .pss(let digest):
                return verify(signature, hash: digest.value(of: message), byteCount: digest.byteCount)
            case .ecdsa(let digest):
                guard let der = derECDSASignature(signature) else { return false }
                return verify(der, hash: digest.value(of: message), byteCount: digest.byteCount)
            case .ed25519:
                return verify(signature, message: message)
            }
        }
    }

    /// Returns a prepared context, which can verify any number of times (EVP_PKEY_verify(3)).
    private func prepare() -> OpaquePointer? {
        // Each context has its own copy of the key: libcrypto locks a key on each use, and threads would contend for
        // that lock.
        guard let digest = scheme.digest, let copy = EVP_PKEY_dup(key.key) else { return nil }
        let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, copy, nil)
        guard unsafe EVP_PKEY_verify_init(context) == 1, unsafe scheme.configure(context),
            unsafe EVP_PKEY_CTX_set_signature_md(context, digest.evp) == 1
        else {
            unsafe EVP_PKEY_CTX_free(context)
            return nil
        }
        wasPrepared.store(true, ordering: .relaxed)
        return unsafe context
    }

    /// Verifies a signature of a hash; only status 1 means valid: 0 means invalid, a negative value an error.
    private func verify(_ signature: [UInt8], hash: SIMD64<UInt8>, byteCount: Int) -> Bool {
        // No closure captures this object here, because threads that share it would contend for its reference count.
        var pooled = unsafe verifications.take()
        if unsafe pooled == nil { unsafe pooled = unsafe prepare() }
        guard let context = unsafe pooled else { return false }
        defer { unsafe verifications.giveBack(context) }
        let status = unsafe withUnsafeBytes(of: hash) { hash in
            let hash = unsafe hash.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe EVP_PKEY_verify(context, signature, signature.count, hash, byteCount)
        }
        return status == 1
    }

    private func verify(_ signature: [UInt8], message: Span<UInt8>) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key.key) == 1 else { return false }
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
        }
    }
}

/// Converts an ECDSA signature from r and s side by side, the JOSE format, to DER, the OpenSSL format.
///
/// The DER is generated here, so each pair of numbers has exactly one encoding, and the strictness of a DER parser does
/// not matter.
private func derECDSASignature(_ signature: [UInt8]) -> [UInt8]? {
    let half = signature.count / 2
    let r = unsafe BN_bin2bn(Array(signature[..<half]), Int32(half), nil)
    let s = unsafe BN_bin2bn(Array(signature[half...]), Int32(half), nil)
    let pair = unsafe ECDSA_SIG_new()
    defer { unsafe ECDSA_SIG_free(pair) }
    // This takes ownership of both numbers, unless it fails.
    guard unsafe ECDSA_SIG_set0(pair, r, s) == 1 else {
        unsafe BN_free(r)
        unsafe BN_free(s)
        return nil
    }
    let size = unsafe i2d_ECDSA_SIG(pair, nil)
    guard size > 0 else { return nil }
    var output = [UInt8](repeating: 0, count: Int(size))
    let written = unsafe output.withUnsafeMutableBufferPointer { buffer in
        var position = buffer.baseAddress
        return unsafe i2d_ECDSA_SIG(pair, &position)
    }
    return written == size ? output : nil
}
