// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine

/// The blocks in progress.
///
/// They are read and written in order, and verified in any order.
///
/// The number of blocks is bounded. When the next block to write is not verified yet, or writing stalls, reading
/// pauses. The window does not block and is not thread-safe; ``BatchQueue`` adds both.
struct BatchWindow<Work, Done> {
    private enum Slot {
        case waiting(Work)
        case taken
        case done(Done)
    }

    /// The maximum number of blocks between reading and writing.
    let size: Int

    /// The blocks, the oldest first.
    private var slots: [Slot] = []
    /// The number of the oldest block.
    private var first = 0
    /// The number of the next block for a worker.
    private var nextToTake = 0
    private var inputHasEnded = false
    private(set) var isStopped = false

    init(size: Int) {
        precondition(size > 0)
        self.size = size
    }

    var hasRoom: Bool { slots.count < size }

    /// Whether there is nothing more to write: all blocks were written, or the window was stopped.
    var isFinished: Bool { isStopped || (inputHasEnded && slots.isEmpty) }

    /// Adds a block that was read.
    ///
    /// After a stop, the block is discarded.
    mutating func add(_ work: Work) {
        precondition(hasRoom && !inputHasEnded)
        guard !isStopped else { return }
        slots.append(.waiting(work))
    }

    /// Marks the end of the input.
    mutating func endInput() {
        inputHasEnded = true
    }

    /// Takes the oldest block that waits for a worker.
    ///
    /// - Returns: The block, and its number for ``complete(_:_:)``; nil if no block waits, or after a stop.
    mutating func take() -> (number: Int, work: Work)? {
        guard nextToTake - first < slots.count, case .waiting(let work) = slots[nextToTake - first] else { return nil }
        slots[nextToTake - first] = .taken
        defer { nextToTake += 1 }
        return (nextToTake, work)
    }

    /// Stores the result of a block.
    ///
    /// After a stop, the result is discarded.
    mutating func complete(_ number: Int, _ done: Done) {
        guard !isStopped else { return }
        guard case .taken = slots[number - first] else { preconditionFailure("a block is returned once") }
        slots[number - first] = .done(done)
    }

    /// Removes and returns the oldest block's result, which frees a slot.
    ///
    /// - Returns: The result; nil if it is not known yet, if there are no blocks, or after a stop.
    mutating func next() -> Done? {
        guard case .done(let done)? = slots.first else { return nil }
        slots.removeFirst()
        first += 1
        return done
    }

    /// Discards all blocks.
    ///
    /// The output written so far remains a prefix of the whole.
    mutating func stop() {
        isStopped = true
        slots = []
        first = nextToTake
    }
}
#endif
