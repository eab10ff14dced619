// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens
internal import Synchronization

/// Wakes everybody who waits for something to happen.
///
/// A waiter says which occurrence it has seen, so that one that happens between its look and its wait is not missed.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var nextID = 0
        var waiting: [Int: (seen: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
    }

    private let state = Mutex(State())

    /// How often it happened.
    var count: Int { state.withLock(\.count) }

    /// How many wait for it.
    var waiters: Int { state.withLock(\.waiting.count) }

    /// It happened.
    func raise() {
        advance()
        wake()
    }

    /// It happened, and ``wake()`` will tell those who wait.
    ///
    /// Called together with the change it stands for, so that whoever saw the change does not take the news of it for that of
    /// a later one.
    func advance() {
        state.withLock { $0.count += 1 }
    }

    /// Tells those who wait for what has happened; who has seen it already waits on.
    func wake() {
        let told = state.withLock { state in
            let told = state.waiting.filter { $0.value.seen != state.count }
            for id in told.keys { state.waiting[id] = nil }
            return told.values
        }
        for waiter in told { waiter.continuation.resume() }
    }

    /// Waits for the next occurrence, no longer than to the time given.
    ///
    /// - Parameters:
    ///   - seen: The occurrences that were seen, by ``count``.
    ///   - end: When to give up.
    ///   - timekeeper: Who says what time it is.
    /// - Returns: Whether it happened; false if the time came first, or the task was cancelled.
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
            // Cancelled before it waits, it sees so itself; the lock decides which of the two comes first.
            state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
