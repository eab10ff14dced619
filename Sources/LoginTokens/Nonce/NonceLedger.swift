// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Which nonces were issued and which are used: what ``InMemoryNonceStore`` knows, without lock, clock and randomness.
///
/// An entry stays until its nonce has been expired for as long as any nonce lives, so that a late one can be told from one
/// that never was. Then it is forgotten, and a token that carries the nonce is refused all the same.
///
/// ### Time
///
/// The ledger counts the time that has passed, and lets it only grow. Where the clock went back, none has passed: what has
/// expired stays expired. The steps forward count from there, so that a clock that was wrong for a moment, and however far,
/// neither revives a nonce nor makes the next ones live for years.
package struct NonceLedger: Sendable {
    private struct Entry {
        let purpose: NoncePurpose
        let binding: NonceBinding
        let expiry: Double
        var isConsumed = false
    }

    /// How long an expired nonce is told from an unknown one, in seconds.
    private static let remembrance = Limits.nonceLifetime.upperBound.seconds

    /// The longest step that makes a difference: after it, all that was issued before is forgotten.
    private static let longestStep = Limits.nonceLifetime.upperBound.seconds + remembrance

    /// How many entries one call forgets.
    ///
    /// One call adds one entry at most, so that two keep up, and no call has to clear away a quiet night's heap.
    private static let forgottenPerCall = 2

    private let capacity: Int
    private var entries: [NonceDigest: Entry] = [:]
    private var queue = ExpiryQueue()
    private var elapsed = 0.0
    private var lastSeen: Date?

    /// How many entries take up memory.
    package var count: Int { entries.count }

    /// An empty ledger.
    ///
    /// - Parameter capacity: How many entries it may hold.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Enters a nonce.
    ///
    /// - Parameters:
    ///   - digest: Its digest, which was not entered before.
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be used.
    ///   - now: What time it is.
    /// - Throws: ``NonceStoreError``; nothing is entered then.
    package mutating func issue(
        _ digest: NonceDigest,
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration,
        now: Date
    ) throws(NonceStoreError) {
        guard Limits.nonceLifetime.contains(lifetime) else { throw .lifetime }
        advance(to: now)
        // What has expired never takes the place of an attempt that is under way.
        if entries.count >= capacity, let first = queue.first, first.expiry <= elapsed { forgetFirst() }
        guard entries.count < capacity else { throw .full }
        // To enter it again would make it usable again. A generator that returns 128 bits twice has failed.
        precondition(entries[digest] == nil, "a nonce is issued once")
        let expiry = elapsed + lifetime.seconds
        entries[digest] = Entry(purpose: purpose, binding: binding, expiry: expiry)
        queue.insert(ExpiryQueue.Item(expiry: expiry, digest: digest))
    }

    /// Marks a nonce as used, if it may be.
    ///
    /// Whose it is comes first: a stranger does not even learn whether it was used.
    ///
    /// - Parameters:
    ///   - digest: Its digest.
    ///   - purpose: What it is used for.
    ///   - binding: Who uses it.
    ///   - now: What time it is.
    /// - Returns: Whether it was marked now, or why not.
    package mutating func consume(
        _ digest: NonceDigest,
        purpose: NoncePurpose,
        binding: NonceBinding,
        now: Date
    ) -> NonceUse {
        advance(to: now)
        guard let entry = entries[digest], !isForgotten(expiry: entry.expiry) else { return .unknown }
        guard entry.purpose == purpose, entry.binding == binding else { return .issuedElsewhere }
        // At its expiry a nonce has ended, as a token at its `exp`.
        guard elapsed < entry.expiry else { return .expired }
        guard !entry.isConsumed else { return .replayed }
        entries[digest]?.isConsumed = true
        return .consumed
    }

    private mutating func advance(to now: Date) {
        let time = now.timeIntervalSinceReferenceDate
        let step = lastSeen.map { time - $0.timeIntervalSinceReferenceDate } ?? 0
        if step > 0 { elapsed += min(step, Self.longestStep) }
        // A time that is none says nothing about the steps before and after it.
        if time.isFinite { lastSeen = now }
        for _ in 0..<Self.forgottenPerCall {
            guard let first = queue.first, isForgotten(expiry: first.expiry) else { return }
            forgetFirst()
        }
    }

    /// Whether nothing is known any more of a nonce, even while its entry waits to be removed.
    private func isForgotten(expiry: Double) -> Bool {
        elapsed >= expiry + Self.remembrance
    }

    private mutating func forgetFirst() {
        entries[queue.removeFirst().digest] = nil
    }
}

/// Digests in the order in which they expire: a binary heap.
///
/// Lifetimes differ, so the order of issue is not that of expiry; and to look through all entries at each call would let a
/// flood of attempts slow down every other.
private struct ExpiryQueue {
    struct Item {
        let expiry: Double
        let digest: NonceDigest
    }

    /// Each item expires no later than its children, those at twice its index plus one and plus two.
    private var items: [Item] = []

    /// The first to expire.
    var first: Item? { items.first }

    mutating func insert(_ item: Item) {
        items.append(item)
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[child].expiry < items[parent].expiry else { return }
            items.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the first to expire, which must be there.
    mutating func removeFirst() -> Item {
        items.swapAt(0, items.count - 1)
        let first = items.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < items.count && items[child].expiry < items[smallest].expiry {
                smallest = child
            }
            guard smallest != parent else { return first }
            items.swapAt(smallest, parent)
            parent = smallest
        }
    }
}
