// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// What a cache keeps of a token.
struct CachedToken: Sendable {
    /// By what it is found: two verifiers never find each other's.
    struct Key: Sendable, Hashable {
        let verifier: VerifierID
        /// The hash of the signature as it was sent.
        let signature: UInt128
    }

    let token: ProvenToken

    /// What was signed, as it was sent: compared byte for byte.
    let signingInput: [UInt8]

    /// How much memory it takes.
    var byteCount: Int {
        signingInput.capacity + token.content.claims.value.document.byteCount
            + token.content.header.json.document.byteCount + Self.overhead
    }

    /// What each takes whatever its length: the objects, and its places in the tables.
    private static let overhead = 512
}

/// Names a verifier among all of this process, also after it is gone.
struct VerifierID: Sendable, Hashable {
    private let number: UInt64

    /// A new one.
    init() {
        number = Self.last.add(1, ordering: .relaxed).newValue
    }

    private static let last = Atomic<UInt64>(0)
}

/// The tokens of a cache: those that were used lately, and those that were used before them.
///
/// When the younger ones fill half of the room, they become the older ones, and what was older goes. That costs nothing where a
/// list by last use would cost something for each token found.
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

    /// No tokens, and room for so many.
    init(entries: Int, bytes: Int) {
        self.entries = entries
        self.bytes = bytes
    }

    var count: Int { younger.tokens.count + older.tokens.count }

    var byteCount: Int { younger.byteCount + older.byteCount }

    /// The token, which is then one of the younger.
    mutating func token(for key: CachedToken.Key) -> CachedToken? {
        if let token = younger.tokens[key] { return token }
        guard let token = older.remove(key) else { return nil }
        insert(token, for: key)
        return token
    }

    /// Adds a token, or takes it in the place of one with the same key.
    mutating func insert(_ token: CachedToken, for key: CachedToken.Key) {
        older.remove(key)
        younger.remove(key)
        // One that takes more than half of the room is not kept at all.
        guard token.byteCount <= bytes / 2 else { return }
        if younger.tokens.count + 1 > entries / 2 || younger.byteCount + token.byteCount > bytes / 2 {
            older = younger
            younger = Generation()
        }
        younger.insert(token, for: key)
    }

    /// Makes the room larger or smaller; of what does not fit, the older ones go first, and then all.
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
