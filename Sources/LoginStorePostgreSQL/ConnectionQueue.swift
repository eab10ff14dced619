// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
internal import LoginAccounts
internal import Synchronization

/// A queue for connections: slots that are taken and returned, and the callers that wait for one.
final class ConnectionQueue: Sendable {
    /// The maximum number of waiting callers.
    ///
    /// More would not be served before the timeout, and each takes memory.
    static let waitingMax = 1000

    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Result<ConnectionSlot, StoreError>, Never>
    }

    private struct State {
        var free: [ConnectionSlot]
        var waiting: [Waiter] = []
        /// The IDs of callers that are about to wait.
        ///
        /// A caller that is cancelled meanwhile is removed.
        var arriving: Set<UInt64> = []
        var isClosed = false
        var closing: [CheckedContinuation<Void, Never>] = []
        var nextID: UInt64 = 0
    }

    private let size: Int
    private let timeout: Duration
    private let state: Mutex<State>

    init(size: Int, timeout: Duration) {
        self.size = size
        self.timeout = timeout
        state = Mutex(State(free: (0..<size).map { _ in ConnectionSlot() }))
    }

    /// The number of waiting callers.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Takes a slot, after waiting for one if necessary.
    ///
    /// - Throws: ``StoreError``: `unavailable` if none was free in time, too many callers wait, the task was cancelled,
    ///   or the queue was closed.
    func take() async throws(StoreError) -> ConnectionSlot {
        guard !Task.isCancelled else { throw Self.cancelled }
        let first: Result<ConnectionSlot, StoreError>? = state.withLock { state in
            if state.isClosed { return .failure(Self.closed) }
            // No waiting caller is overtaken: a returned slot goes to the first of them.
            if let slot = state.free.popLast() { return .success(slot) }
            if state.waiting.count >= Self.waitingMax {
                return .failure(StoreError(.unavailable, "too many transactions are waiting for a connection"))
            }
            return nil
        }
        if let first { return try first.get() }
        return try await wait().get()
    }

    /// Returns a slot, which goes to the caller that has waited longest, if any.
    func give(back slot: ConnectionSlot) {
        let (next, closing) = state.withLock { state -> (Waiter?, [CheckedContinuation<Void, Never>]) in
            if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
            state.free.append(slot)
            guard state.isClosed, state.free.count == size else { return (nil, []) }
            defer { state.closing = [] }
            return (nil, state.closing)
        }
        next?.continuation.resume(returning: .success(slot))
        for waiting in closing { waiting.resume() }
    }

    /// Closes the queue: refuses all callers, and returns the slots after all are back.
    func close() async -> [ConnectionSlot] {
        let waiting = state.withLock { state -> [Waiter] in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: .failure(Self.closed)) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isBack = state.withLock { state in
                guard state.free.count < size else { return true }
                state.closing.append(continuation)
                return false
            }
            if isBack { continuation.resume() }
        }
        return state.withLock { $0.free }
    }

    // MARK: - Waiting

    private func wait() async -> Result<ConnectionSlot, StoreError> {
        let id = state.withLock { state in
            state.nextID += 1
            state.arriving.insert(state.nextID)
            return state.nextID
        }
        // Two tasks run, and the first to end cancels the other: the wait for a slot, and the timeout.
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { [timeout] in
                do { try await Task.sleep(for: timeout) } catch { return }
                self.leave(id, Self.late)
            }
            let result = await stand(id)
            group.cancelAll()
            return result
        }
    }

    private func stand(_ id: UInt64) async -> Result<ConnectionSlot, StoreError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Result<ConnectionSlot, StoreError>? = state.withLock { state in
                    if state.arriving.remove(id) == nil { return .failure(Self.cancelled) }
                    if state.isClosed { return .failure(Self.closed) }
                    if let slot = state.free.popLast() { return .success(slot) }
                    state.waiting.append(Waiter(id: id, continuation: continuation))
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            leave(id, Self.cancelled)
        }
    }

    private func leave(_ id: UInt64, _ error: StoreError) {
        let waiter = state.withLock { state -> Waiter? in
            state.arriving.remove(id)
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiter?.continuation.resume(returning: .failure(error))
    }

    private static let late = StoreError(.unavailable, "no connection was free in time")
    private static let cancelled = StoreError(.unavailable, "the task was cancelled while it waited for a connection")
    private static let closed = StoreError(.unavailable, "the store has been shut down")
}
#endif
