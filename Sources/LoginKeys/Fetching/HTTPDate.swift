// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A parser of HTTP dates (RFC 9110 §5.6.7).
///
/// There are three formats: `Sun, 06 Nov 1994 08:49:37 GMT`, which senders must use, and two obsolete ones, which
/// recipients must accept: `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
///
/// A cache ignores letter case, and a zone other than GMT makes a date invalid (RFC 9111 §4.2). The day of the week is
/// not compared with the date, because it is unknown which of the two would be wrong.
enum HTTPDate {
    /// Parses a date.
    ///
    /// - Parameters:
    ///   - text: The value of a field, without surrounding white space.
    ///   - now: The current time, which determines the century of a two-digit year.
    /// - Returns: The date; nil if the text has none of the three formats, or a day or time that does not exist.
    static func read(_ text: String, now: Date) -> Date? {
        guard text.utf8.count <= longest else { return nil }
        let bytes = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        let dayEnd = bytes.firstIndex(of: UInt8(ascii: ",")) ?? min(3, bytes.count)
        let rest = bytes[dayEnd...]
        switch Self.days.firstIndex(where: { $0.utf8.elementsEqual(bytes[..<dayEnd]) }) {
        case .some(..<7):
            let parts = Parts(rest, ", DD NNN YYYY HH:MM:SS gmt") ?? Parts(rest, " NNN _D HH:MM:SS YYYY")
            return parts?.date
        case .some:
            return Parts(rest, ", DD-NNN-YY HH:MM:SS gmt").flatMap { latest($0, now: now) }
        case nil:
            return nil
        }
    }

    /// The length of the longest date, `Wednesday, 06-Nov-94 08:49:37 GMT`.
    private static let longest = 33

    private static let days = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The mean number of seconds of a Gregorian year, which has 365.2425 days.
    private static let secondsPerYear = 31_556_952.0

    /// Returns the latest date with a two-digit year that is at most 50 years in the future.
    private static func latest(_ parts: Parts, now: Date) -> Date? {
        let bound = now.timeIntervalSince1970 + 50 * secondsPerYear
        guard (0...Limits.numericDate.upperBound).contains(bound) else { return nil }
        let century = (1970 + Int(bound / secondsPerYear)) / 100 * 100
        // The year of the bound is an estimate, and may be off by one at the turn of a century.
        for century in [century + 100, century, century - 100] {
            var parts = parts
            parts.year += century
            if let date = parts.date, date.timeIntervalSince1970 <= bound { return date }
        }
        return nil
    }
}

extension HTTPDate {
    /// The numbers of a date.
    private struct Parts {
        var year = 0
        private var month = 0
        private var day = 0
        private var hour = 0
        private var minute = 0
        private var second = 0

        /// Parses lowercase bytes that match `pattern`; nil if they do not.
        ///
        /// `D`, `Y`, `H`, `M` and `S` match a digit of the day, the year and the time, `NNN` the name of the month, and
        /// `_` a digit of the day or a space. Every other character matches itself.
        init?(_ bytes: ArraySlice<UInt8>, _ pattern: String) {
            guard bytes.count == pattern.utf8.count else { return nil }
            var name: [UInt8] = []
            for (byte, sign) in zip(bytes, pattern.unicodeScalars) {
                let digit = (0x30...0x39).contains(byte) ? Int(byte) - 0x30 : nil
                switch (sign, digit) {
                case ("N", _): name.append(byte)
                case ("_", nil): guard byte == UInt8(ascii: " ") else { return nil }
                case ("D", let digit?), ("_", let digit?): day = day * 10 + digit
                case ("Y", let digit?): year = year * 10 + digit
                case ("H", let digit?): hour = hour * 10 + digit
                case ("M", let digit?): minute = minute * 10 + digit
                case ("S", let digit?): second = second * 10 + digit
                default: guard UInt32(byte) == sign.value else { return nil }
                }
            }
            guard let index = Self.months.firstIndex(where: { $0.utf8.elementsEqual(name) }) else { return nil }
            month = index + 1
        }

        /// The date; nil if the day or the time does not exist.
        ///
        /// Second 60 is a leap second.
        var date: Date? {
            guard year >= 1, (1...daysOfMonth).contains(day), hour <= 23, minute <= 59, second <= 60 else { return nil }
            let past = year - 1
            let leapDays = past / 4 - past / 100 + past / 400
            let daysBefore = past * 365 + leapDays + Self.daysBefore[month - 1] + (month > 2 && isLeapYear ? 1 : 0)
            let seconds = ((daysBefore + day - 1 - Self.daysBefore1970) * 24 + hour) * 3600 + minute * 60 + second
            return Date(timeIntervalSince1970: Double(seconds))
        }

        private var isLeapYear: Bool {
            year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        }

        private var daysOfMonth: Int {
            switch month {
            case 2: isLeapYear ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]
        /// The number of days before each month of a common year.
        private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        /// The number of days from January 1 of the year 1 to January 1, 1970.
        private static let daysBefore1970 = 719_162
    }
}
