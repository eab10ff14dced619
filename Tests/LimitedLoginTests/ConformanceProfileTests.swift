// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Unusual optional claims: the token stays valid, and a note names the claim that could not be read.
@Suite struct ConformanceProfileTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test func `name number is accepted: nil and a note`() throws {
        let token = try bench.verify(claims: ["name": 1])
        #expect(token.claims.name == nil)
        #expect(token.profile.name == nil)
        expectNotes(["name"], token)
    }

    @Test func `email "" is accepted, and counts as absent`() throws {
        let token = try bench.verify(claims: ["email": ""])
        #expect(token.claims.email == nil)
        #expect(token.profile.email == nil)
        expectNotes([], token)
    }

    @Test(.rule("F3.10")) func `user_friends [] is accepted: an empty list, not nil`() throws {
        let token = try bench.verify(claims: ["user_friends": []])
        #expect(token.claims.userFriends == [])
        #expect(token.profile.friendIDs == [])
        expectNotes([], token)
    }

    @Test(.rule("F3.10"), arguments: [["1", 2], ["1", ""], ["1", .null], [["1"]], "1", [:]] as [TestJSON])
    func `user_friends ["1",2] is accepted: nil and a note`(friends: TestJSON) throws {
        let token = try bench.verify(claims: ["user_friends": friends])
        #expect(token.profile.friendIDs == nil)
        expectNotes(["user_friends"], token)
    }

    @Test func `user_age_range {min:21} is accepted`() throws {
        let token = try bench.verify(claims: ["user_age_range": ["min": 21]])
        let range = try #require(token.profile.ageRange)
        #expect(range.min == 21 && range.max == nil)
        expectNotes([], token)
    }

    @Test func `user_age_range {max:17} is accepted`() throws {
        let token = try bench.verify(claims: ["user_age_range": ["max": 17]])
        let range = try #require(token.profile.ageRange)
        #expect(range.min == nil && range.max == 17)
        expectNotes([], token)
    }

    @Test(.rule("F3.6")) func `user_age_range {min:20,max:21} is accepted`() throws {
        let token = try bench.verify(claims: ["user_age_range": ["min": 20, "max": 21]])
        #expect(token.profile.ageRange == UserAgeRange(min: 20, max: 21))
        expectNotes([], token)
    }

    @Test func `user_age_range {min:21,max:21} is accepted: nil and a note`() throws {
        try expectUnreadableRange(["min": 21, "max": 21])
    }

    @Test func `user_age_range {min:-1} is accepted: nil and a note`() throws {
        try expectUnreadableRange(["min": -1])
    }

    @Test(.rule("F3.6")) func `user_age_range {min:true} is accepted: nil and a note`() throws {
        try expectUnreadableRange(["min": true])
    }

    @Test(
        arguments: [[:], ["other": 21], ["min": 21.5], ["min": "21"], ["min": .null, "max": 17], [21], "21"]
            as [TestJSON]
    )
    func `user_age_range that is not a range is accepted: nil and a note`(range: TestJSON) throws {
        try expectUnreadableRange(range)
    }

    @Test(.rule("F3.7")) func `user_hometown {id:1,name:"x"} is accepted: nil and a note`() throws {
        let token = try bench.verify(claims: ["user_hometown": ["id": 1, "name": "x"]])
        #expect(token.profile.hometown == nil)
        expectNotes(["user_hometown"], token)
    }

    @Test(.rule("F3.7")) func `user_hometown {name:"x"} is accepted: nil and a note`() throws {
        let token = try bench.verify(claims: ["user_hometown": ["name": "x"]])
        #expect(token.profile.hometown == nil)
        expectNotes(["user_hometown"], token)
    }

    @Test(.rule("F3.7")) func `user_hometown {id:"1",name:"x"} is accepted`() throws {
        let token = try bench.verify(claims: ["user_hometown": ["id": "1", "name": "x", "more": 1]])
        #expect(token.profile.hometown == Location(id: "1", name: "x"))
        expectNotes([], token)
    }

    @Test(
        .rule("F3.5b"),
        arguments: [
            ("01/31/1990", 1990, 1, 31), ("01/31", nil, 1, 31), ("1990", 1990, nil, nil),
        ] as [(String, Int?, Int?, Int?)]
    )
    func `user_birthday "01/31/1990", "01/31" or "1990" is read`(text: String, year: Int?, month: Int?, day: Int?)
        throws
    {
        let token = try bench.verify(claims: ["user_birthday": .string(text)])
        #expect(token.claims.userBirthday == text)
        let birthday = try #require(token.profile.birthday)
        #expect(birthday.year == year && birthday.month == month && birthday.day == day)
        expectNotes([], token)
    }

    @Test func `user_birthday "02/30/1990" is accepted: nil and a note`() throws {
        let token = try bench.verify(claims: ["user_birthday": "02/30/1990"])
        #expect(token.claims.userBirthday == "02/30/1990")
        #expect(token.profile.birthday == nil)
        expectNotes(["user_birthday"], token)
    }

    @Test func `user_birthday "" is accepted, and counts as absent`() throws {
        let token = try bench.verify(claims: ["user_birthday": ""])
        #expect(token.claims.userBirthday == nil)
        #expect(token.profile.birthday == nil)
        expectNotes([], token)
    }

    @Test(.rule("F3.8")) func `user_link "facebook.com" is accepted: the string is kept, no URL and a note`() throws {
        let token = try bench.verify(claims: ["user_link": "facebook.com"])
        #expect(token.claims.userLink == "facebook.com")
        #expect(token.profile.linkURL == nil)
        expectNotes(["user_link"], token)
    }

    @Test func `picture "" is accepted, and counts as absent`() throws {
        let token = try bench.verify(claims: ["picture": ""])
        #expect(token.claims.picture == nil)
        #expect(token.profile.imageURL == nil)
        expectNotes([], token)
    }

    @Test func `cnf {jkt:"…"} is exposed`() throws {
        let token = try bench.verify(claims: ["cnf": ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"]])
        #expect(token.claims.cnfJkt == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        expectNotes([], token)
    }

    @Test(arguments: ["jkt", ["jkt": ""], ["jkt": 12_345], ["other": "x"], [:], .null] as [TestJSON])
    func `cnf without a thumbprint is accepted: nil and a note`(confirmation: TestJSON) throws {
        let token = try bench.verify(claims: ["cnf": confirmation])
        #expect(token.claims.cnfJkt == nil)
        expectNotes(["cnf"], token)
    }

    @Test func `unknown claims are available read-only`() throws {
        let token = try bench.verify(claims: ["new_claim": ["a": [1, 2]]])
        #expect(token.verified.claims["new_claim"]?["a"]?.elements?.map(\.integer) == [1, 2])
        #expect(token.verified.claims.names.contains("new_claim"))
        expectNotes([], token)
    }

    private func expectUnreadableRange(_ range: TestJSON, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let token = try bench.verify(claims: ["user_age_range": range])
        #expect(token.profile.ageRange == nil, sourceLocation: sourceLocation)
        expectNotes(["user_age_range"], token, sourceLocation: sourceLocation)
    }

    private func expectNotes(
        _ claims: [String],
        _ token: AuthenticationToken,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(token.profile.notes.map(\.claim) == claims, sourceLocation: sourceLocation)
    }
}
