// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// A clock for intervals that stands still until it is told to move: whoever sleeps by it wakes when its time has come.
///
/// With it a test of what happens after an hour takes no hour, and ends the same way each time.
///
/// ```swift
/// let clock = ManualContinuousClock()
/// async let slept: Void = clock.sleep(for: .seconds(3600))
/// try await clock.waitForSleepers(1)
/// clock.advance(by: .seconds(3600))
/// try await slept
/// ```
///
/// ``ManualClock`` is its counterpart for the time of day; moving one does not move the other.
public final class ManualContinuousClock: Clock, Sendable {
    /// A moment: how long after the clock was made.
    public struct Instant: InstantProtocol {
        /// How long after the clock was made.
        public let offset: Duration

        /// The moment so much later.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// How much later another moment is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether a moment is before another.
        public static func < (first: Instant, second: Instant) -> Bool { first.offset < second.offset }
    }

    private typealias Continuation = CheckedContinuation<Void, any Error>

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: (deadline: Instant, continuation: Continuation)] = [:]
        var waiters: [Int: (count: Int, continuation: Continuation)] = [:]
        /// Those who were cancelled before they fell asleep.
        var cancelled: Set<Int> = []
        var lastID = 0
    }

    private let state = Mutex(State())

    /// A clock at the beginning of its time.
    public init() {}

    /// What it shows.
    public var now: Instant { state.withLock(\.now) }

    /// The smallest step: it can be moved by any duration.
    public var minimumResolution: Duration { Duration(secondsComponent: 0, attosecondsComponent: 1) }

    /// How many sleep by it now.
    public var sleeperCount: Int { state.withLock(\.sleepers.count) }

    /// How long it is until the next sleeper wakes; nil if none sleeps.
    public var untilNextWake: Duration? {
        state.withLock { state in
            state.sleepers.values.map(\.deadline).min().map { state.now.duration(to: $0) }
        }
    }

    /// Moves it, and wakes those whose time has come, in the order of their times.
    ///
    /// What they do next runs beside the caller: wait for it by ``waitForSleepers(_:)`` or by what it brings about.
    ///
    /// - Parameter duration: How far, forward; by zero or less nothing happens.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = max(state.now, state.now.advanced(by: duration))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        for (_, sleeper) in woken { sleeper.continuation.resume() }
    }

    /// Sleeps until the clock has been moved to a moment, or beyond it.
    ///
    /// - Parameters:
    ///   - deadline: The moment.
    ///   - tolerance: Of no effect.
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

    /// Waits until at least so many sleep by it, so that moving it wakes them.
    ///
    /// - Parameter count: How many.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func waitForSleepers(_ count: Int) async throws {
        try await suspend { state, id, continuation in
            guard count > state.sleepers.count else { return [continuation] }
            state.waiters[id] = (count, continuation)
            return []
        }
    }

    /// Suspends the task until somebody resumes it, or it is cancelled.
    ///
    /// - Parameter enlist: Puts the continuation where it is found later, and says which ones are to go on now.
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
