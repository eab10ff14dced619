// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What was begun and may be ended once: what stores in memory know, without lock, clock and randomness.
///
/// An entry stays until it has been expired for as long as any lives, so that a late use can be told from one of what never
/// was. Then it is forgotten, and refused all the same. What it holds is let go of when it is used.
///
/// ### Time
///
/// The ledger counts the time that has passed, and lets it only grow. Where the clock went back, none has passed: what has
/// expired stays expired. The steps forward count from there, so that a clock that was wrong for a moment, and however far,
/// neither revives an entry nor makes the next ones live for years.
package struct SingleUseLedger<Key: Hashable & Sendable, Content: Sendable>: Sendable {
    /// What became of a use.
    package enum Use: Sendable {
        /// It was good, and is used up now.
        case used(Content)
        /// It was used before.
        case replayed
        /// Its time is over, whether it was used or not.
        case expired
        /// It was begun for another purpose or by another client, who may still use it.
        case startedElsewhere
        /// It was never entered, or so long ago that nothing is remembered.
        case unknown
    }

    /// Why nothing was entered.
    package enum Fault: Error, Sendable, Hashable {
        /// It was entered before; to enter it again would make it usable again.
        case known
        /// As many entries are alive as there is room for.
        case full
        /// The lifetime asked for is outside `Limits.nonceLifetime`.
        case lifetime
    }

    private struct Entry {
        let purpose: NoncePurpose
        let binding: NonceBinding
        let expiry: Double
        /// What it holds, until it is used.
        var content: Content?
        var isConsumed = false
    }

    /// The time for which an expired entry is distinguished from an unknown one, in seconds.
    private static var retention: Double { Limits.nonceLifetime.upperBound.seconds }

    /// The longest step that makes a difference: after it, all that was entered before is forgotten.
    private static var longestStep: Double { Limits.nonceLifetime.upperBound.seconds + retention }

    /// How many entries one call forgets.
    ///
    /// One call adds one entry at most, so that two keep up, and no call has to clear away a quiet night's heap.
    private static var forgottenPerCall: Int { 2 }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var queue = ExpiryQueue<Key>()
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

    /// Enters what begins.
    ///
    /// - Parameters:
    ///   - key: Its digest.
    ///   - content: What it holds.
    ///   - purpose: What it is for.
    ///   - binding: Whose it is.
    ///   - lifetime: How long it may be used.
    ///   - now: What time it is.
    /// - Throws: ``Fault``; nothing is entered then.
    package mutating func enter(
        _ key: Key,
        content: Content,
        purpose: NoncePurpose,
        binding: NonceBinding,
        lifetime: Duration,
        now: Date
    ) throws(Fault) {
        guard Limits.nonceLifetime.contains(lifetime) else { throw .lifetime }
        advance(to: now)
        // What has expired never takes the place of an attempt that is under way.
        if entries.count >= capacity, let first = queue.first, first.expiry <= elapsed { forgetFirst() }
        guard entries.count < capacity else { throw .full }
        guard entries[key] == nil else { throw .known }
        let expiry = elapsed + lifetime.seconds
        entries[key] = Entry(purpose: purpose, binding: binding, expiry: expiry, content: content)
        queue.insert(ExpiryQueue.Item(expiry: expiry, key: key))
    }

    /// Marks an entry as used, if it may be.
    ///
    /// Whose it is comes first: a stranger does not even learn whether it was used.
    ///
    /// - Parameters:
    ///   - key: Its digest.
    ///   - purpose: What it is used for.
    ///   - binding: Who uses it.
    ///   - now: What time it is.
    /// - Returns: What it held, where it was marked now; or why not.
    package mutating func use(_ key: Key, purpose: NoncePurpose, binding: NonceBinding, now: Date) -> Use {
        advance(to: now)
        guard let entry = entries[key], !isForgotten(expiry: entry.expiry) else { return .unknown }
        guard entry.purpose == purpose, entry.binding == binding else { return .startedElsewhere }
        // At its expiry an entry has ended, as a token at its `exp`.
        guard elapsed < entry.expiry else { return .expired }
        guard !entry.isConsumed, let content = entry.content else { return .replayed }
        entries[key]?.isConsumed = true
        entries[key]?.content = nil
        return .used(content)
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

    /// Whether nothing is known any more of an entry, even while it waits to be removed.
    private func isForgotten(expiry: Double) -> Bool {
        elapsed >= expiry + Self.retention
    }

    private mutating func forgetFirst() {
        entries[queue.removeFirst().key] = nil
    }
}

/// Keys in the order in which they expire: a binary heap.
///
/// Lifetimes differ, so the order of entry is not that of expiry; and to look through all entries at each call would let a
/// flood of attempts slow down every other.
private struct ExpiryQueue<Key: Sendable>: Sendable {
    struct Item: Sendable {
        let expiry: Double
        let key: Key
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
