// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

/// A signal that wakes all waiting tasks.
///
/// A waiting task passes the count of the last signal it has seen, so that it does not miss a signal between reading
/// the count and waiting.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var nextID = 0
        var waiting: [Int: (seen: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state = Mutex(State())

    /// The number of signals so far.
    var count: Int { state.withLock(\.count) }

    /// The number of waiting tasks.
    var waiters: Int { state.withLock(\.waiting.count) }

    /// Counts a signal, and wakes the waiting tasks.
    func raise() {
        advance()
        wake()
    }

    /// Counts a signal, without waking the waiting tasks; ``wake()`` has to follow.
    ///
    /// Call it together with the change that it stands for, so that a task that saw the change does not take its signal
    /// for a later one.
    func advance() {
        state.withLock { $0.count += 1 }
    }

    /// Wakes the tasks that wait for a signal that was counted.
    func wake() {
        let told = state.withLock { state in
            let told = state.waiting.filter { $0.value.seen != state.count }
            for id in told.keys { state.waiting[id] = nil }
            return told.values
        }
        for waiter in told { waiter.continuation.resume() }
    }

    /// Waits for the next signal, or until a time.
    ///
    /// - Parameters:
    ///   - seen: The ``count`` that the caller has seen.
    ///   - end: The time at which the wait ends.
    ///   - timekeeper: The clock.
    /// - Returns: Whether there was a signal; false if the time came first, or the task was cancelled.
    func wait(after seen: Int, until end: Duration, _ timekeeper: Timekeeper) async -> Bool {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(after: seen) }
            group.addTask { try? await timekeeper.sleep(end) }
            await group.next()
            group.cancelAll()
        }
        return count != seen
    }

    private func wait(after seen: Int) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    guard state.count == seen, !Task.isCancelled else { return true }
                    state.waiting[id] = (seen, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // If the task is cancelled before it waits, it sees that itself. The lock determines which of the two comes
            // first.
            state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
