// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// A source of the keys of issuers.
///
/// ``KeySnapshot`` is the simplest source: a fixed set of keys.
public protocol KeySource: Sendable {
    /// Returns the available keys of `issuer`, without waiting if possible.
    ///
    /// - Parameter issuer: One of the issuers of the verifier's policy, never a string from a token.
    /// - Returns: Keys that include the issuer's.
    /// - Throws: ``VerificationUnavailable`` if there are none and none can be fetched now.
    func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot

    /// Returns the keys of `issuer`, newer than those of the snapshot if possible.
    ///
    /// An attacker can trigger this call with key IDs that do not exist and with invalid signatures. A source that
    /// fetches keys from a server must limit how often it does so.
    ///
    /// - Parameters:
    ///   - issuer: One of the issuers of the verifier's policy.
    ///   - unknownKeyID: The token's key ID if the snapshot had no such key; nil if the token has no key ID, or if no
    ///     key with its ID signed it.
    /// - Returns: The newest available keys, including the issuer's.
    /// - Throws: ``VerificationUnavailable`` if there are none and none can be fetched now, or if it is unknown whether the
    ///   issuer has the key.
    func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable) -> KeySnapshot
}

/// The keys of one or more issuers at one moment.
///
/// Keys of one issuer never verify tokens of another, even if they have the same ID.
public struct KeySnapshot: Sendable {
    private let sets: [(issuer: String, keys: JSONWebKeySet)]

    /// Creates a snapshot with the same keys for all `issuers`, for a provider that uses several spellings of its
    /// issuer.
    public init(issuers: [String], keys: JSONWebKeySet) {
        self.sets = issuers.map { ($0, keys) }
    }

    /// Creates a snapshot of a provider's keys, for each of its issuers.
    public init(provider: Provider, keys: JSONWebKeySet) {
        self.init(issuers: provider.issuers, keys: keys)
    }

    /// Combines the snapshots of several issuers.
    ///
    /// If an issuer occurs twice, the first entry takes precedence.
    public init(_ snapshots: [KeySnapshot]) {
        self.sets = snapshots.flatMap(\.sets)
    }

    /// Returns the keys of `issuer`, compared byte for byte; nil if the snapshot does not include the issuer.
    public func keys(of issuer: String) -> JSONWebKeySet? {
        for index in sets.indices where isEqual(sets[index].issuer, issuer) { return sets[index].keys }
        return nil
    }
}

extension KeySource where Self == KeySnapshot {
    /// Returns a source without keys for the issuers of a provider, for a verifier with a secret.
    static func none(of provider: Provider) -> KeySnapshot {
        KeySnapshot(provider: provider, keys: JSONWebKeySet([]))
    }
}

extension KeySnapshot: KeySource {
    /// Returns this snapshot.
    public func snapshot(for issuer: String) async throws(VerificationUnavailable) -> KeySnapshot { self }

    /// Returns this snapshot, because there are no newer keys.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(VerificationUnavailable)
        -> KeySnapshot
    {
        self
    }
}
