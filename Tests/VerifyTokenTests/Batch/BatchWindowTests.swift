// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import TestSupport
internal import Testing
@testable import verify_token

/// The order of blocks, without threads.
@Suite struct BatchWindowTests {
    /// A reference type around the window, because `#expect` cannot call mutating methods.
    private final class Window {
        private var window: BatchWindow<Int, String>

        init(size: Int) { window = BatchWindow(size: size) }

        var hasRoom: Bool { window.hasRoom }
        var isFinished: Bool { window.isFinished }
        var isStopped: Bool { window.isStopped }
        func add(_ work: Int) { window.add(work) }
        func endInput() { window.endInput() }
        func take() -> (number: Int, work: Int)? { window.take() }
        func complete(_ number: Int, _ done: String) { window.complete(number, done) }
        func next() -> String? { window.next() }
        func stop() { window.stop() }
    }

    @Test func `blocks are returned in input order, whatever order they complete in`() throws {
        let window = Window(size: 3)
        for work in [10, 11, 12] { window.add(work) }
        let taken = try (0..<3).map { _ in try #require(window.take()) }
        #expect(taken.map(\.work) == [10, 11, 12])
        #expect(window.take() == nil)
        window.complete(taken[2].number, "c")
        #expect(window.next() == nil)
        window.complete(taken[0].number, "a")
        #expect(window.next() == "a")
        #expect(window.next() == nil)
        window.complete(taken[1].number, "b")
        #expect([window.next(), window.next(), window.next()] == ["b", "c", nil])
    }

    @Test func `a full window has room again when its oldest block is returned`() throws {
        let window = Window(size: 2)
        #expect(window.hasRoom)
        window.add(1)
        window.add(2)
        #expect(!window.hasRoom)
        let (first, second) = (try #require(window.take()), try #require(window.take()))
        window.complete(second.number, "b")
        #expect(window.next() == nil && !window.hasRoom)
        window.complete(first.number, "a")
        #expect(!window.hasRoom)
        #expect(window.next() == "a" && window.hasRoom)
    }

    @Test func `a window is finished when the input has ended and all blocks are returned`() throws {
        let window = Window(size: 2)
        window.add(1)
        let first = try #require(window.take())
        window.endInput()
        #expect(!window.isFinished)
        window.complete(first.number, "a")
        #expect(!window.isFinished)
        #expect(window.next() == "a" && window.isFinished)

        let empty = Window(size: 2)
        #expect(!empty.isFinished)
        empty.endInput()
        #expect(empty.isFinished)
    }

    @Test func `a stopped window returns no blocks`() throws {
        let window = Window(size: 3)
        for work in [1, 2, 3] { window.add(work) }
        let (first, second) = (try #require(window.take()), try #require(window.take()))
        window.complete(first.number, "a")
        window.stop()
        #expect(window.isFinished && window.isStopped)
        #expect(window.next() == nil && window.take() == nil)
        window.complete(second.number, "b")
        window.add(4)
        window.endInput()
        window.stop()
        #expect(window.next() == nil && window.take() == nil && window.isFinished)
    }

    @Test(arguments: 0..<50)
    func `any interleaving returns all blocks in order within the size of the window`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let (size, count) = (Int.random(in: 1...6, using: &numbers), 40)
        let window = Window(size: size)
        var (added, held) = (0, 0)
        var taken: [(number: Int, work: Int)] = []
        var out: [String] = []
        while !window.isFinished {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0 where added == count: window.endInput()
            case 0 where window.hasRoom:
                window.add(added)
                added += 1
                held += 1
            case 1: if let next = window.take() { taken.append(next) }
            case 2 where !taken.isEmpty:
                let done = taken.remove(at: Int.random(in: taken.indices, using: &numbers))
                window.complete(done.number, "\(done.work)")
            case 3:
                if let next = window.next() {
                    out.append(next)
                    held -= 1
                }
            default: break
            }
            #expect(held <= size)
        }
        #expect(out == (0..<count).map(String.init))
    }
}

/// The blocking calls of the queue.
@Suite struct BatchQueueTests {
    @Test func `a stopped queue blocks neither the reader nor a worker`() {
        let queue = BatchQueue<Int, Int>(workers: 2, size: 1)
        #expect(queue.waitForRoom())
        queue.add(1)
        queue.stop()
        for _ in 0..<3 { #expect(!queue.waitForRoom()) }
        // Each worker stops after it got nothing.
        for _ in 0..<2 { #expect(queue.take() == nil) }
        for _ in 0..<3 { #expect(queue.next() == nil) }
        queue.endInput()
    }

    @Test func `each worker ends after the last block of the input`() throws {
        let queue = BatchQueue<Int, Int>(workers: 2, size: 2)
        #expect(queue.waitForRoom() && queue.waitForRoom())
        queue.add(1)
        queue.add(2)
        queue.endInput()
        let (first, second) = (try #require(queue.take()), try #require(queue.take()))
        #expect(queue.take() == nil && queue.take() == nil)
        queue.complete(second.number, second.work * 10)
        queue.complete(first.number, first.work * 10)
        #expect([queue.next(), queue.next(), queue.next()] == [10, 20, nil])
    }
}
#endif
