// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Dispatch
internal import Synchronization

/// A thread-safe ``BatchWindow``, shared by one reading thread, several verifying threads and one writing thread.
///
/// Its methods block the calling thread. Do not call them on the cooperative pool.
final class BatchQueue<Work: Sendable, Done: Sendable>: Sendable {
    private let window: Mutex<BatchWindow<Work, Done>>
    private let workers: Int
    /// A signal for each free slot, and one after a stop.
    private let room = DispatchSemaphore(value: 0)
    /// A signal for each block that waits for a worker, and one for each worker at the end of the input and after a
    /// stop.
    private let work = DispatchSemaphore(value: 0)
    /// A signal for each completed block, one at the end of the input, and one after a stop.
    private let change = DispatchSemaphore(value: 0)

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - workers: The number of verifying threads.
    ///   - size: The maximum number of blocks in the queue.
    init(workers: Int, size: Int) {
        self.workers = workers
        window = Mutex(BatchWindow(size: size))
        for _ in 0..<size { room.signal() }
    }

    /// Waits for a free slot.
    ///
    /// Call it once before each block that is added.
    ///
    /// - Returns: Whether to add a block; false after a stop.
    func waitForRoom() -> Bool {
        room.wait()
        guard window.withLock({ $0.isStopped }) else { return true }
        // One read can yield several blocks, so the next call must not block either.
        room.signal()
        return false
    }

    /// Adds a block for the next free worker.
    func add(_ block: Work) {
        window.withLock { $0.add(block) }
        work.signal()
    }

    /// Marks the end of the input.
    func endInput() {
        window.withLock { $0.endInput() }
        wakeWorkers()
        change.signal()
    }

    /// Waits for a block to verify.
    ///
    /// - Returns: The block, and its number for ``complete(_:_:)``; nil if there are no more blocks.
    func take() -> (number: Int, work: Work)? {
        work.wait()
        return window.withLock { $0.take() }
    }

    /// Stores the result of a block.
    func complete(_ number: Int, _ done: Done) {
        window.withLock { $0.complete(number, done) }
        change.signal()
    }

    /// Waits for the next result, in the order of the input.
    ///
    /// - Returns: The result; nil if there are no more.
    func next() -> Done? {
        while true {
            let (next, isFinished) = window.withLock { ($0.next(), $0.isFinished) }
            if let next { return next }
            if isFinished { return nil }
            change.wait()
        }
    }

    /// Frees a slot, after the last result was written.
    func wasWritten() {
        room.signal()
    }

    /// Discards all blocks and wakes all waiting threads.
    ///
    /// Their calls return nil or false.
    func stop() {
        window.withLock { $0.stop() }
        room.signal()
        wakeWorkers()
        change.signal()
    }

    private func wakeWorkers() {
        for _ in 0..<workers { work.signal() }
    }
}
#endif
