// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import TestSupport
internal import Testing

/// The formats of birthdays.
///
/// Facebook sends `MM/DD/YYYY`, `MM/DD` or `YYYY`, as the user permits.
@Suite struct BirthdayTests {
    @Test(
        .rule("F3.5"),
        arguments: [
            ("01/31/1990", 1990, 1, 31), ("12/01/2007", 2007, 12, 1), ("01/01/0001", 1, 1, 1),
            ("12/31/9999", 9999, 12, 31),
        ]
    )
    func `a complete date is parsed with the month first`(text: String, year: Int, month: Int, day: Int) throws {
        let birthday = try #require(Birthday(text))
        #expect(birthday.year == year && birthday.month == month && birthday.day == day)
    }

    @Test(.rule("F3.5b"), arguments: [("01/31", 1, 31), ("12/01", 12, 1), ("02/29", 2, 29)])
    func `a day without a year is parsed`(text: String, month: Int, day: Int) throws {
        let birthday = try #require(Birthday(text))
        #expect(birthday.year == nil && birthday.month == month && birthday.day == day)
    }

    @Test(arguments: [
        ("04/07/1990", "1990-04-07"), ("12/31/0001", "0001-12-31"), ("02/29", "--02-29"), ("1990", "1990"),
    ])
    func `a birthday is formatted as a date with its known parts`(text: String, date: String) throws {
        #expect(try #require(Birthday(text)).description == date)
    }

    @Test(.rule("F3.5b"), arguments: [("1990", 1990), ("0001", 1), ("9999", 9999)])
    func `a year alone is parsed`(text: String, year: Int) throws {
        let birthday = try #require(Birthday(text))
        #expect(birthday.year == year && birthday.month == nil && birthday.day == nil)
    }

    @Test(arguments: 1...12)
    func `the last day of each month is parsed and the day after it is refused`(month: Int) {
        let last = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        let digits = month < 10 ? "0\(month)" : "\(month)"
        #expect(Birthday("\(digits)/\(last)/1990") != nil)
        #expect(Birthday("\(digits)/\(last + 1)/1990") == nil)
        #expect(Birthday("\(digits)/01/1990") != nil)
        #expect(Birthday("\(digits)/00/1990") == nil)
    }

    @Test(arguments: [
        ("2000", true), ("1992", true), ("2400", true), ("1900", false), ("2100", false), ("1991", false),
    ])
    func `February 29 is accepted in leap years only`(year: String, isLeapYear: Bool) {
        #expect((Birthday("02/29/\(year)") != nil) == isLeapYear)
        #expect(Birthday("02/28/\(year)") != nil)
        #expect(Birthday("02/30/\(year)") == nil)
    }

    @Test(
        .rule("F3.5"),
        arguments: ["02/30/1990", "02/30", "13/01/1990", "00/10/1990", "00/10", "13/01", "31/01/1990", "01/32"]
    )
    func `a day that does not exist is refused`(text: String) {
        #expect(Birthday(text) == nil)
    }

    @Test(arguments: ["0000", "01/31/0000"])
    func `the year zero is refused`(text: String) {
        #expect(Birthday(text) == nil)
    }

    @Test(
        .rule("F3.5"),
        arguments: [
            "", "/", "//", "1", "199", "19900", "1/31/1990", "01/1/1990", "01/31/90", "01/31/19900", "01-31-1990",
            "1990-01-31", "1990/01/31", "01/31/", "/31/1990", "01//1990", "01/31/1990/", "01/31/1990/1", " 1990",
            "1990 ",
            "01/31/1990\n", "01/31/1990\u{0}", "01/ 1", "January",
        ]
    )
    func `text of any other format is refused`(text: String) {
        #expect(Birthday(text) == nil)
    }

    /// `Int` accepts a sign, and other parsers accept the digits of other scripts.
    @Test(arguments: [
        "+990", "-990", "+1/31", "01/-1/1990", "0x7C", "1e03", "\u{661}\u{669}\u{669}\u{660}", "\u{661}990", "1½",
    ])
    func `signs and non-ASCII digits are refused`(text: String) {
        #expect(Birthday(text) == nil)
    }

    @Test func `birthdays are equal if their parts are equal`() {
        #expect(Birthday("01/31/1990") == Birthday("01/31/1990"))
        #expect(Birthday("01/31/1990") != Birthday("01/31"))
        #expect(Birthday("1990") != Birthday("01/31/1990"))
    }

    @Test(arguments: ["01/31/1990", "01/31", "1990"])
    func `a value round-trips as JSON`(text: String) throws {
        let birthday = try #require(Birthday(text))
        let json = try JSONEncoder().encode(birthday)
        #expect(try JSONDecoder().decode(Birthday.self, from: json) == birthday)
    }

    @Test(
        arguments: [
            #"{"year":1990,"month":13,"day":1}"#, #"{"month":2,"day":30}"#, #"{"year":9223372036854775807}"#,
            #"{"year":0}"#, #"{"day":31}"#, #"{"month":2}"#, "{}",
        ]
    )
    func `decoding from JSON applies the same rules`(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Birthday.self, from: Data(json.utf8)) }
    }
}
