// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A birthday, as far as the user shares it: the date, the day without the year, or the year only.
///
/// It is a calendar date without a time zone, not a point in time. To store it, encode it: it is `Codable`.
public struct Birthday: Sendable, Hashable {
    /// The year, 1 … 9999.
    public let year: Int?
    /// The month, 1 … 12; present if and only if the day is.
    public let month: Int?
    /// The day of the month, 1 … 31.
    public let day: Int?

    /// Creates a birthday from one of Facebook's forms: `MM/DD/YYYY`, `MM/DD` or `YYYY`.
    ///
    /// Nil for other texts, and for dates that do not exist.
    public init?(_ text: String) {
        if let numbers = Self.numbers(in: text, format: "MM/DD/YYYY") {
            self.init(year: numbers[2], month: numbers[0], day: numbers[1])
        } else if let numbers = Self.numbers(in: text, format: "MM/DD") {
            self.init(year: nil, month: numbers[0], day: numbers[1])
        } else if let numbers = Self.numbers(in: text, format: "YYYY") {
            self.init(year: numbers[0], month: nil, day: nil)
        } else {
            return nil
        }
    }

    private init?(year: Int?, month: Int?, day: Int?) {
        guard year != nil || month != nil, (month == nil) == (day == nil) else { return nil }
        if let year, !(1...9999).contains(year) { return nil }
        if let month, let day {
            // Without a year, 29 February is valid.
            guard (1...12).contains(month), (1...Self.days(in: month, of: year ?? 2000)).contains(day) else {
                return nil
            }
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Returns whether the user is at least `age` years old on a day.
    ///
    /// The user's time zone is unknown. The result is yes if the day has come in all time zones, no if it has come in
    /// none, and unknown otherwise, or without a year.
    ///
    /// - Parameters:
    ///   - age: The age in years.
    ///   - date: A point in time on the day.
    /// - Returns: Yes, no or unknown.
    public func isAtLeast(_ age: Int, on date: Date) -> AgeGate {
        guard let year else { return .unknown }
        // Clamped to prevent an overflow.
        let turning = (year + Swift.min(Swift.max(age, 0), 10_000), month, day)
        if Self.isReached(turning, unknownDay: (12, 31), on: date, hoursFromUTC: -12) { return .yes }
        return Self.isReached(turning, unknownDay: (1, 1), on: date, hoursFromUTC: 14) ? .unknown : .no
    }

    private static func isReached(
        _ turning: (year: Int, month: Int?, day: Int?),
        unknownDay: (month: Int, day: Int),
        on date: Date,
        hoursFromUTC hours: Int
    ) -> Bool {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: hours * 3600) ?? calendar.timeZone
        let today = calendar.dateComponents([.era, .year, .month, .day], from: date)
        guard today.era == 1, let year = today.year, let month = today.month, let day = today.day else { return false }
        return (year, month, day) >= (turning.year, turning.month ?? unknownDay.month, turning.day ?? unknownDay.day)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the numbers between the slashes of a text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - format: The format, in which each letter stands for an ASCII digit.
    /// - Returns: The numbers; nil if the text has another format.
    private static func numbers(in text: String, format: String) -> [Int]? {
        guard text.utf8.count == format.utf8.count else { return nil }
        var numbers = [0]
        for (byte, expected) in zip(text.utf8, format.utf8) {
            switch byte {
            case UInt8(ascii: "/") where expected == byte: numbers.append(0)
            case UInt8(ascii: "0")...UInt8(ascii: "9") where expected != UInt8(ascii: "/"):
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
            default: return nil
            }
        }
        return numbers
    }
}

extension Birthday: CustomStringConvertible {
    /// The birthday as far as it is known: `1990-04-17`, `--04-17` without the year (RFC 6350 §4.3.1), or `1990`.
    public var description: String {
        guard let month, let day else { return year.map { Self.digits($0, 4) } ?? "" }
        return (year.map { Self.digits($0, 4) } ?? "-") + "-\(Self.digits(month, 2))-\(Self.digits(day, 2))"
    }

    /// The birthday in the form of Facebook that ``init(_:)`` reads.
    var text: String {
        let monthAndDay = month.flatMap { month in
            day.map { "\(Self.digits(month, 2))/\(Self.digits($0, 2))" }
        }
        return [monthAndDay, year.map { Self.digits($0, 4) }].compactMap(\.self).joined(separator: "/")
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - String(number).count)) + String(number)
    }
}

extension Birthday: Codable {
    private enum CodingKeys: CodingKey {
        case year, month, day
    }

    /// Decodes a birthday, with the checks of the initializer.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let year = try container.decodeIfPresent(Int.self, forKey: .year)
        let month = try container.decodeIfPresent(Int.self, forKey: .month)
        let day = try container.decodeIfPresent(Int.self, forKey: .day)
        guard let birthday = Birthday(year: year, month: month, day: day) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "not a birthday")
            throw DecodingError.dataCorrupted(context)
        }
        self = birthday
    }
}
