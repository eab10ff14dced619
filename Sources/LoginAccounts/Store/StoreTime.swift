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

    init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The millisecond that a time falls into; the ends of the range for what lies outside of it, or is none.
    init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded(.down)
        self.milliseconds =
            milliseconds.isNaN
            ? 0
            : Int64(exactly: min(max(milliseconds, Double(Self.earliest)), Double(Self.latest))) ?? 0
    }

    var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    var value: StoreValue { .integer(milliseconds) }

    static func < (first: Self, second: Self) -> Bool { first.milliseconds < second.milliseconds }

    static func + (time: Self, duration: Duration) -> Self {
        let (seconds, attoseconds) = duration.components
        let added = min(max(seconds, -latest), latest) * 1000 + attoseconds / 1_000_000_000_000_000
        return Self(milliseconds: min(max(time.milliseconds + added, earliest), latest))
    }

    static func - (time: Self, duration: Duration) -> Self { time + (.zero - duration) }

    /// The years 1 and 9999, which every database and calendar can say.
    private static let earliest: Int64 = -62_135_596_800_000
    private static let latest: Int64 = 253_402_300_799_999
}
