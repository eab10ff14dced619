// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
internal import LoginAccounts
internal import Synchronization

/// A counter of the running operations of a store, so that it is closed after the last one.
final class StoreUsers: Sendable {
    private struct State {
        var count = 0
        var isEnding = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Begins an operation.
    ///
    /// - Throws: ``StoreError``: `unavailable` if the store was shut down.
    func enter() throws(StoreError) {
        let isEnding = state.withLock { state in
            if !state.isEnding { state.count += 1 }
            return state.isEnding
        }
        guard !isEnding else { throw StoreError(.unavailable, "SQLite: the store was shut down") }
    }

    /// Ends an operation.
    func leave() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.count -= 1
            guard state.count == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Refuses further operations, and waits until the running ones have ended.
    func end() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                state.isEnding = true
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isFree { continuation.resume() }
        }
    }
}
#endif
