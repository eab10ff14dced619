// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A ledger of used DPoP proofs in an account store, for all servers that share the store (RFC 9449 §11.1).
///
/// ```swift
/// let dpop = DPoPVerifier(ledger: StoredDPoPLedger(store: store))
/// ```
///
/// An API without accounts needs only the store, and no ``AccountSecrets``.
///
/// The first use of a proof inserts one row, and a proof with a row counts as used: verifiers with different maximum
/// ages, and servers whose clocks differ, can share the ledger. Either all or none of the verifiers need server nonces,
/// which do without the time of the client. A sweep deletes the row half an hour after the proof has expired, so at least
/// one program must sweep the store: a server that runs ``Auth/maintain(every:auditOlderThan:deliveringTo:)``, such as
/// `verify-token serve`, or `verify-token accounts sweep`, run by a timer. Otherwise the table grows with every request.
public final class StoredDPoPLedger: DPoPLedger {
    /// The time for which the row of an expired proof is kept.
    ///
    /// Another verifier may accept the proof for longer than the one that has recorded it, for five minutes at most. The
    /// rest is for servers whose clocks differ.
    static let retention = Duration.seconds(30 * 60)

    private let store: any AccountStore

    /// Creates a ledger on a store.
    ///
    /// - Parameter store: The store. It must have been migrated.
    public init(store: any AccountStore) {
        self.store = store
    }

    /// Records the use of a proof: exactly one of all calls for a proof, on any server, returns `first`.
    ///
    /// - Parameters:
    ///   - proof: The digest of the proof.
    ///   - expiry: The time from which the proof is too old to be accepted.
    ///   - now: The current time, which makes no difference.
    /// - Returns: Whether this is the first use; never `full`.
    /// - Throws: ``StoreError``, which contains no digest. The proof may then be recorded or not.
    public func use(_ proof: ProofDigest, until expiry: Date, now: Date) async throws -> ProofUse {
        let used = DPoPProofRecord(hash: proof.bytes, expiresAt: StoreTime(expiry))
        let isFirst = try await store.transaction { rows in
            try Tables(rows: StoreRows(rows)).dpopProofs.insert(used)
        }
        return isFirst ? .first : .replayed
    }
}
