// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting
internal import Testing

@Suite(.timeLimit(.minutes(10)))
struct ManualContinuousClockTests {
    private let clock = ManualContinuousClock()

    @Test func `the clock stands still until it is advanced, and never goes back`() {
        let start = clock.now
        #expect(start.offset == .zero)
        #expect(clock.now == start)
        clock.advance(by: .seconds(3600))
        #expect(start.duration(to: clock.now) == .seconds(3600))
        clock.advance(by: .seconds(-1))
        clock.advance(by: .zero)
        #expect(clock.now == start.advanced(by: .seconds(3600)))
        #expect(start < clock.now)
    }

    @Test func `the clock can be advanced by its minimum resolution`() {
        clock.advance(by: clock.minimumResolution)
        #expect(clock.now.offset.components == (seconds: 0, attoseconds: 1))
    }

    @Test(arguments: [Duration.zero, .seconds(-5)]) func `a sleep of zero or a negative duration returns at once`(
        duration: Duration
    )
        async throws
    {
        try await clock.sleep(for: duration)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a sleeper wakes exactly at its deadline`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await clock.sleep(for: .seconds(60)) }
            try await clock.waitForSleepers(1)
            #expect(clock.untilNextWake == .seconds(60))
            clock.advance(by: .seconds(60) - clock.minimumResolution)
            #expect(clock.sleeperCount == 1)
            #expect(clock.untilNextWake == clock.minimumResolution)
            clock.advance(by: clock.minimumResolution)
            #expect(clock.sleeperCount == 0)
            #expect(clock.untilNextWake == nil)
            try await group.waitForAll()
        }
    }

    @Test func `only the sleepers whose deadline has come wake`() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    return seconds
                }
            }
            try await clock.waitForSleepers(3)
            clock.advance(by: .seconds(1))
            let first = try await group.next()
            #expect(first == 1)
            #expect(clock.sleeperCount == 2)
            clock.advance(by: .seconds(10))
            var last: Set<Int> = []
            for try await seconds in group { last.insert(seconds) }
            #expect(last == [2, 3])
        }
    }

    @Test func `a cancelled sleeper throws CancellationError`() async throws {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(60)) }
            }
            try? await clock.waitForSleepers(1)
            group.cancelAll()
        }
        #expect(clock.sleeperCount == 0)
        #expect(clock.now.offset == .zero)
    }

    @Test func `a task that is cancelled before it sleeps or waits for sleepers throws at once`() async {
        await withTaskGroup(of: Void.self) { group in
            group.cancelAll()
            group.addTask {
                #expect(Task.isCancelled)
                await #expect(throws: CancellationError.self) { try await clock.sleep(for: .seconds(60)) }
                await #expect(throws: CancellationError.self) { try await clock.waitForSleepers(1) }
            }
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `a thousand sleepers are awaited, woken and cancelled without losing one`() async throws {
        let woken = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<1000 {
                group.addTask {
                    do {
                        try await clock.sleep(for: .seconds(number % 2 == 0 ? 1 : 1000))
                        return true
                    } catch {
                        return false
                    }
                }
            }
            try? await clock.waitForSleepers(1000)
            clock.advance(by: .seconds(1))
            group.cancelAll()
            var results: [Bool] = []
            for await result in group { results.append(result) }
            return results
        }
        #expect(woken.count { $0 } == 500)
        #expect(woken.count == 1000)
        #expect(clock.sleeperCount == 0)
    }
}
