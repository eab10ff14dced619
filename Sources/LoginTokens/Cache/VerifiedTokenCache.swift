// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import Synchronization

/// A cache of recently verified tokens, so that a token sent with every request has its signature checked once.
///
/// ```swift
/// let verifier = TokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache())
/// ```
///
/// The cache saves parsing the token and checking its signature. Everything else is checked each time: that the issuer
/// still publishes the key under the same ID, the times, the nonce, and all other expectations of the call. A
/// single-use nonce is consumed by the first verification, so a cache is of no use there.
///
/// - **Exact.** A token matches only if it is identical to the last byte, and only for the verifier that verified it.
///   Several verifiers may share a cache; they share its capacity and nothing else.
/// - **Bounded**, in tokens and in bytes. When the cache is full, the tokens that were not used since it was half full
///   are dropped.
/// - **Filled by the issuer only**: only accepted tokens are stored, so an attacker cannot evict them.
/// - **Without secrets.** Only a hash of the signature is stored, so the cached data cannot be sent as a token. The
///   claims are stored, as in every ``VerifiedToken``.
///
/// A call with `explain` bypasses the cache, because it reports each step.
public final class VerifiedTokenCache: Sendable {
    private let generations: Mutex<TokenGenerations>
    private let hash = SecretHash()
    private let hits = Atomic(0)
    private let misses = Atomic(0)

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of tokens; at least 2.
    ///   - bytes: The maximum size of the stored tokens, in bytes; at least 64 KiB.
    public init(entries: Int = Limits.cachedTokens, bytes: Int = Limits.cachedTokenBytes) {
        Self.check(entries: entries, bytes: bytes)
        generations = Mutex(TokenGenerations(entries: entries, bytes: bytes))
    }

    /// The contents and statistics of a cache.
    public struct Status: Sendable, Hashable {
        /// The number of stored tokens.
        public let entries: Int
        /// The size of the stored tokens, in bytes.
        public let bytes: Int
        /// The number of lookups that found a token.
        public let hits: Int
        /// The number of lookups that found none.
        public let misses: Int
    }

    /// The current contents, and the statistics since the cache was created.
    public var status: Status {
        let (entries, bytes) = generations.withLock { ($0.count, $0.byteCount) }
        return Status(
            entries: entries,
            bytes: bytes,
            hits: hits.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed)
        )
    }

    /// Changes the capacity.
    ///
    /// Tokens that no longer fit are dropped, and verified again when they are presented again.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of tokens; at least 2.
    ///   - bytes: The maximum size of the stored tokens, in bytes; at least 64 KiB.
    public func resize(entries: Int, bytes: Int = Limits.cachedTokenBytes) {
        Self.check(entries: entries, bytes: bytes)
        generations.withLock { $0.resize(entries: entries, bytes: bytes) }
    }

    private static func check(entries: Int, bytes: Int) {
        precondition(entries >= 2, "entries must be at least 2")
        precondition(bytes >= 64 * 1024, "bytes must be at least 65536")
    }

    /// Removes all tokens; each is verified again when it is presented again.
    public func removeAll() {
        generations.withLock { $0.removeAll() }
    }

    /// Returns the cached token for a text of at most `limit` bytes, if `verifier` has verified it.
    func token(_ text: String, upTo limit: Int, for verifier: VerifierID) -> ProvenToken? {
        // Only the first bytes of a longer text would be compared.
        let isShort = text.utf8.count <= limit
        let found = isShort ? withUTF8(of: text, upTo: limit) { find($0, for: verifier) } : nil
        if found == nil { misses.add(1, ordering: .relaxed) } else { hits.add(1, ordering: .relaxed) }
        return found
    }

    private func find(_ text: Span<UInt8>, for verifier: VerifierID) -> ProvenToken? {
        let dot = UInt8(ascii: ".")
        guard let first = firstOffset(of: dot, in: text),
            let second = firstOffset(of: dot, in: text, from: first + 1)
        else { return nil }
        let key = key(of: text.extracting(droppingFirst: second + 1), verifier)
        let known = generations.withLock { $0.token(for: key) }
        guard let known, isEqual(known.signingInput.span, text.extracting(..<second)) else { return nil }
        return known.token
    }

    /// Stores a token that `verifier` has accepted.
    func remember(_ token: ProvenToken, as text: CompactJWS, for verifier: VerifierID) {
        let key = key(of: text.signatureSegment.span, verifier)
        let entry = CachedToken(token: token, signingInput: text.signingInput)
        generations.withLock { $0.insert(entry, for: key) }
    }

    private func key(of signature: Span<UInt8>, _ verifier: VerifierID) -> CachedToken.Key {
        CachedToken.Key(verifier: verifier, signature: hash.hash(of: signature))
    }
}

extension VerifiedTokenCache: Redacted {
    /// A fixed text that contains no token.
    public var description: String { "verified tokens" }
}
