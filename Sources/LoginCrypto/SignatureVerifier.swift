// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL
internal import Synchronization

/// A key made ready to verify the signatures of one scheme.
///
/// To set a verification up takes libcrypto a good part of the time that an RSA signature takes. So it is done when the first
/// signature comes, and what was set up is used again.
package final class SignatureVerifier: Sendable {
    private let key: PublicKey
    private let scheme: SignatureScheme

    /// Prepared verifications of a digest; not used for Ed25519, which takes the message itself, and is not prepared.
    private let verifications: Spares

    /// Whether one was set up, so that others can be.
    private let wasPrepared = Atomic(false)

    /// Nil where the scheme is not one of the key's type.
    package init?(_ key: PublicKey, scheme: SignatureScheme) {
        guard withOpenSSL({ scheme.isFor(key.key) }) else { return nil }
        self.key = key
        self.scheme = scheme
        verifications = unsafe Spares(free: EVP_PKEY_CTX_free)
    }

    /// Whether libcrypto verifies by this scheme at all: where it is set up to offer only what a standard approves, it may not.
    package var isUsable: Bool {
        guard scheme.digest != nil, !wasPrepared.load(ordering: .relaxed) else { return true }
        guard let context = unsafe withOpenSSL({ unsafe prepare() }) else { return false }
        unsafe verifications.giveBack(context)
        return true
    }

    /// Whether `signature` is the key's, of `message`.
    package func isValidSignature(_ signature: [UInt8], of message: Span<UInt8>) -> Bool {
        // RFC 8017 §8.1.2 and §8.2.2 step 1, RFC 7518 §3.4 step 1, RFC 8032 §5.1.7 step 1. OpenSSL would refuse too;
        // we do not depend on it, nor hand it an empty buffer.
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

    /// A verification of a digest, set up: it may be made any number of times (EVP_PKEY_verify(3)).
    private func prepare() -> OpaquePointer? {
        // Each has a copy of the key: libcrypto locks a key in each use, and that lock would go from thread to thread.
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

    /// 0 says "not valid", a negative value "could not tell"; only 1 is a yes.
    private func verify(_ signature: [UInt8], hash: SIMD64<UInt8>, byteCount: Int) -> Bool {
        // Without closures that would hold this object: threads that share it take its count of references from each other.
        var spare = unsafe verifications.take()
        if unsafe spare == nil { unsafe spare = unsafe prepare() }
        guard let context = unsafe spare else { return false }
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

/// OpenSSL takes an ECDSA signature as a DER sequence of r and s; JOSE writes them side by side.
///
/// The DER is made here, so that there is one for each pair of numbers, and no question of how strictly it is read.
private func derECDSASignature(_ signature: [UInt8]) -> [UInt8]? {
    let half = signature.count / 2
    let r = unsafe BN_bin2bn(Array(signature[..<half]), Int32(half), nil)
    let s = unsafe BN_bin2bn(Array(signature[half...]), Int32(half), nil)
    let pair = unsafe ECDSA_SIG_new()
    defer { unsafe ECDSA_SIG_free(pair) }
    // Takes both numbers over, unless it fails.
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
