// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Dispatch
internal import Synchronization

/// A ``BatchWindow`` between threads: one that reads, several that verify, one that writes.
///
/// Each waits here until there is something to do, on a thread of its own; none of these calls belongs on the cooperative
/// pool.
final class BatchQueue<Work: Sendable, Done: Sendable>: Sendable {
    private let window: Mutex<BatchWindow<Work, Done>>
    private let workers: Int
    /// Has one for each free place, and one at the end.
    private let room = DispatchSemaphore(value: 0)
    /// Has one for each block nobody has taken, and one for each worker at the end.
    private let work = DispatchSemaphore(value: 0)
    /// Has one for each block that was handed back, and one at the end.
    private let change = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - workers: How many threads verify.
    ///   - size: How many blocks are held at most.
    init(workers: Int, size: Int) {
        self.workers = workers
        window = Mutex(BatchWindow(size: size))
        for _ in 0..<size { room.signal() }
    }

    /// Waits until another block may be read; to be asked once for each.
    ///
    /// - Returns: Whether one is wanted; false once it was stopped.
    func waitForRoom() -> Bool {
        room.wait()
        guard window.withLock({ $0.isStopped }) else { return true }
        // Of what is read at once come several blocks: whoever asks again must not wait either.
        room.signal()
        return false
    }

    /// Hands a block to whoever is free.
    func add(_ block: Work) {
        window.withLock { $0.add(block) }
        work.signal()
    }

    /// Says that no further block comes.
    func endInput() {
        window.withLock { $0.endInput() }
        wakeWorkers()
        change.signal()
    }

    /// Waits for a block to verify.
    ///
    /// - Returns: The block, and the number under which it is handed back; nil where none comes any more.
    func take() -> (number: Int, work: Work)? {
        work.wait()
        return window.withLock { $0.take() }
    }

    /// Hands back what became of a block.
    func complete(_ number: Int, _ done: Done) {
        window.withLock { $0.complete(number, done) }
        change.signal()
    }

    /// Waits for what is to be written next.
    ///
    /// - Returns: It, in the order of the input; nil where nothing comes any more.
    func next() -> Done? {
        while true {
            let (next, isFinished) = window.withLock { ($0.next(), $0.isFinished) }
            if let next { return next }
            if isFinished { return nil }
            change.wait()
        }
    }

    /// Says that what came last was written, so that another block may be read.
    func wasWritten() {
        room.signal()
    }

    /// Lets go of everything: who waits here returns, with nothing.
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
