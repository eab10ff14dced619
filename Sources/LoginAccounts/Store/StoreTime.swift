// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A time as a store keeps it: whole milliseconds since 1970.
struct StoreTime: Sendable, Hashable, Comparable, Codable {
    let milliseconds: Int64

    /// Creates a time, clamped to ``range``.
    ///
    /// A row may be damaged or written by another program, so no value of it may make arithmetic overflow.
    init(milliseconds: Int64) {
        self.milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    private enum CodingKeys: String, CodingKey { case milliseconds }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(milliseconds: try values.decode(Int64.self, forKey: .milliseconds))
    }

    /// Creates the time of a date, rounded down to the millisecond and clamped to ``range``; 1970 if the date is not a
    /// number.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        let (earliest, latest) = (Double(Self.range.lowerBound), Double(Self.range.upperBound))
        self.milliseconds =
            milliseconds.isNaN ? 0 : Int64(exactly: min(max(milliseconds, earliest), latest)) ?? 0
    }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    var value: StoreValue { .integer(milliseconds) }

    /// The time in ISO 8601, in UTC.
    var text: String { date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }

    static func < (first: Self, second: Self) -> Bool { first.milliseconds < second.milliseconds }

    static func + (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds + milliseconds(of: duration))
    }

    static func - (time: Self, duration: Duration) -> Self {
        Self(milliseconds: time.milliseconds - milliseconds(of: duration))
    }

    /// Returns the whole milliseconds of a duration, clamped so that sums do not overflow.
    private static func milliseconds(of duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return min(max(seconds, range.lowerBound), range.upperBound) * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// The maximum time by which the clocks of servers and providers differ.
    static let clockTolerance = Duration.seconds(60)

    /// Whether the time lies in the future by more than the clocks of servers differ.
    ///
    /// A server whose clock was ahead has written it, so it is no evidence that anything happened recently.
    func isAhead(of now: Self) -> Bool { self > now + Self.clockTolerance }

    /// Whether no more than a duration has passed since the time, which is not in the future.
    func isRecent(_ age: Duration, at now: Self) -> Bool { self + age >= now && !isAhead(of: now) }

    /// The latest time at which a row with a lifetime may have been created.
    ///
    /// A row of a server whose clock was ahead would otherwise last for as long as the clock was ahead. The tolerance
    /// is an hour, so that a server whose clock is a little slow ends no sessions.
    static func latestCreation(_ now: Self) -> Self { now + .seconds(3600) }

    /// The range of times: from the year 1 to the year 9999, which every database and calendar supports.
    static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999
}
