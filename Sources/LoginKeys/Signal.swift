// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Synchronization

/// Wakes everybody who waits for something to happen.
///
/// A waiter says which occurrence it has seen, so that one that happens between its look and its wait is not missed.
final class Signal: Sendable {
    private struct State {
        var count = 0
        var nextID = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// How often it happened.
    var count: Int { state.withLock(\.count) }

    /// How many wait for it.
    var waiters: Int { state.withLock(\.waiting.count) }

    /// It happened.
    func raise() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
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
                    state.waiting[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            // Cancelled before it waits, it sees so itself; the lock decides which of the two comes first.
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume()
        }
    }
}
