// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import Synchronization

/// A rate limiter with a token bucket per network.
///
/// A bucket refills evenly up to the number of requests per minute, and each request takes one token. The number of
/// buckets is bounded. Networks beyond the bound share a fixed set of buckets, until full buckets of other networks are
/// removed. A hash that is seeded per process assigns the shared buckets, so that a client cannot choose to exhaust the
/// bucket of another network.
package final class RateLimiter: Sendable {
    /// The number of tokens in a bucket at the time of the last request.
    private struct Bucket {
        var level: Double
        var at: ContinuousClock.Instant
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        /// The buckets of networks without a bucket of their own, by hash.
        var shared: [UInt: Bucket] = [:]
        var sweptAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let shares: Int

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of networks with a bucket of their own, 1 or more.
    ///   - shares: The number of buckets for all other networks, 1 or more.
    package init(capacity: Int = 50_000, shares: Int = 1_000) {
        (self.capacity, self.shares) = (capacity, shares)
    }

    /// Takes one token from the bucket of a network.
    ///
    /// - Parameters:
    ///   - network: The network of the client.
    ///   - perMinute: The maximum number of requests per minute, which is also the maximum burst, 1 or more.
    ///   - now: The current time.
    /// - Returns: The time until the next token is available; nil if the request is allowed.
    package func take(_ network: String, perMinute: Int, at now: ContinuousClock.Instant) -> Duration? {
        state.withLock { state in
            if let bucket = state.buckets[network] {
                let (kept, wait) = Self.take(from: bucket, perMinute, now)
                state.buckets[network] = kept
                return wait
            }
            if state.buckets.count >= capacity { Self.forgetFull(&state, perMinute, now) }
            guard state.buckets.count >= capacity else {
                let (kept, wait) = Self.take(from: nil, perMinute, now)
                state.buckets[network] = kept
                return wait
            }
            let share = network.hashValue.magnitude % UInt(shares)
            let (kept, wait) = Self.take(from: state.shared[share], perMinute, now)
            state.shared[share] = kept
            return wait
        }
    }

    private static func take(from bucket: Bucket?, _ perMinute: Int, _ now: ContinuousClock.Instant)
        -> (Bucket, wait: Duration?)
    {
        let most = Double(max(perMinute, 1))
        let gained = bucket.map { seconds(now - $0.at) * most / 60 } ?? most
        let level = min((bucket?.level ?? 0) + gained, most)
        guard level >= 1 else {
            return (Bucket(level: level, at: now), .seconds((1 - level) * 60 / most))
        }
        return (Bucket(level: level - 1, at: now), nil)
    }

    /// Removes the buckets of networks without a request in the last minute, which are full again.
    ///
    /// It runs at most once a second, so that a flood of new networks does not cause a scan for each request.
    private static func forgetFull(_ state: inout State, _ perMinute: Int, _ now: ContinuousClock.Instant) {
        if let sweptAt = state.sweptAt, now - sweptAt < .seconds(1) { return }
        state.sweptAt = now
        state.buckets = state.buckets.filter { now - $0.value.at < .seconds(60) }
    }

    private static func seconds(_ duration: Duration) -> Double { max(duration / .seconds(1), 0) }
}
#endif
