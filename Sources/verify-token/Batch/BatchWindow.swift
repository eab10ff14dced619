// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine

/// Which blocks are under way, and in what order they leave: they are read and written in order, and verified in any.
///
/// It holds a bounded number of blocks. Where the next to be written is not ready, or nobody takes what is written, nothing
/// more is read. It waits for nobody and knows no threads; ``BatchQueue`` does.
struct BatchWindow<Work, Done> {
    private enum Slot {
        case waiting(Work)
        case taken
        case done(Done)
    }

    /// How many blocks are held at most, from reading to writing.
    let size: Int

    /// What is held, the oldest first.
    private var slots: [Slot] = []
    /// The number of the oldest.
    private var first = 0
    /// The number of the next that a worker takes.
    private var nextToTake = 0
    private var inputHasEnded = false
    private(set) var isStopped = false

    init(size: Int) {
        precondition(size > 0)
        self.size = size
    }

    var hasRoom: Bool { slots.count < size }

    /// Whether nothing is to be written any more: all was, or it was stopped.
    var isFinished: Bool { isStopped || (inputHasEnded && slots.isEmpty) }

    /// Takes in a block that was read.
    ///
    /// Where it was stopped, nobody wants it.
    mutating func add(_ work: Work) {
        precondition(hasRoom && !inputHasEnded)
        guard !isStopped else { return }
        slots.append(.waiting(work))
    }

    /// Says that no further block comes.
    mutating func endInput() {
        inputHasEnded = true
    }

    /// The oldest block that nobody has taken.
    ///
    /// - Returns: The block, and the number under which it is handed back; nil where there is none, or it was stopped.
    mutating func take() -> (number: Int, work: Work)? {
        guard nextToTake - first < slots.count, case .waiting(let work) = slots[nextToTake - first] else { return nil }
        slots[nextToTake - first] = .taken
        defer { nextToTake += 1 }
        return (nextToTake, work)
    }

    /// Hands back what became of a block.
    ///
    /// Where it was stopped meanwhile, nobody wants it.
    mutating func complete(_ number: Int, _ done: Done) {
        guard !isStopped else { return }
        guard case .taken = slots[number - first] else { preconditionFailure("a block is handed back once") }
        slots[number - first] = .done(done)
    }

    /// What is to be written next, and makes room.
    ///
    /// - Returns: What became of the oldest block; nil where it is not known yet, nothing is held, or it was stopped.
    mutating func next() -> Done? {
        guard case .done(let done)? = slots.first else { return nil }
        slots.removeFirst()
        first += 1
        return done
    }

    /// Lets go of everything.
    ///
    /// What was written stays a beginning of the whole.
    mutating func stop() {
        isStopped = true
        slots = []
        first = nextToTake
    }
}
#endif
