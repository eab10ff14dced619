// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import Synchronization

/// Tokens that were verified lately, so that one which is sent with every request has its signature checked once.
///
/// ```swift
/// let verifier = TokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache())
/// ```
///
/// What it saves is the signature, and reading the token. Everything else is checked each time: whether the issuer still publishes
/// the key under that name, the times, the nonce, and whatever else a call expects. A nonce of single use is asked for each
/// time too, so where nonces are used up there is nothing to gain.
///
/// - **Exact.** A token is found again only if it is the same to the last byte, by the verifier that verified it. Several
///   verifiers may share a cache; they share its room and nothing else.
/// - **Bounded**, in tokens and in bytes. When it is full, what was not used since it was half full goes.
/// - **Filled by the issuer only**: with tokens that were accepted. Strangers push nothing out.
/// - **Without secrets.** Of a signature it keeps a hash, so what is kept is no token that could be sent. The claims are
///   there, as they are in every ``VerifiedToken``.
///
/// A call with `explain` does all the work, because it tells about each step.
public final class VerifiedTokenCache: Sendable {
    private let generations: Mutex<TokenGenerations>
    private let hash = SecretHash()
    private let hits = Atomic(0)
    private let misses = Atomic(0)

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - entries: How many tokens it may hold; at least 2.
    ///   - bytes: How much memory they may take, as far as it grows with them; at least 64 KiB.
    public init(entries: Int = Limits.cachedTokens, bytes: Int = Limits.cachedTokenBytes) {
        Self.check(entries: entries, bytes: bytes)
        generations = Mutex(TokenGenerations(entries: entries, bytes: bytes))
    }

    /// What a cache holds, and what it was good for.
    public struct Status: Sendable, Hashable {
        /// How many tokens it holds.
        public let entries: Int
        /// How many bytes they take, as far as that grows with them.
        public let bytes: Int
        /// How often a token was found.
        public let hits: Int
        /// How often one was looked for and not found.
        public let misses: Int
    }

    /// What it holds now, and what it was good for since it was made.
    public var status: Status {
        let (entries, bytes) = generations.withLock { ($0.count, $0.byteCount) }
        return Status(
            entries: entries,
            bytes: bytes,
            hits: hits.load(ordering: .relaxed),
            misses: misses.load(ordering: .relaxed)
        )
    }

    /// Makes the room larger or smaller.
    ///
    /// What does not fit any more is forgotten, and verified anew when it comes again.
    ///
    /// - Parameters:
    ///   - entries: How many tokens it may hold; at least 2.
    ///   - bytes: How much memory they may take, as far as it grows with them; at least 64 KiB.
    public func resize(entries: Int, bytes: Int = Limits.cachedTokenBytes) {
        Self.check(entries: entries, bytes: bytes)
        generations.withLock { $0.resize(entries: entries, bytes: bytes) }
    }

    private static func check(entries: Int, bytes: Int) {
        precondition(entries >= 2, "a cache has room for two tokens at least")
        precondition(bytes >= 64 * 1024, "a cache has 64 KiB at least")
    }

    /// Forgets all tokens: each is verified anew when it comes again.
    public func removeAll() {
        generations.withLock { $0.removeAll() }
    }

    /// The token whose text this is, if `verifier` has verified it.
    func token(_ text: String, for verifier: VerifierID) -> ProvenToken? {
        // Of a longer text only the beginning would be compared.
        let isShort = text.utf8.count <= Limits.tokenBytes
        let found = isShort ? withUTF8(of: text, upTo: Limits.tokenBytes) { find($0, for: verifier) } : nil
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

    /// Remembers a token that `verifier` has accepted.
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
    /// A fixed text, without the tokens.
    public var description: String { "verified tokens" }
}
