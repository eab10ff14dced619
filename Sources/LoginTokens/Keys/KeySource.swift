// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// Where a verifier gets an issuer's keys from.
///
/// ``KeySnapshot`` is the simplest one: keys that were there from the start.
public protocol KeySource: Sendable {
    /// The keys of `issuer` that are at hand. Answers at once where it can.
    ///
    /// - Parameter issuer: One of the issuers of the verifier's policy, never a string from a token.
    /// - Returns: Keys that include the issuer's.
    /// - Throws: ``KeysUnavailable`` when there are none and none can be had now.
    func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot

    /// Returns the keys of `issuer`, newer than the snapshot's where that is possible.
    ///
    /// Strangers can cause this call, by key IDs that do not exist and by signatures that are not valid. A source that asks a
    /// server must bound how often it does.
    ///
    /// - Parameters:
    ///   - issuer: One of the issuers of the verifier's policy.
    ///   - unknownKeyID: The key ID of a token whose key the snapshot did not have; nil where the token has no key ID, or where
    ///     the key with its ID did not sign it.
    /// - Returns: Keys that include the issuer's, as new as they can be had.
    /// - Throws: ``KeysUnavailable`` when there are none and none can be had now.
    func refreshed(for issuer: String, unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot
}

/// Keys by issuer, at one moment.
///
/// Keys of one issuer never verify tokens of another, even where they have the same ID.
public struct KeySnapshot: Sendable {
    private let sets: [(issuer: String, keys: JSONWebKeySet)]

    /// The same keys for each of `issuers`: several, where a provider spells its name in several ways.
    public init(issuers: [String], keys: JSONWebKeySet) {
        self.sets = issuers.map { ($0, keys) }
    }

    /// The keys that a provider publishes, for each issuer it uses.
    public init(provider: Provider, keys: JSONWebKeySet) {
        self.init(issuers: provider.issuers, keys: keys)
    }

    /// Several issuers, each with its own keys.
    ///
    /// Of two entries for one issuer the first counts.
    public init(_ snapshots: [KeySnapshot]) {
        self.sets = snapshots.flatMap(\.sets)
    }

    /// The keys of `issuer`, compared byte for byte; nil if this snapshot has nothing about it.
    public func keys(of issuer: String) -> JSONWebKeySet? {
        for index in sets.indices where isEqual(sets[index].issuer, issuer) { return sets[index].keys }
        return nil
    }
}

extension KeySnapshot: KeySource {
    /// This snapshot.
    public func snapshot(for issuer: String) async throws(KeysUnavailable) -> KeySnapshot { self }

    /// This snapshot: there is nowhere else to look.
    public func refreshed(for issuer: String, unknownKeyID: String?) async throws(KeysUnavailable) -> KeySnapshot {
        self
    }
}
