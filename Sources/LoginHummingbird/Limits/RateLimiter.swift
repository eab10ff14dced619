// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Synchronization

/// Counts requests of each network, and says when one has had enough.
///
/// Each network has a bucket that fills evenly up to what a minute allows, and each request takes one out. How many networks are
/// remembered is bounded: those beyond share a thousand buckets by chance, until others have been full again and are forgotten. Which
/// networks share one nobody can foretell, so that nobody can empty another's on purpose.
package final class RateLimiter: Sendable {
    /// A bucket, as it was when somebody last took out of it.
    private struct Bucket {
        var level: Double
        var at: ContinuousClock.Instant
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        /// Of networks that are not remembered, by what a hash says that differs from process to process.
        var shared: [UInt: Bucket] = [:]
        var sweptAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let shares: Int

    /// - Parameters:
    ///   - capacity: How many networks are remembered, 1 or more.
    ///   - shares: How many buckets there are for all others, 1 or more.
    package init(capacity: Int = 50_000, shares: Int = 1_000) {
        (self.capacity, self.shares) = (capacity, shares)
    }

    /// Takes one request out of a bucket.
    ///
    /// - Parameters:
    ///   - network: Who asks.
    ///   - perMinute: How many requests a minute may have, and one moment too, 1 or more.
    ///   - now: What time it is.
    /// - Returns: How long to wait; nil where the request may go on.
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

    /// Forgets who has not asked for a minute: their buckets are full again.
    ///
    /// At most once a second, so that a flood of new networks
    /// does not have all of them looked at each time.
    private static func forgetFull(_ state: inout State, _ perMinute: Int, _ now: ContinuousClock.Instant) {
        if let sweptAt = state.sweptAt, now - sweptAt < .seconds(1) { return }
        state.sweptAt = now
        state.buckets = state.buckets.filter { now - $0.value.at < .seconds(60) }
    }

    private static func seconds(_ duration: Duration) -> Double { max(duration / .seconds(1), 0) }
}
#endif
