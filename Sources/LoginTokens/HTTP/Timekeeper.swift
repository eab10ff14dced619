// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A clock of any type whose times are measured from the creation of this value.
package struct Timekeeper: Sendable {
    /// Returns the time since creation.
    package let now: @Sendable () -> Duration

    /// Suspends until the given time; throws if the task is cancelled.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    /// Creates a timekeeper that starts at zero now.
    package init(_ clock: any Clock<Duration>) {
        self.init(opening: clock)
    }

    private init<C: Clock<Duration>>(opening clock: C) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { until in try await clock.sleep(until: start.advanced(by: until), tolerance: nil) }
    }
}
