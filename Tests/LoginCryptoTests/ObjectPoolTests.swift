// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import Synchronization
internal import TestSupport
internal import Testing

@testable internal import LoginCrypto

/// The pool of libcrypto objects, tested with numbers in place of objects.
@Suite(.serialized) struct ObjectPoolTests {
    /// The sum of the freed numbers: the function that frees is a C function and cannot capture anything.
    private static let freed = Atomic(0)

    private static func pool() -> ObjectPool {
        freed.store(0, ordering: .relaxed)
        return unsafe ObjectPool(free: { Self.freed.add(Int(bitPattern: $0), ordering: .relaxed) })
    }

    @Test(.rule("T-068"))
    func `a returned object is taken once, and first by the same thread`() {
        let pool = Self.pool()
        // The macro cannot capture noncopyable values.
        let before = pool.takeNumber()
        for number in [1, 2, 3] { pool.giveBack(number: number) }
        let first = pool.takeNumber()
        #expect(before == 0 && first == 1)
        pool.giveBack(number: first)
        let taken = [pool.takeNumber(), pool.takeNumber(), pool.takeNumber(), pool.takeNumber()]
        #expect(taken == [1, 2, 3, 0])
        #expect(Self.freed.load(ordering: .relaxed) == 0)
    }

    @Test(.rule("T-068"))
    func `the pool keeps one object for each place and frees the others`() {
        let count = ObjectPool.capacity
        do {
            let pool = Self.pool()
            for number in 1...count { pool.giveBack(number: number) }
            #expect(Self.freed.load(ordering: .relaxed) == 0)
            pool.giveBack(number: count + 1)
            #expect(Self.freed.load(ordering: .relaxed) == count + 1)
            let first = pool.takeNumber()
            #expect(first == 1)
        }
        // All are freed in the end, except the one that was taken.
        #expect(Self.freed.load(ordering: .relaxed) == (count + 1) * (count + 2) / 2 - 1)
    }

    @Test(.rule("T-068"))
    func `threads first search different places of the pool`() {
        let shelf = Shelf(Self.pool())
        shelf.fill()
        // Threads that exist at the same time: otherwise one could reuse the place of another that has ended.
        let threads = (1...64).map { _ in LivingThread { shelf.look() } }
        for thread in threads { thread.end() }
        #expect(shelf.seen.count > ObjectPool.capacity / 2)
    }

    @Test(.rule("T-068"))
    func `no object is in use by two threads`() async {
        let shelf = Shelf(Self.pool())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<(2 * ObjectPool.capacity) {
                group.addTask { for _ in 0..<2000 { shelf.use() } }
            }
        }
        let (made, clashes) = shelf.counts
        #expect(clashes == 0)
        #expect((1...2 * ObjectPool.capacity).contains(made))
    }
}

extension ObjectPool {
    /// Takes a number; 0 if the pool is empty.
    fileprivate borrowing func takeNumber() -> Int {
        unsafe Int(bitPattern: take())
    }

    fileprivate borrowing func giveBack(number: Int) {
        guard let object = unsafe OpaquePointer(bitPattern: number) else { preconditionFailure("0 stands for none") }
        unsafe giveBack(object)
    }
}

/// A pool that tasks share, with a record of the objects in use.
private final class Shelf: Sendable {
    private let pool: ObjectPool
    private let state = Mutex((used: Set<Int>(), made: 0, clashes: 0))

    init(_ pool: consuming ObjectPool) {
        self.pool = pool
    }

    /// The objects that ``look()`` has found.
    var seen: Set<Int> { state.withLock(\.used) }

    func fill() { for number in 1...ObjectPool.capacity { pool.giveBack(number: number) } }

    /// Takes an object, records it, and gives it back.
    func look() {
        let number = pool.takeNumber()
        _ = state.withLock { $0.used.insert(number) }
        pool.giveBack(number: number)
    }

    var counts: (made: Int, clashes: Int) { state.withLock { ($0.made, $0.clashes) } }

    func use() {
        let taken = pool.takeNumber()
        let number = state.withLock { state in
            if taken == 0 { state.made += 1 }
            let number = taken == 0 ? state.made : taken
            if !state.used.insert(number).inserted { state.clashes += 1 }
            return number
        }
        _ = state.withLock { $0.used.remove(number) }
        pool.giveBack(number: number)
    }
}

/// A thread that has done its work when the initialiser returns, and lives until it is told to end.
private final class LivingThread: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private let mayEnd = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) {
        Thread { [done, mayEnd] in
            work()
            done.signal()
            mayEnd.wait()
        }
        .start()
        done.wait()
    }

    func end() { mayEnd.signal() }
}
