// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginKeys

/// The signal that resumes waiting tasks.
@Suite(.timeLimit(.minutes(10))) struct SignalTests {
    private let clock = ManualContinuousClock()
    private let signal = Signal()

    private var timekeeper: Timekeeper { Timekeeper(clock) }

    @Test func `all waiting tasks are woken`() async throws {
        let seen = signal.count
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { await signal.wait(after: seen, until: .seconds(1), timekeeper) } }
            try await eventually("all wait") { signal.waiters == 100 }
            signal.raise()
            for try await happened in group { #expect(happened) }
        }
        #expect(signal.waiters == 0)
    }

    @Test func `a signal between reading the state and waiting is not lost`() async {
        let seen = signal.count
        signal.raise()
        #expect(await signal.wait(after: seen, until: .seconds(1), timekeeper))
    }

    @Test func `a signal that was seen before wakes no task`() async throws {
        signal.advance()
        let seen = signal.count
        async let happened = signal.wait(after: seen, until: .seconds(1), timekeeper)
        try await eventually("it waits") { signal.waiters == 1 }
        // Only now the signal reports a change that the task has already seen.
        signal.wake()
        #expect(signal.waiters == 1)
        signal.raise()
        #expect(await happened)
    }

    @Test func `a wait ends at its deadline`() async throws {
        async let happened = signal.wait(after: signal.count, until: .seconds(1), timekeeper)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await happened == false)
        #expect(signal.waiters == 0)
    }

    @Test func `a wait ends when its task is cancelled`() async throws {
        let waiting = Task { await signal.wait(after: signal.count, until: .seconds(1), timekeeper) }
        try await eventually("it waits") { signal.waiters == 1 }
        waiting.cancel()
        #expect(await waiting.value == false)
        #expect(signal.waiters == 0)
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return await signal.wait(after: signal.count, until: .seconds(1), timekeeper)
        }
        cancelled.cancel()
        #expect(await cancelled.value == false)
    }
}
