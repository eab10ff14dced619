// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The single-use entries of an in-memory store, without lock, clock or random numbers.
///
/// An expired entry is kept for another maximum lifetime, so that late use can be distinguished from use of an unknown
/// key. After that it is removed, and use is refused all the same. The content of an entry is released when it is used.
///
/// ### Time
///
/// The ledger measures elapsed time, which never decreases. If the clock is set back, no time elapses, and expired
/// entries stay expired. Forward steps are added from there, and each counts at most `longestStep`. A clock that is
/// wrong for a moment, by any amount, neither revives an entry nor extends the lifetime of later ones by years.
package struct SingleUseLedger<Key: Hashable & Sendable, Content: Sendable>: Sendable {
    /// The result of using an entry.
    package enum Use: Sendable {
        /// The entry was valid, and is now used.
        case used(Content)
        /// The entry was used before.
        case replayed
        /// The entry has expired, whether it was used or not.
        case expired
        /// The entry was created for another purpose or by another client, which may still use it.
        case startedElsewhere
        /// The entry never existed, or was removed.
        case unknown
    }

    /// An error for an entry that could not be added.
    package enum Fault: Error, Sendable, Hashable {
        /// The key exists already; adding it again would make it usable again.
        case known
        /// The ledger is full.
        case full
        /// The requested lifetime is outside `Limits.nonceLifetime`.
        case lifetime
    }

    private struct Entry {
        let purpose: NoncePurpose
        let binding: NonceBinding
        let expiry: Double
        /// The content, until the entry is used.
        var content: Content?
        var isConsumed = false
    }

    /// The time for which an expired entry is distinguished from an unknown one, in seconds.
    private static var retention: Double { Limits.nonceLifetime.upperBound.seconds }

    /// The longest step of the clock that matters, in seconds; after it, all earlier entries are removed.
    private static var longestStep: Double { Limits.nonceLifetime.upperBound.seconds + retention }

    /// The maximum number of entries that one call removes.
    ///
    /// A call adds at most one entry, so two removals per call keep up, and no single call has to remove a large
    /// backlog.
    private static var forgottenPerCall: Int { 2 }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var queue = ExpiryQueue<Key>()
    private var elapsed = 0.0
    private var lastSeen: Date?

    /// The number of stored entries.
    package var count: Int { entries.count }

    /// Creates an empty ledger.
    ///
    /// - Parameter capacity: The maximum number of entries.
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - key: The key, a digest.
    ///   - content: The content.
    ///   - purpose: The purpose of the entry.
    ///   - binding: The binding to the client.
    ///   - lifetime: The lifetime of the entry.
    ///   - now: The current time.
    /// - Throws: ``Fault``; no entry is added then.
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
        // An expired entry never prevents a new attempt.
        if entries.count >= capacity, let first = queue.first, first.expiry <= elapsed { forgetFirst() }
        guard entries.count < capacity else { throw .full }
        guard entries[key] == nil else { throw .known }
        let expiry = elapsed + lifetime.seconds
        entries[key] = Entry(purpose: purpose, binding: binding, expiry: expiry, content: content)
        queue.insert(ExpiryQueue.Item(expiry: expiry, key: key))
    }

    /// Marks an entry as used, if it is valid.
    ///
    /// Purpose and binding are compared first, so another client does not even learn whether the entry was used.
    ///
    /// - Parameters:
    ///   - key: The key, a digest.
    ///   - purpose: The purpose for which the entry is used.
    ///   - binding: The binding of the client that uses it.
    ///   - now: The current time.
    /// - Returns: The content if the entry was valid; otherwise the reason.
    package mutating func use(_ key: Key, purpose: NoncePurpose, binding: NonceBinding, now: Date) -> Use {
        advance(to: now)
        guard let entry = entries[key], !isForgotten(expiry: entry.expiry) else { return .unknown }
        guard entry.purpose == purpose, entry.binding == binding else { return .startedElsewhere }
        // An entry is expired at its expiry time, like a token at its `exp`.
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
        // A time that is not finite is ignored for the next step.
        if time.isFinite { lastSeen = now }
        for _ in 0..<Self.forgottenPerCall {
            guard let first = queue.first, isForgotten(expiry: first.expiry) else { return }
            forgetFirst()
        }
    }

    /// Returns whether an entry counts as unknown, even if it is not yet removed.
    private func isForgotten(expiry: Double) -> Bool {
        elapsed >= expiry + Self.retention
    }

    private mutating func forgetFirst() {
        entries[queue.removeFirst().key] = nil
    }
}
