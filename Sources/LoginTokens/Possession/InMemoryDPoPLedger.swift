// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A ledger of used DPoP proofs in the memory of this process.
///
/// - **One process.** Other servers do not know the proofs used here. Behind a load balancer, use a shared
///   ``DPoPLedger``, such as `StoredDPoPLedger` of `LoginAccounts`. Within a process, create one ledger and pass it to
///   every verifier.
/// - **A restart** forgets all proofs. A proof used before the restart could be replayed until it is too old; server
///   nonces with a new secret (``DPoPNonces``) prevent this.
/// - **Bounded memory.** A full ledger records no proof until some expire, and forgets none: otherwise a client could
///   make many proofs to replay an old one. The verification is then undecided (`proof-undecided`). Limit the requests
///   of one client.
/// - **The clock** may be adjusted. A proof that might have been forgotten counts as used.
public final class InMemoryDPoPLedger: DPoPLedger {
    private let state: Mutex<UsedProofs>

    /// Creates an empty ledger.
    ///
    /// - Parameter capacity: The maximum number of stored proofs: the proofs per second times their maximum age.
    public init(capacity: Int = Limits.storedProofs) {
        precondition(capacity > 0, "capacity must be at least 1")
        state = Mutex(UsedProofs(capacity: capacity))
    }

    /// Records the use of a proof, once.
    ///
    /// - Parameters:
    ///   - proof: The digest of the proof.
    ///   - expiry: The time from which the proof is too old to be accepted.
    ///   - now: The current time.
    /// - Returns: Whether this is the first use.
    public func use(_ proof: ProofDigest, until expiry: Date, now: Date) async -> ProofUse {
        state.withLock {
            $0.use(proof, until: expiry.timeIntervalSince1970, now: now.timeIntervalSince1970)
        }
    }
}

extension InMemoryDPoPLedger: Redacted {
    /// A fixed text that contains no proof.
    public var description: String { "used DPoP proofs in memory" }
}

/// The used proofs of an in-memory ledger, without lock or clock; times are in seconds since 1970.
///
/// Unlike a ``SingleUseLedger``, it knows only used entries, and an unknown one is accepted. An entry must therefore
/// not be missing while its proof could be accepted, even if the clock was ahead for a moment and is set back: a proof
/// that expires no later than a removed one counts as used.
struct UsedProofs: Sendable {
    /// The maximum number of entries that one call removes: more than it adds, so removal keeps up.
    private static let removedPerCall = 2

    private let capacity: Int
    private var proofs: Set<ProofDigest> = []
    private var queue = ExpiryQueue<ProofDigest>()

    /// The latest expiry of a removed proof.
    private var horizon = -Double.infinity

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of stored proofs.
    var count: Int { proofs.count }

    mutating func use(_ proof: ProofDigest, until expiry: Double, now: Double) -> ProofUse {
        for _ in 0..<Self.removedPerCall {
            guard let first = queue.first, first.expiry <= now else { break }
            horizon = max(horizon, first.expiry)
            proofs.remove(queue.removeFirst().key)
        }
        guard expiry > horizon, !proofs.contains(proof) else { return .replayed }
        guard proofs.count < capacity else { return .full }
        proofs.insert(proof)
        queue.insert(ExpiryQueue.Item(expiry: expiry, key: proof))
        return .first
    }
}
