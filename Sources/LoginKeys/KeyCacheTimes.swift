// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The times of a key cache that may be changed while it runs; ``KeyCacheConfiguration`` says what each is for.
public struct KeyCacheTimes: Sendable, Hashable {
    /// How long keys are good for, however long their provider says: within 1 second and 7 days.
    public var lifetime: ClosedRange<Duration>

    /// How long keys serve beyond their lifetime while their provider does not answer: 0 to 7 days.
    public var staleLimit: Duration

    /// How often tokens that name unknown keys, or an operator, can make us look for new ones: once in 1 second to 1 hour.
    public var cooldown: Duration

    /// Times.
    ///
    /// - Parameters:
    ///   - lifetime: How long keys are good for: within 1 second and 7 days.
    ///   - staleLimit: How long they serve beyond that: 0 to 7 days.
    ///   - cooldown: How often somebody can make us look for new ones: once in 1 second to 1 hour.
    public init(lifetime: ClosedRange<Duration>, staleLimit: Duration, cooldown: Duration) {
        self.lifetime = lifetime
        self.staleLimit = staleLimit
        self.cooldown = cooldown
    }
}

extension KeyCacheConfiguration {
    /// Those of its numbers that may be changed while the cache runs, by ``KeyCache/reconfigure(_:)``.
    public var times: KeyCacheTimes {
        get { KeyCacheTimes(lifetime: lifetime, staleLimit: staleLimit, cooldown: cooldown) }
        set { (lifetime, staleLimit, cooldown) = (newValue.lifetime, newValue.staleLimit, newValue.cooldown) }
    }
}

extension KeyCacheTimes {
    /// Refuses times that would make a cache that cannot work, or that floods its providers.
    func validate() throws(KeyCacheError) {
        guard lifetime.lowerBound >= .seconds(1), lifetime.upperBound <= .seconds(7 * 86_400) else {
            throw KeyCacheError("lifetime is to lie within 1 second and 7 days")
        }
        guard staleLimit >= .zero, staleLimit <= .seconds(7 * 86_400) else {
            throw KeyCacheError("staleLimit is to lie within 0 and 7 days")
        }
        guard cooldown >= .seconds(1), cooldown <= .seconds(3600) else {
            throw KeyCacheError("cooldown is to lie within 1 second and 1 hour")
        }
    }
}

/// What came of asking for one provider's keys anew.
public struct KeyRefresh: Sendable, Hashable {
    /// What happens now.
    public enum Outcome: Sendable, Hashable {
        /// They are fetched; what comes of it, ``KeyCache/statuses`` and ``KeyCache/events()`` say.
        case begun
        /// They were being fetched already.
        case underWay
        /// They were fetched just now: ask again after `wait`.
        case tooSoon(wait: Duration)
        /// The transport still holds fetches that were given up, so none is begun.
        case unavailable
    }

    /// The name of the provider, as it was given to the cache.
    public let provider: String

    /// What happens now.
    public let outcome: Outcome
}
