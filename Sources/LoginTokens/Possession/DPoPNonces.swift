// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The server nonces for DPoP proofs (RFC 9449 §8, §9), without storage.
///
/// A nonce is an HMAC of the current time step. Servers with the same secret agree on it, and a restart changes nothing.
/// All clients get the same nonce: it must be unpredictable, not secret.
///
/// ```swift
/// let nonces = try DPoPNonces(secret: secret)
/// let dpop = DPoPVerifier(policy: try DPoPPolicy(nonces: nonces), ledger: ledger)
/// ```
///
/// To replace the secret, create a new value. Clients then get the new nonce with a refusal, and try again.
public struct DPoPNonces: Sendable {
    private let secret: [UInt8]
    private let stepSeconds: Double

    /// Creates the nonces of a secret.
    ///
    /// - Parameters:
    ///   - secret: At least 32 random bytes, used for nothing else; the same for all servers of a service.
    ///   - lifetime: The time for which a new nonce is issued, and at least accepted, within
    ///     `Limits.proofNonceLifetime`: 10 to 600 seconds. A nonce is accepted for at most twice this time.
    /// - Throws: ``PolicyError`` if the secret is too short, or the lifetime is out of range.
    public init(secret: [UInt8], lifetime: Duration = .seconds(60)) throws(PolicyError) {
        guard secret.count >= Limits.proofNonceSecretBytes else {
            throw PolicyError("secret of nonces: at least \(Limits.proofNonceSecretBytes) bytes are required")
        }
        let range = Limits.proofNonceLifetime
        guard range.contains(lifetime) else {
            throw PolicyError("lifetime of nonces: must be \(range.lowerBound) to \(range.upperBound)")
        }
        self.secret = secret
        stepSeconds = lifetime.seconds
    }

    /// Returns the nonce that is issued at a time.
    func nonce(at time: Date) -> String {
        nonce(ofStep: step(at: time.timeIntervalSince1970))
    }

    /// Returns the time from which a nonce is no longer accepted, in seconds since 1970; nil if it is not accepted now.
    ///
    /// Accepted are the nonces of the current and the previous step, and of the next one, which another server may
    /// already issue if its clock is ahead.
    func expiry(of nonce: String, now: Double) -> Double? {
        let current = step(at: now)
        let bytes = Array(nonce.utf8)
        for step in [current, current - 1, current + 1]
        where constantTimeEquals(bytes.span, self.nonce(ofStep: step)) {
            return Double(step + 2) * stepSeconds
        }
        return nil
    }

    /// Returns the number of a time step; times outside `Limits.numericDate` belong to its first or last step.
    private func step(at seconds: Double) -> Int {
        let range = Limits.numericDate
        // The comparison also excludes values that are not numbers, which Int would trap on.
        let bounded = range.contains(seconds) ? seconds : seconds > range.upperBound ? range.upperBound : 0
        return Int(bounded / stepSeconds)
    }

    private func nonce(ofStep step: Int) -> String {
        let code = Digest.sha256.authenticationCode(of: Array("DPoP nonce \(step)".utf8), key: secret)
        return Base64URL.encode(code.prefix(16))
    }
}

extension DPoPNonces: Redacted {
    /// A fixed text without the secret.
    public var description: String { "nonces for DPoP proofs" }
}
