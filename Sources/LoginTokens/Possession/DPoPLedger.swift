// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A ledger that records used DPoP proofs, so that each is accepted once (RFC 9449 §11.1).
///
/// ``InMemoryDPoPLedger`` serves a single process. Several servers need a shared ledger: `StoredDPoPLedger` of
/// `LoginAccounts` keeps it in SQLite or PostgreSQL. In another database, ``use(_:until:now:)`` is a single `INSERT` of
/// the digest and its expiry that does nothing if the digest exists, and the row count is the result. Rows are deleted
/// half an hour after they expire: other verifiers may accept a proof for longer, and the clocks of servers differ.
///
/// Of the verifiers that share a ledger, either all or none need server nonces. Those that share an
/// ``InMemoryDPoPLedger`` also need the same maximum age: it keeps an entry only as long as the policy that has recorded
/// it accepts the proof.
///
/// A ledger is an object, by which verifiers recognize that they share it: a request that several resources verify uses
/// its proof once.
public protocol DPoPLedger: AnyObject, Sendable {
    /// Records the use of a proof: exactly one of all calls for a proof returns ``ProofUse/first``.
    ///
    /// - Parameters:
    ///   - proof: The digest of the proof.
    ///   - expiry: The time from which the proof is too old to be accepted; the entry is not needed afterwards.
    ///   - now: The current time.
    /// - Returns: Whether this is the first use.
    /// - Throws: An error of the ledger if it is unavailable. The proof may then be recorded or not.
    func use(_ proof: ProofDigest, until expiry: Date, now: Date) async throws -> ProofUse
}

/// The result of recording the use of a proof.
public enum ProofUse: Sendable, Hashable {
    /// The proof was not used before, and is now recorded.
    case first
    /// The proof was used before.
    case replayed
    /// The ledger is full; capacity becomes available as proofs expire.
    case full
}

/// The SHA-256 of a proof's key and ID, by which a ledger identifies it.
///
/// Because the key is part of it, no client can use up the ID of another client's proof.
public struct ProofDigest: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// Creates the digest of a proof.
    ///
    /// - Parameters:
    ///   - keyThumbprint: The thumbprint of the proof's key, which always has 43 characters.
    ///   - id: The `jti` of the proof.
    init(keyThumbprint: String, id: String) {
        bytes = Digest.sha256.hash(Array("\(keyThumbprint).\(id)".utf8))
    }
}

extension ProofDigest: Redacted {
    /// A fixed text without the digest.
    public var description: String { "digest of a DPoP proof" }
}
