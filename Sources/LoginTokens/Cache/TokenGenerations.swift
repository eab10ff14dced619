// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A cached token with the bytes needed to recognize it.
struct CachedToken: Sendable {
    /// The key of a cache entry; entries of different verifiers never match.
    struct Key: Sendable, Hashable {
        let verifier: VerifierID
        /// The hash of the signature segment as it was sent.
        let signature: UInt128
    }

    let token: ProvenToken

    /// The JWS signing input as it was sent, compared byte for byte.
    let signingInput: [UInt8]

    /// The estimated memory use, in bytes.
    var byteCount: Int {
        signingInput.capacity + token.content.claims.value.document.byteCount
            + token.content.header.json.document.byteCount + Self.overhead
    }

    /// The fixed cost of an entry, in bytes: its objects and its places in the tables.
    private static let overhead = 512
}

/// The identity of a verifier, unique in this process and never reused.
struct VerifierID: Sendable, Hashable {
    private let number: UInt64

    /// Creates a new identity.
    init() {
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    private static let last = Atomic<UInt64>(0)
}

/// The cached tokens, in two generations: recently used ones and older ones.
///
/// When the younger generation reaches half of the capacity, it replaces the older one. This costs nothing per lookup,
/// unlike a list in order of last use.
struct TokenGenerations {
    private struct Generation {
        var tokens: [CachedToken.Key: CachedToken] = [:]
        var byteCount = 0

        mutating func insert(_ token: CachedToken, for key: CachedToken.Key) {
            remove(key)
            tokens[key] = token
            byteCount += token.byteCount
        }

        @discardableResult
        mutating func remove(_ key: CachedToken.Key) -> CachedToken? {
            guard let token = tokens.removeValue(forKey: key) else { return nil }
            byteCount -= token.byteCount
            return token
        }
    }

    private var entries: Int
    private var bytes: Int
    private var younger = Generation()
    private var older = Generation()

    /// Creates an empty cache with the given capacity.
    init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }

    var count: Int { younger.tokens.count + older.tokens.count }

    var byteCount: Int { younger.byteCount + older.byteCount }

    /// Returns the token for a key, and moves it to the younger generation.
    mutating func token(for key: CachedToken.Key) -> CachedToken? {
        if let token = younger.tokens[key] { return token }
        guard let token = older.remove(key) else { return nil }
        insert(token, for: key)
        return token
    }

    /// Adds a token, replacing one with the same key.
    mutating func insert(_ token: CachedToken, for key: CachedToken.Key) {
        older.remove(key)
        younger.remove(key)
        // A token that takes more than half of the capacity is not cached.
        guard token.byteCount <= bytes / 2 else { return }
        if younger.tokens.count + 1 > entries / 2 || younger.byteCount + token.byteCount > bytes / 2 {
            older = younger
            younger = Generation()
        }
        younger.insert(token, for: key)
    }

    /// Changes the capacity; tokens that do not fit are dropped, first the older generation, then all.
    mutating func resize(entries: Int, bytes: Int) {
        (self.entries, self.bytes) = (entries, bytes)
        if count > entries || byteCount > bytes { older = Generation() }
        if younger.tokens.count > entries / 2 || younger.byteCount > bytes / 2 {
            older = younger
            younger = Generation()
        }
        if count > entries || byteCount > bytes { removeAll() }
    }

    mutating func removeAll() {
        younger = Generation()
        older = Generation()
    }
}
