// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A clock for intervals that moves only when it is advanced; sleeping tasks wake at their deadlines.
///
/// With it, a test of an hour takes no hour, and its result is deterministic.
///
/// ```swift
/// let clock = ManualContinuousClock()
/// async let slept: Void = clock.sleep(for: .seconds(3600))
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(3600))
/// try await slept
/// ```
///
/// ``ManualClock`` is the counterpart for the time of day; advancing one does not advance the other.
public final class ManualContinuousClock: Clock, Sendable {
    /// An instant, measured from the creation of the clock.
    public struct Instant: InstantProtocol {
        /// The duration since the creation of the clock.
        public let offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// Returns the duration to another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns whether an instant is before another.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (deadline: Instant, continuation: Continuation)] = [:]
        var waiters: [Int: (count: Int, continuation: Continuation)] = [:]
        /// The sleepers and waiters that were cancelled before they were suspended.
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state = Mutex(State())

    /// Creates a clock at offset zero.
    public init() {}

    /// The current instant of the clock.
    public var now: Instant { state.withLock(\.now) }

    /// The smallest step of the clock, one attosecond.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// The duration until the next sleeper wakes; nil if there is none.
    public var untilNextWake: Duration? {
        state.withLock { state in
            state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
        }
    }

    /// Advances the clock, and wakes the sleepers whose deadline has passed, in the order of their deadlines.
    ///
    /// The woken tasks run concurrently with the caller: wait for them with ``waitForSleepers(_:)`` or for their
    /// effects.
    ///
    /// - Parameter duration: The duration; zero or less has no effect.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = max(state.now, state.now.advanced(by: duration))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in woken { sleeper.continuation.resume() }
    }

    /// Suspends until the clock reaches the deadline.
    ///
    /// - Parameters:
    ///   - deadline: The instant to wait for.
    ///   - tolerance: Ignored.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await suspend { state, id, continuation in
            guard deadline > state.now else { return [continuation] }
            state.sleepers[id] = (deadline, continuation)
            let awaited = state.waiters.filter { $0.value.count <= state.sleepers.count }
            for id in awaited.keys { state.waiters[id] = nil }
            return awaited.values.map(\.continuation)
        }
    }

    /// Waits until at least `count` tasks are sleeping, so that advancing the clock wakes them.
    ///
    /// - Parameter count: The number of sleeping tasks.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForSleepers(_ count: Int) async throws {
        try await suspend { state, id, continuation in
            guard count > state.sleepers.count else { return [continuation] }
            state.waiters[id] = (count, continuation)
            return []
        }
    }

    /// Suspends the task until it is resumed or cancelled.
    ///
    /// - Parameter enlist: A closure that stores the continuation, and returns the continuations to resume now.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    private func suspend(
        _ enlist: (inout State, _ id: Int, Continuation) -> [Continuation]
    ) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { _ = state.withLock { $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Continuation) in
                let resumed: [Continuation]? = state.withLock { state in
                    state.cancelled.contains(id) ? nil : enlist(&state, id, continuation)
                }
                guard let resumed else { return continuation.resume(throwing: CancellationError()) }
                for other in resumed { other.resume() }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: Int) {
        let continuation = state.withLock { state in
            state.cancelled.insert(id)
            return state.sleepers.removeValue(forKey: id)?.continuation
                ?? state.waiters.removeValue(forKey: id)?.continuation
        }
        continuation?.resume(throwing: CancellationError())
    }
}
