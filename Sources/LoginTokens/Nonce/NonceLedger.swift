// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Which nonces were issued and which are used: what ``InMemoryNonceStore`` knows, without lock, clock and randomness.
package typealias NonceLedger = SingleUseLedger<NonceDigest, Void>

extension NonceLedger {
    /// Enters a nonce.
    ///
    /// - Parameters:
    ///   - digest: Its digest, which was not entered before.
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be used.
    ///   - now: What time it is.
    /// - Throws: ``NonceStoreError``; nothing is entered then.
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
            // A generator that returns 128 bits twice has failed.
            case .known: preconditionFailure("a nonce is issued once")
            case .full: throw .full
            case .lifetime: throw .lifetime
            }
        }
    }

    /// Marks a nonce as used, if it may be.
    ///
    /// - Parameters:
    ///   - digest: Its digest.
    ///   - purpose: What it is used for.
    ///   - binding: Who uses it.
    ///   - now: What time it is.
    /// - Returns: Whether it was marked now, or why not.
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
