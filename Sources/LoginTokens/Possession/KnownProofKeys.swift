// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A cache of the keys of recently verified proofs.
///
/// A client signs all its proofs with one key, and each contains it. To import and check a key costs nearly as much as
/// to verify a signature with it.
final class KnownProofKeys: Sendable {
    /// A key as a header contains it, for one algorithm.
    private struct Entry: Hashable {
        let source: [UInt8]
        let algorithm: SignatureAlgorithm
    }

    /// The maximum number of keys in each generation.
    ///
    /// A key takes a few kilobytes with what OpenSSL prepares for it. If more clients than two generations hold take
    /// turns, their keys are imported again.
    private static let capacity = 512

    /// The maximum length of a key in a header, in bytes: an RSA key of 4,096 bits and its ID fit.
    private static let sourceBytes = 1024

    /// The keys, in two generations: when the younger one is full, it replaces the older one.
    private let generations = Mutex<(younger: [Entry: JSONWebKey], older: [Entry: JSONWebKey])>(([:], [:]))

    /// Returns the known key with this text; nil if there is none.
    ///
    /// - Parameters:
    ///   - value: The header parameter `jwk`.
    ///   - algorithm: The algorithm of the header.
    /// - Returns: The key.
    func key(_ value: JSONValue, _ algorithm: SignatureAlgorithm) -> JSONWebKey? {
        guard value.source.count <= Self.sourceBytes else { return nil }
        let entry = Entry(source: Array(value.source), algorithm: algorithm)
        return generations.withLock { generations in
            if let key = generations.younger[entry] { return key }
            guard let key = generations.older[entry] else { return nil }
            Self.insert(key, for: entry, into: &generations)
            return key
        }
    }

    /// Stores the key of a proof.
    ///
    /// - Parameters:
    ///   - key: The key of a proof with a valid signature for a token that is bound to it; otherwise anybody could fill
    ///     the cache.
    ///   - value: The header parameter `jwk`.
    ///   - algorithm: The algorithm of the header.
    func remember(_ key: JSONWebKey, as value: JSONValue, _ algorithm: SignatureAlgorithm) {
        guard value.source.count <= Self.sourceBytes else { return }
        let entry = Entry(source: Array(value.source), algorithm: algorithm)
        generations.withLock { Self.insert(key, for: entry, into: &$0) }
    }

    private static func insert(
        _ key: JSONWebKey,
        for entry: Entry,
        into generations: inout (younger: [Entry: JSONWebKey], older: [Entry: JSONWebKey])
    ) {
        if generations.younger.count >= capacity, generations.younger[entry] == nil {
            generations = ([:], generations.younger)
        }
        generations.younger[entry] = key
    }
}
