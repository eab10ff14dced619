// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import TestSupport
internal import Testing

/// "Is this user at least this old?", without knowledge of the user's time zone.
@Suite struct AgeGateTests {
    /// The 18th birthday is 2018-06-15: the day begins on the 14th at 10:00 UTC in UTC+14, and on the 15th at 12:00 UTC
    /// in UTC-12.
    @Test(
        arguments: [
            ("2018-06-14T09:59:59Z", AgeGate.no), ("2018-06-14T10:00:00Z", .unknown),
            ("2018-06-15T00:00:00Z", .unknown),
            ("2018-06-15T11:59:59Z", .unknown), ("2018-06-15T12:00:00Z", .yes), ("2017-06-20T00:00:00Z", .no),
            ("2018-07-01T00:00:00Z", .yes), ("2019-01-01T00:00:00Z", .yes),
        ]
    )
    func `a birthday is reached when its day has ended in every time zone, and not before it has begun in one`(
        time: String,
        answer: AgeGate
    ) throws {
        let birthday = try #require(Birthday("06/15/2000"))
        #expect(birthday.isAtLeast(18, on: try Date(time, strategy: .iso8601)) == answer)
    }

    /// In a year without February 29, that birthday is on March 1.
    @Test(
        arguments: [
            ("2018-02-28T12:00:00Z", AgeGate.unknown), ("2018-02-28T09:59:59Z", .no),
            ("2018-02-28T10:00:00Z", .unknown),
            ("2018-03-01T11:59:59Z", .unknown), ("2018-03-01T12:00:00Z", .yes),
        ]
    )
    func `a user born on February 29 turns 18 on March 1`(time: String, answer: AgeGate) throws {
        let birthday = try #require(Birthday("02/29/2000"))
        #expect(birthday.isAtLeast(18, on: try Date(time, strategy: .iso8601)) == answer)
    }

    @Test(arguments: [("2020-02-28T09:59:59Z", AgeGate.no), ("2020-02-29T12:00:00Z", .yes)])
    func `a user born on February 29 turns 20 on February 29`(time: String, answer: AgeGate) throws {
        let birthday = try #require(Birthday("02/29/2000"))
        #expect(birthday.isAtLeast(20, on: try Date(time, strategy: .iso8601)) == answer)
    }

    /// For a user born in 2000 the result is unknown from the first moment of 2018 to the beginning of its last day.
    @Test(
        arguments: [
            ("2017-12-31T09:59:59Z", AgeGate.no), ("2017-12-31T10:00:00Z", .unknown),
            ("2018-06-15T00:00:00Z", .unknown),
            ("2018-12-31T11:59:59Z", .unknown), ("2018-12-31T12:00:00Z", .yes),
        ]
    )
    func `a year alone leaves the age open until every day of it has passed`(time: String, answer: AgeGate) throws {
        let birthday = try #require(Birthday("2000"))
        #expect(birthday.isAtLeast(18, on: try Date(time, strategy: .iso8601)) == answer)
    }

    @Test func `the age is unknown without a year`() throws {
        let birthday = try #require(Birthday("06/15"))
        for age in [0, 18, 200] {
            #expect(birthday.isAtLeast(age, on: Date(timeIntervalSince1970: 1_760_000_000)) == .unknown)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 10_000, 10_001, Int.max])
    func `extreme ages cause no trap`(age: Int) throws {
        let expected: AgeGate = age <= 0 ? .yes : .no
        let now = Date(timeIntervalSince1970: 1_760_000_000)
        for text in ["12/31/1999", "1999", "01/01/0001"] {
            #expect(try #require(Birthday(text)).isAtLeast(age, on: now) == expected)
        }
        #expect(try #require(UserAgeRange(min: 21, max: nil)).isAtLeast(age) == (age <= 0 ? .yes : .unknown))
        #expect(try #require(UserAgeRange(min: nil, max: 17)).isAtLeast(age) == (age <= 0 ? .unknown : .no))
    }

    @Test func `nobody has reached an age before the birth date`() throws {
        let birthday = try #require(Birthday("12/31/9999"))
        #expect(birthday.isAtLeast(0, on: Date(timeIntervalSince1970: 1_760_000_000)) == .no)
    }

    /// Calendars number the years before the year 1 upwards again.
    @Test(arguments: [-1e12, -62_135_596_800, 253_402_300_799, 1e12])
    func `dates far outside a lifetime are compared like others`(seconds: Double) throws {
        let birthday = try #require(Birthday("06/15/2000"))
        #expect(birthday.isAtLeast(18, on: Date(timeIntervalSince1970: seconds)) == (seconds < 0 ? .no : .yes))
    }

    @Test(
        arguments: [
            (13, 17, 13, AgeGate.yes), (13, 17, 14, .unknown), (13, 17, 17, .unknown), (13, 17, 18, .no),
            (21, nil, 21, .yes), (21, nil, 22, .unknown), (nil, 17, 17, .unknown), (nil, 17, 18, .no),
        ] as [(Int?, Int?, Int, AgeGate)]
    )
    func `an age range decides if all of it is on one side of the limit`(
        min: Int?,
        max: Int?,
        age: Int,
        answer: AgeGate
    ) throws {
        #expect(try #require(UserAgeRange(min: min, max: max)).isAtLeast(age) == answer)
    }

    /// The issuer's clock stands in October 2025.
    @Test(
        arguments: [
            (nil, nil, AgeGate.unknown), (["min": 21], nil, .yes), (["max": 17], nil, .no), (nil, "06/15/2000", .yes),
            (nil, "06/15/2010", .no), (nil, "06/15", .unknown), (["min": 13], "06/15/2000", .yes),
            (["min": 13], "06/15/2010", .no), (["min": 13], "2007", .unknown), (["min": 21], "06/15/2010", .unknown),
            (["max": 17], "06/15/2000", .unknown), (["min": 21], "06/15/2000", .yes),
            (["max": 17], "06/15/2010", .no), (["min": true], "06/15/2000", .yes),
        ] as [(TestJSON?, TestJSON?, AgeGate)]
    )
    func `a profile combines birthday and age range, and leaves the age open if they contradict each other`(
        range: TestJSON?,
        birthday: TestJSON?,
        answer: AgeGate
    ) throws {
        let bench = try FacebookBench()
        let profile = try bench.verify {
            $0.claims["user_age_range"] = range
            $0.claims["user_birthday"] = birthday
        }.profile
        #expect(profile.isAtLeast(18, on: bench.issuer.clock.now) == answer)
    }
}
