// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import TestSupport
internal import Testing

/// The bounds of a valid age range.
@Suite struct UserAgeRangeTests {
    @Test(
        .rule("F3.6", "F3.6b"),
        arguments: [(13, 17), (20, 21), (0, 1), (21, nil), (0, nil), (nil, 17), (nil, 0)] as [(Int?, Int?)]
    )
    func `a range has one bound, or a lower bound below the upper`(min: Int?, max: Int?) throws {
        let range = try #require(UserAgeRange(min: min, max: max))
        #expect(range.min == min && range.max == max)
    }

    @Test(
        .rule("F3.6"),
        arguments: [(nil, nil), (21, 21), (22, 21), (-1, nil), (nil, -1), (-2, -1), (-1, 17), (Int.min, Int.max)]
            as [(Int?, Int?)]
    )
    func `a range without bounds, with a negative bound, or with a lower bound not below the upper is refused`(
        min: Int?,
        max: Int?
    ) {
        #expect(UserAgeRange(min: min, max: max) == nil)
    }

    @Test(arguments: ["21", "21.0", "2.1e1", "210e-1"])
    func `a bound can be a whole number in any notation`(digits: String) throws {
        let token = try FacebookBench().verify(claims: ["user_age_range": ["min": .number(digits), "other": "x"]])
        #expect(token.claims.userAgeRange == UserAgeRange(min: 21, max: nil))
    }

    @Test(.rule("F3.6"), arguments: ["21.5", "2.15e1", "1e300", "9223372036854775808", "-0.5"])
    func `a bound that is not a whole number is refused`(digits: String) throws {
        let token = try FacebookBench().verify(claims: ["user_age_range": ["min": .number(digits), "max": 99]])
        #expect(token.claims.userAgeRange == nil)
        #expect(token.claims.notes.map(\.claim) == ["user_age_range"])
    }

    @Test(.rule("F3.6c")) func `ranges with equal bounds are equal, however large`() {
        #expect(UserAgeRange(min: Int.max - 1, max: Int.max) == UserAgeRange(min: Int.max - 1, max: Int.max))
        #expect(UserAgeRange(min: Int.max - 2, max: Int.max) != UserAgeRange(min: Int.max - 1, max: Int.max))
        #expect(UserAgeRange(min: 13, max: nil) != UserAgeRange(min: nil, max: 13))
    }

    @Test func `a value round-trips as JSON`() throws {
        for range in [UserAgeRange(min: 13, max: 17), UserAgeRange(min: 21, max: nil), UserAgeRange(min: nil, max: 17)]
        {
            let range = try #require(range)
            let json = try JSONEncoder().encode(range)
            #expect(try JSONDecoder().decode(UserAgeRange.self, from: json) == range)
        }
    }

    @Test(arguments: ["{}", #"{"min":21,"max":21}"#, #"{"min":-1}"#, #"{"max":-1}"#])
    func `decoding from JSON applies the same rules`(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(UserAgeRange.self, from: Data(json.utf8)) }
    }
}
