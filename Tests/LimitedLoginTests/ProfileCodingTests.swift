// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginProviders
internal import LoginTesting
internal import TestSupport
internal import Testing

/// A profile in JSON, read again.
@Suite struct ProfileCodingTests {
    private static let full: [String: TestJSON] = [
        "name": "Ada B. Example", "given_name": "Ada", "middle_name": "B.", "family_name": "Example",
        "picture": "https://cdn.example/pic?ext=1762592000", "email": "ada@example.com", "user_friends": ["1", "2"],
        "user_birthday": "12/10/1990", "user_age_range": ["min": 21], "user_hometown": ["id": "1", "name": "x"],
        "user_location": ["id": "2", "name": "y"], "user_gender": "female", "user_link": "https://www.facebook.com/ada",
    ]

    private func decoded(_ profile: Profile) throws -> Profile {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Profile.self, from: encoder.encode(profile))
    }

    @Test func `a profile with every member is the same after a round trip`() throws {
        let profile = try FacebookBench().verify(claims: Self.full).profile
        let again = try decoded(profile)
        #expect(again == profile && again.imageURLExpirationDate == Date(timeIntervalSince1970: 1_762_592_000))
        #expect(again.refreshDate == profile.refreshDate && again.isLimited && again.permissions == nil)
    }

    @Test(arguments: ["12/10/1990", "12/10", "1990", "02/29", "01/02/0003"])
    func `a birthday is the same after a round trip`(_ birthday: String) throws {
        let profile = try FacebookBench().verify(claims: ["user_birthday": .string(birthday)]).profile
        #expect(profile.birthday != nil)
        #expect(try decoded(profile) == profile)
    }

    @Test func `a profile of a user who shares nothing, and one without friends, differ after a round trip`() throws {
        let bench = try FacebookBench()
        let alone = try decoded(bench.verify().profile)
        #expect(alone.friendIDs == nil && alone.name == nil)
        #expect(try decoded(bench.verify(claims: ["user_friends": []]).profile).friendIDs == [])
    }

    @Test func `JSON that is no profile is refused`() {
        for text in [
            "{}", #"{"userID":"1"}"#, #"{"userID":"1","isLimited":true,"refreshDate":0,"birthday":{"month":1}}"#,
            #"{"userID":1,"isLimited":true,"refreshDate":0}"#,
        ] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Profile.self, from: Data(text.utf8)) }
        }
    }
}
