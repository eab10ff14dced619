// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import TestSupport
import Testing

@testable import LoginKeys

@Suite(.rule("T-165")) struct HTTPDateTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private let example = Date(timeIntervalSince1970: 784_111_777)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994",
        "SUN, 06 NOV 1994 08:49:37 GMT", "sunday, 06-nov-94 08:49:37 gmt", "sun nov  6 08:49:37 1994",
        "Mon, 06 Nov 1994 08:49:37 GMT",
    ])
    func `the three date formats are parsed in any letter case`(text: String) {
        #expect(HTTPDate.read(text, now: example) == example)
    }

    @Test(arguments: [
        "", "0", "-1", "Sun", "Sun,", ",", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37  GMT", "Sun,06 Nov 1994 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT ", "Sun, 06 Nox 1994 08:49:37 GMT", "Sux, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, +6 Nov 1994 08:49:37 GMT", "Sun,  6 Nov 1994 08:49:37 GMT", "Sunday Nov  6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov 6 08:49:37 1994", "Sun, 06 Nov 0000 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "784111777", "Sun, ٠٦ Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08.49.37 GMT",
    ])
    func `other date formats are refused`(text: String) {
        #expect(HTTPDate.read(text, now: example) == nil)
    }

    @Test(arguments: [
        ("Tue, 29 Feb 2000 00:00:00 GMT", true), ("Thu, 29 Feb 1900 00:00:00 GMT", false),
        ("Thu, 29 Feb 2024 00:00:00 GMT", true), ("Sat, 29 Feb 2025 00:00:00 GMT", false),
        ("Thu, 30 Feb 2024 00:00:00 GMT", false), ("Wed, 30 Apr 2025 00:00:00 GMT", true),
        ("Thu, 31 Apr 2025 00:00:00 GMT", false), ("Wed, 31 Dec 2025 23:59:59 GMT", true),
        ("Wed, 32 Dec 2025 23:59:59 GMT", false), ("Wed, 00 Dec 2025 23:59:59 GMT", false),
        ("Wed, 31 Dec 2025 24:00:00 GMT", false), ("Wed, 31 Dec 2025 23:60:00 GMT", false),
        ("Wed, 31 Dec 2025 23:59:60 GMT", true), ("Wed, 31 Dec 2025 23:59:61 GMT", false),
    ])
    func `days and times that do not exist are refused`(text: String, exists: Bool) {
        #expect((HTTPDate.read(text, now: example) != nil) == exists)
    }

    @Test func `a leap second is read as the following second`() {
        let leap = HTTPDate.read("Sat, 31 Dec 2016 23:59:60 GMT", now: example)
        #expect(leap == HTTPDate.read("Sun, 01 Jan 2017 00:00:00 GMT", now: example))
    }

    @Test(arguments: [
        ("2025", "70", "2070"), ("2025", "75", "2075"), ("2025", "76", "1976"), ("2025", "25", "2025"),
        ("2025", "00", "2000"),
        ("1994", "44", "2044"), ("1994", "45", "1945"), ("2050", "99", "2099"), ("2050", "00", "2100"),
        ("2050", "01", "2001"),
        ("2099", "00", "2100"), ("2099", "49", "2149"), ("2099", "50", "2050"),
    ])
    func `a two-digit year is at most 50 years in the future`(now: String, digits: String, year: String) throws {
        let now = try #require(HTTPDate.read("Mon, 01 Jul \(now) 00:00:00 GMT", now: example))
        let expected = try #require(HTTPDate.read("Mon, 28 Jun \(year) 12:00:00 GMT", now: now))
        #expect(HTTPDate.read("Monday, 28-Jun-\(digits) 12:00:00 GMT", now: now) == expected)
    }

    @Test func `a two-digit year more than 50 years ahead belongs to the previous century`() throws {
        let now = try #require(HTTPDate.read("Tue, 01 Jul 2025 00:00:00 GMT", now: example))
        let before = try #require(HTTPDate.read("Monday, 30-Jun-75 00:00:00 GMT", now: now))
        let after = try #require(HTTPDate.read("Wednesday, 03-Jul-75 00:00:00 GMT", now: now))
        #expect(before > now)
        #expect(after < now)
    }

    @Test func `February 29 with a two-digit year is in a leap year`() throws {
        let now = try #require(HTTPDate.read("Mon, 01 Jul 2069 00:00:00 GMT", now: example))
        let expected = HTTPDate.read("Tue, 29 Feb 2000 00:00:00 GMT", now: now)
        #expect(HTTPDate.read("Tuesday, 29-Feb-00 00:00:00 GMT", now: now) == expected)
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `dates formatted by Foundation are parsed to the same time`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let formatters = [
            "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM dd HH:mm:ss yyyy",
        ].map {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.timeZone = TimeZone(identifier: "GMT")
            formatter.dateFormat = $0
            return formatter
        }
        for _ in 0..<50 {
            // From 1600 on, since Foundation uses another calendar before 1582; the second form covers only 100 years.
            let far = Date(
                timeIntervalSince1970: Double(Int.random(in: -11_676_096_000..<253_402_300_800, using: &numbers))
            )
            let near = example.addingTimeInterval(
                Double(Int.random(in: -1_577_000_000..<1_577_000_000, using: &numbers))
            )
            #expect(HTTPDate.read(formatters[0].string(from: far), now: example) == far)
            #expect(HTTPDate.read(formatters[1].string(from: near), now: example) == near)
            #expect(HTTPDate.read(formatters[2].string(from: far), now: example) == far)
        }
    }

    @Test func `a date with one changed byte is another date or refused`() {
        var mistaken: [String] = []
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            let original = Array(text.utf8)
            for index in original.indices {
                for byte in UInt8.min...UInt8.max where byte | 0x20 != original[index] | 0x20 {
                    var bytes = original
                    bytes[index] = byte
                    let changed = String(decoding: bytes, as: UTF8.self)
                    if HTTPDate.read(changed, now: example) == example { mistaken.append(changed) }
                }
            }
        }
        // The one other accepted spelling of the same day: some senders write a zero where the last form has a space.
        #expect(mistaken == ["Sun Nov 06 08:49:37 1994"])
    }
}
