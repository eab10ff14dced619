// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The times of a key cache that can be changed while it runs, as described in ``KeyCacheConfiguration``.
public struct KeyCacheTimes: Sendable, Hashable {
    /// The bounds of the lifetime of keys, within 1 second and 7 days.
    public var lifetime: ClosedRange<Duration>

    /// The time that keys stay in use beyond their lifetime while the provider is unavailable: 0 to 7 days.
    public var staleLimit: Duration

    /// The minimum time between two fetches that tokens with unknown keys, or an operator, can cause: 1 second to 1
    /// hour.
    public var cooldown: Duration

    /// Creates times.
    ///
    /// - Parameters:
    ///   - lifetime: The bounds of the lifetime of keys, within 1 second and 7 days.
    ///   - staleLimit: The time that keys stay in use beyond their lifetime: 0 to 7 days.
    ///   - cooldown: The minimum time between two fetches that a token or an operator can cause: 1 second to 1 hour.
    public init(lifetime: ClosedRange<Duration>, staleLimit: Duration, cooldown: Duration) {
        self.lifetime = lifetime
        self.staleLimit = staleLimit
        self.cooldown = cooldown
    }
}

extension KeyCacheConfiguration {
    /// The times that ``KeyCache/reconfigure(_:)`` can change while the cache runs.
    public var times: KeyCacheTimes {
        get { KeyCacheTimes(lifetime: lifetime, staleLimit: staleLimit, cooldown: cooldown) }
        set { (lifetime, staleLimit, cooldown) = (newValue.lifetime, newValue.staleLimit, newValue.cooldown) }
    }
}

extension KeyCacheTimes {
    /// Throws an error if a time would break the cache, or flood the providers with requests.
    func validate() throws(KeyCacheError) {
        guard lifetime.lowerBound >= .seconds(1), lifetime.upperBound <= .seconds(7 * 86_400) else {
            throw KeyCacheError("lifetime must be between 1 second and 7 days")
        }
        guard staleLimit >= .zero, staleLimit <= .seconds(7 * 86_400) else {
            throw KeyCacheError("staleLimit must be between 0 and 7 days")
        }
        guard cooldown >= .seconds(1), cooldown <= .seconds(3600) else {
            throw KeyCacheError("cooldown must be between 1 second and 1 hour")
        }
    }
}

/// The result of an operator's request to fetch one provider's keys.
public struct KeyRefresh: Sendable, Hashable {
    /// The outcome of a request.
    public enum Outcome: Sendable, Hashable {
        /// A fetch begins.
        ///
        /// ``KeyCache/statuses`` and ``KeyCache/events()`` report its result.
        case begun
        /// A fetch was already in progress, or due.
        case underWay
        /// The cooldown after the last fetch has not passed: try again after `wait`.
        case tooSoon(wait: Duration)
        /// No fetch begins, because the transport has not ended earlier fetches that were abandoned.
        case unavailable
    }

    /// The name of the provider, as passed to the cache.
    public let provider: String

    /// The outcome of the request.
    public let outcome: Outcome
}
