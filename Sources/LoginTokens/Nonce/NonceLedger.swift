// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The state of ``InMemoryNonceStore``: the issued and the consumed nonces, without lock, clock or random numbers.
package typealias NonceLedger = SingleUseLedger<NonceDigest, Void>

extension NonceLedger {
    /// Records an issued nonce.
    ///
    /// - Parameters:
    ///   - digest: The digest of the nonce, which must be new.
    ///   - purpose: The purpose of the nonce.
    ///   - binding: The binding to the client.
    ///   - lifetime: The lifetime of the nonce.
    ///   - now: The current time.
    /// - Throws: ``NonceStoreError``; the ledger is unchanged then.
    package mutating func issue(
        _ digest: NonceDigest,
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration,
        now: Date
    ) throws(NonceStoreError) {
        do throws(Fault) {
            try enter(digest, content: (), purpose: purpose, binding: binding, lifetime: lifetime, now: now)
        } catch {
            switch error {
            // A random number generator that returns the same 128 bits twice is broken.
            case .known: preconditionFailure("a nonce is issued once")
            case .full: throw .full
            case .lifetime: throw .lifetime
            }
        }
    }

    /// Marks a nonce as consumed, if it is valid.
    ///
    /// - Parameters:
    ///   - digest: The digest of the nonce.
    ///   - purpose: The purpose for which the nonce is used.
    ///   - binding: The binding of the client that uses it.
    ///   - now: The current time.
    /// - Returns: `consumed`, or the reason why the nonce was not consumed.
    package mutating func consume(
        _ digest: NonceDigest,
        purpose: NoncePurpose,
        binding: NonceBinding,
        now: Date
    ) -> NonceUse {
        switch use(digest, purpose: purpose, binding: binding, now: now) {
        case .used: .consumed
        case .replayed: .replayed
        case .expired: .expired
        case .startedElsewhere: .issuedElsewhere
        case .unknown: .unknown
        }
    }
}
