// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The cached answers of an introspection endpoint, without lock or clock; times are in seconds since 1970.
///
/// Active and inactive tokens have separate limits, so that made-up tokens displace no genuine ones. In a full cache, the
/// entry that expires first makes room.
struct IntrospectionCache: Sendable {
    private let lifetime: Double
    private var active: BoundedEntries<Claims>
    private var inactive: BoundedEntries<Void>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - lifetime: The maximum time for which an answer is used, in seconds; 0 to cache nothing.
    ///   - activeTokens: The maximum number of active tokens; at least 1.
    ///   - inactiveTokens: The maximum number of inactive tokens; at least 1.
    init(
        lifetime: Double,
        activeTokens: Int = Limits.cachedIntrospections,
        inactiveTokens: Int = Limits.rememberedInactiveTokens
    ) {
        self.lifetime = lifetime
        active = BoundedEntries(capacity: activeTokens)
        inactive = BoundedEntries(capacity: inactiveTokens)
    }

    /// The number of entries, including expired ones that were not yet removed.
    var count: Int { active.count + inactive.count }

    /// Returns the cached answer about a token; nil if there is none, or not a current one.
    mutating func answer(about token: TokenFingerprint, now: Double) -> IntrospectionAnswer? {
        if let claims = active.value(for: token, now: now) { return .active(claims) }
        return inactive.value(for: token, now: now) == nil ? nil : .inactive
    }

    /// Caches an answer.
    ///
    /// An active token is not cached beyond its `exp`. The absence of an answer is not cached.
    mutating func insert(_ answer: IntrospectionAnswer, about token: TokenFingerprint, now: Double) {
        switch answer {
        case .active(let claims):
            guard claims.value.document.byteCount <= Limits.cachedIntrospectionBytes else { return }
            let expiry = claims.seconds(.exp) ?? Limits.numericDate.upperBound
            active.insert(claims, for: token, until: min(now + lifetime, expiry), now: now)
        case .inactive:
            let end = now + min(lifetime, Limits.inactiveTokenLifetime.seconds)
            inactive.insert((), for: token, until: end, now: now)
        case .unavailable: return
        }
    }
}

/// Values that expire, at most a given number of them.
private struct BoundedEntries<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        let value: Value
        let start: Double
        let expiry: Double
    }

    /// The maximum number of expired entries that one call removes: more than it adds, so removal keeps up.
    private static var removedPerCall: Int { 2 }

    private let capacity: Int
    private var entries: [TokenFingerprint: Entry] = [:]

    /// The expiry of every entry.
    ///
    /// The item of a replaced or removed entry remains until it expires.
    private var queue = ExpiryQueue<TokenFingerprint>()

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { entries.count }

    /// Returns the value for a token from its start until its expiry.
    ///
    /// At any other time the value is removed. Otherwise, after the clock was set back, it would become valid again later.
    mutating func value(for token: TokenFingerprint, now: Double) -> Value? {
        guard let entry = entries[token] else { return nil }
        guard entry.start <= now, now < entry.expiry else {
            entries[token] = nil
            return nil
        }
        return entry.value
    }

    mutating func insert(_ value: Value, for token: TokenFingerprint, until expiry: Double, now: Double) {
        // The comparison also excludes times that are not numbers, which the queue could not sort.
        guard expiry > now else { return }
        for _ in 0..<Self.removedPerCall {
            guard let first = queue.first, first.expiry <= now else { break }
            removeFirst()
        }
        if queue.count >= capacity { removeFirst() }
        entries[token] = Entry(value: value, start: now, expiry: expiry)
        queue.insert(ExpiryQueue.Item(expiry: expiry, key: token))
    }

    /// Removes the entry that expires first, unless it was replaced by a later one.
    private mutating func removeFirst() {
        let item = queue.removeFirst()
        if entries[item.key]?.expiry == item.expiry { entries[item.key] = nil }
    }
}
