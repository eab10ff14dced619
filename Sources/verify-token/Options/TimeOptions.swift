// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTesting
internal import LoginTokens

/// The time to use as the current time.
struct TimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The time to use as the current time: seconds since 1970, or ISO 8601.", valueName: "time")
    )
    var at: String?

    func validate() throws {
        _ = try clock()
    }

    /// Returns the system clock, or a clock that is fixed at the time given.
    func clock() throws -> any WallClock {
        guard let at else { return .system }
        let isSeconds = at.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
        let seconds = isSeconds ? Double(at) : nil
        let date = seconds.map(Date.init(timeIntervalSince1970:)) ?? (try? Date(at, strategy: .iso8601))
        // The ISO 8601 parser accepts 31 February, as a day in March.
        guard let date, isSeconds || timestamp(date.timeIntervalSince1970) == at,
            Limits.numericDate.contains(date.timeIntervalSince1970)
        else {
            throw ValidationError(
                "--at: \(quoted(at)) is not a time up to the year 9999, in seconds since 1970 or in ISO 8601, for example 2025-10-09T08:53:20Z"
            )
        }
        return ManualClock(date)
    }
}
#endif
