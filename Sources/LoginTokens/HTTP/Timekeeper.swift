// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A clock of any kind, its times counted from the moment this was made.
package struct Timekeeper: Sendable {
    /// The time.
    package let now: @Sendable () -> Duration

    /// Returns when it is that time; throws if the task is cancelled before.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Counts from now on.
    package init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init<C: Clock<Duration>>(opening clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { until in try await clock.sleep(until: start.advanced(by: until), tolerance: nil) }
    }
}
