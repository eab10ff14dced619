// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting
internal import LoginTokens
internal import Testing

/// A clock that stands still until a test advances it.
@Suite struct ManualClockTests {
    @Test func `a manual clock starts at its date and does not advance by itself`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        #expect(clock.now == Date(timeIntervalSince1970: 1000))
        #expect(clock.now == clock.now)
    }

    @Test func `manual clocks start at the same date in October 2025`() {
        #expect(ManualClock().now == ManualClock().now)
        #expect(ManualClock().now.formatted(.iso8601).hasPrefix("2025-10-"))
    }

    @Test(
        arguments: [
            (.seconds(1), 1001), (.seconds(-1), 999), (.zero, 1000), (.milliseconds(500), 1000.5),
            (.milliseconds(-250), 999.75), (.seconds(86_400 * 365 * 100), 1000 + 86_400 * 365 * 100),
        ] as [(Duration, Double)]
    )
    func `the clock advances by a positive or negative duration`(duration: Duration, seconds: Double) {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        clock.advance(by: duration)
        #expect(clock.now == Date(timeIntervalSince1970: seconds))
    }

    @Test func `several advances add up`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        for _ in 1...4 { clock.advance(by: .milliseconds(250)) }
        #expect(clock.now == Date(timeIntervalSince1970: 1001))
    }

    @Test func `the clock can be set to a date`() {
        let clock = ManualClock()
        clock.set(Date(timeIntervalSince1970: 7))
        #expect(clock.now == Date(timeIntervalSince1970: 7))
    }

    @Test func `a change of the clock is visible through every reference`() {
        let clock = ManualClock()
        let other: any WallClock = clock
        clock.set(Date(timeIntervalSince1970: 7))
        #expect(other.now == Date(timeIntervalSince1970: 7))
    }

    @Test func `tasks can advance the clock concurrently`() async {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        await withTaskGroup { group in
            for _ in 1...100 { group.addTask { clock.advance(by: .seconds(1)) } }
        }
        #expect(clock.now == Date(timeIntervalSince1970: 100))
    }
}
