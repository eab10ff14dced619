// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Reads the dates of HTTP heads (RFC 9110 §5.6.7).
///
/// There are three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, the one that is sent today, and `Sunday, 06-Nov-94 08:49:37 GMT`
/// and `Sun Nov  6 08:49:37 1994`, which recipients must still understand. Letter case does not count to a cache, and another
/// zone than GMT makes a date invalid (RFC 9111 §4.2). Whether the day of the week belongs to the date is not examined:
/// which of the two would be wrong cannot be told.
enum HTTPDate {
    /// Reads a date.
    ///
    /// - Parameters:
    ///   - text: The value of a field, without white space around it.
    ///   - now: Tells which century a year of two digits belongs to.
    /// - Returns: The date; nil if this is none of the three forms, or names a day or time that does not exist.
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

    /// The longest there is, `Wednesday, 06-Nov-94 08:49:37 GMT`.
    private static let longest = 33

    private static let days = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun",
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The mean year of the Gregorian calendar: 365.2425 days.
    private static let secondsPerYear = 31_556_952.0

    /// Of the dates with these last two digits of the year the latest that is not more than 50 years ahead.
    private static func latest(_ parts: Parts, now: Date) -> Date? {
        let bound = now.timeIntervalSince1970 + 50 * secondsPerYear
        guard (0...Limits.numericDate.upperBound).contains(bound) else { return nil }
        let century = (1970 + Int(bound / secondsPerYear)) / 100 * 100
        // The year of the bound is estimated, and may lie just before or behind the turn of a century.
        for century in [century + 100, century, century - 100] {
            var parts = parts
            parts.year += century
            if let date = parts.date, date.timeIntervalSince1970 <= bound { return date }
        }
        return nil
    }
}

extension HTTPDate {
    /// What a date says, as numbers.
    private struct Parts {
        var year = 0
        private var month = 0
        private var day = 0
        private var hour = 0
        private var minute = 0
        private var second = 0

        /// Reads bytes in lower case that look like `pattern`.
        ///
        /// `D`, `Y`, `H`, `M` and `S` stand for a digit of the day, the year and the time, `NNN` for the month's name, `_` for
        /// a digit of the day or a space; all else stands for itself.
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

        /// The date; nil if there is no such day or time.
        ///
        /// The 60th second is the leap second.
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
        /// The days before each month of a year that is no leap year.
        private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]
        /// From the first day of the year 1 to the first of 1970.
        private static let daysBefore1970 = 719_162
    }
}
