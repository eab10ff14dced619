// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Synchronization

/// Counts requests of each network, and says when one has had enough.
///
/// Each network has a bucket that fills evenly up to what a minute allows, and each request takes one out. How many networks are
/// remembered is bounded: of those beyond, all together have one bucket, until others have been full again and are forgotten.
package final class RateLimiter: Sendable {
    /// A bucket, as it was when somebody last took out of it.
    private struct Bucket {
        var level: Double
        var at: ContinuousClock.Instant
    }

    private struct State {
        var buckets: [String: Bucket] = [:]
        var overflow: Bucket?
        var sweptAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: How many networks are remembered, 1 or more.
    package init(capacity: Int = 50_000) {
        self.capacity = capacity
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
            let isRoom = state.buckets.count < capacity
            let (kept, wait) = Self.take(from: isRoom ? nil : state.overflow, perMinute, now)
            if isRoom { state.buckets[network] = kept } else { state.overflow = kept }
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
