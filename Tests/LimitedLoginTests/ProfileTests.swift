// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// The mapping of a token's claims to a profile, and of a profile to JSON.
@Suite struct ProfileTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    /// Every claim that has a property in the profile.
    private static let everything: [String: TestJSON] = [
        "sub": "1000000000000007", "name": "Ada B. Example", "given_name": "Ada", "middle_name": "B.",
        "family_name": "Example", "user_link": "https://www.facebook.com/ada", "picture": "https://cdn.example/a?ext=1",
        "email": "ada@example.com", "user_friends": ["11", "22"], "user_birthday": "02/29/1992",
        "user_age_range": ["min": 21, "max": 40], "user_hometown": ["id": "1", "name": "Martinez, California"],
        "user_location": ["id": "2", "name": "Seattle, Washington"], "user_gender": "female",
    ]

    @Test(.rule("F3.2")) func `each claim is mapped to its member of the profile`() throws {
        let profile = try bench.verify(claims: Self.everything).profile
        #expect(profile.userID == "1000000000000007")
        #expect(profile.name == "Ada B. Example")
        #expect(profile.firstName == "Ada")
        #expect(profile.middleName == "B.")
        #expect(profile.lastName == "Example")
        #expect(profile.linkURL == URL(string: "https://www.facebook.com/ada"))
        #expect(profile.imageURL == URL(string: "https://cdn.example/a?ext=1"))
        #expect(profile.imageURLExpirationDate == Date(timeIntervalSince1970: 1))
        #expect(profile.email == "ada@example.com")
        #expect(profile.friendIDs == ["11", "22"])
        #expect(profile.birthday == Birthday("02/29/1992"))
        #expect(profile.ageRange == UserAgeRange(min: 21, max: 40))
        #expect(profile.hometown == Location(id: "1", name: "Martinez, California"))
        #expect(profile.location == Location(id: "2", name: "Seattle, Washington"))
        #expect(profile.gender == "female")
        #expect(profile.notes.isEmpty)
    }

    @Test(.rule("F3.11")) func `profiles are equal if they have the same members and user`() throws {
        let profile = try bench.verify(claims: Self.everything).profile
        #expect(try bench.verify(claims: Self.everything).profile == profile)
        #expect(Set([profile, try bench.verify(claims: Self.everything).profile]).count == 1)
        // Claims outside the profile make no difference, nor does a text without a meaning.
        let others: [String: TestJSON] = ["cnf": ["jkt": "x"], "gender": "none", "user_gender_2": ""]
        #expect(try bench.verify(claims: Self.everything.merging(others) { $1 }).profile == profile)
        for name in Self.everything.keys.sorted() {
            var changed = Self.everything
            changed[name] = name == "sub" ? "1000000000000008" : nil
            #expect(try bench.verify(claims: changed).profile != profile, "\(name)")
        }
    }

    @Test func `each claim is returned as written`() throws {
        let claims = try bench.verify(claims: Self.everything).claims
        #expect(claims.iss == "https://www.facebook.com" && claims.aud == bench.issuer.audience)
        #expect(claims.nonce == FacebookBench.nonce)
        #expect(claims.sub == "1000000000000007")
        #expect(claims.name == "Ada B. Example")
        #expect(claims.givenName == "Ada")
        #expect(claims.middleName == "B.")
        #expect(claims.familyName == "Example")
        #expect(claims.userLink == "https://www.facebook.com/ada")
        #expect(claims.picture == "https://cdn.example/a?ext=1")
        #expect(claims.email == "ada@example.com")
        #expect(claims.userFriends == ["11", "22"])
        #expect(claims.userBirthday == "02/29/1992")
        #expect(claims.userAgeRange == UserAgeRange(min: 21, max: 40))
        #expect(claims.userHometown == Location(id: "1", name: "Martinez, California"))
        #expect(claims.userLocation == Location(id: "2", name: "Seattle, Washington"))
        #expect(claims.userGender == "female")
        #expect(claims.iat == bench.issuer.clock.now - 60)
        #expect(claims.exp == bench.issuer.clock.now + 3540)
    }

    @Test(.rule("F3.1")) func `a token without further claims has a profile with the user ID only`() throws {
        let token = try bench.verify()
        let profile = token.profile
        #expect(profile.userID == token.claims.sub)
        let texts = [
            profile.name, profile.firstName, profile.middleName, profile.lastName, profile.email, profile.gender,
        ]
        #expect(texts == [nil, nil, nil, nil, nil, nil])
        #expect(profile.linkURL == nil && profile.imageURL == nil && profile.imageURLExpirationDate == nil)
        #expect(profile.friendIDs == nil)
        #expect(profile.birthday == nil && profile.ageRange == nil)
        #expect(profile.hometown == nil && profile.location == nil)
        #expect(token.claims.cnfJkt == nil)
        #expect(profile.notes.isEmpty && token.claims.notes.isEmpty)
    }

    /// The members of the JSON form that every profile has, in order.
    private static let always = ["isLimited", "refreshDate", "userID"]

    @Test(arguments: [
        "name", "given_name", "middle_name", "family_name", "email", "picture", "user_gender", "user_link",
    ])
    func `an empty text counts as absent`(claim: String) throws {
        let token = try bench.verify(claims: [claim: ""])
        #expect(try members(of: token.profile).keys.sorted() == Self.always)
        #expect(token.profile.notes.isEmpty)
    }

    @Test(
        arguments: [
            "name", "given_name", "middle_name", "family_name", "email", "picture", "user_friends", "user_birthday",
            "user_age_range", "user_hometown", "user_location", "user_gender", "user_link",
        ],
        [.null, 5, false, ["a": "b"], [1]] as [TestJSON]
    )
    func `a claim of another type is nil with one note that does not quote it`(claim: String, value: TestJSON) throws {
        let token = try bench.verify(claims: [claim: value])
        #expect(try members(of: token.profile).keys.sorted() == Self.always)
        #expect(token.claims.notes == token.profile.notes)
        let note = try #require(token.profile.notes.first)
        #expect(token.profile.notes.count == 1)
        #expect(note.claim == claim)
        #expect(note.description == "\(claim): \(note.reason)")
        #expect(!note.reason.isEmpty)
    }

    @Test(
        .rule("F3.8"),
        arguments: [
            "http://a.example", "//a.example/b", "/a", "https:", "https://", "https:///a", "javascript:1", "a b",
        ],
        ["picture", "user_link"]
    )
    func `a URL that is not https with a host is nil with a note`(text: String, claim: String) throws {
        let token = try bench.verify(claims: [claim: .string(text)])
        #expect(token.profile.imageURL == nil && token.profile.linkURL == nil)
        #expect(token.profile.notes.map(\.claim) == [claim])
        // The claim itself could be read.
        #expect(token.claims.notes.isEmpty)
    }

    @Test(.rule("F3.8")) func `an https URL with a host is accepted, with a scheme in any letter case`() throws {
        let profile = try bench.verify(claims: ["picture": "HTTPS://a.example", "user_link": "https://a.example:8/b"])
            .profile
        #expect(profile.imageURL?.host() == "a.example")
        #expect(profile.linkURL?.host() == "a.example")
        #expect(profile.notes.isEmpty)
    }

    @Test func `notes are in the order of the claims, one for each claim`() throws {
        let token = try bench.verify(claims: ["user_link": "x", "name": 1, "user_gender": 2, "user_birthday": "x"])
        #expect(token.claims.notes.map(\.claim) == ["name", "user_gender"])
        #expect(token.profile.notes.map(\.claim) == ["name", "user_gender", "user_link", "user_birthday"])
    }

    /// Facebook documents nothing about it, so the value never depends on the token.
    @Test(arguments: [nil, true, false, "true"] as [TestJSON?])
    func `Facebook does not state whether an e-mail address is verified`(verified: TestJSON?) throws {
        let token = try bench.verify {
            $0.claims["email"] = "ada@example.com"
            $0.claims["email_verified"] = verified
        }
        #expect(token.profile.emailVerified == .unknown)
    }

    @Test func `the JSON form has the documented names and types`() throws {
        let members = try members(of: bench.verify(claims: Self.everything).profile)
        let names = [
            "userID", "name", "firstName", "middleName", "lastName", "linkURL", "imageURL", "email", "friendIDs",
            "birthday", "ageRange", "hometown", "location", "gender", "imageURLExpirationDate", "isLimited",
            "refreshDate",
        ]
        #expect(members.keys.sorted() == names.sorted())
        #expect(members["linkURL"] as? String == "https://www.facebook.com/ada")
        #expect(members["friendIDs"] as? [String] == ["11", "22"])
        #expect(members["birthday"] as? [String: Int] == ["year": 1992, "month": 2, "day": 29])
        #expect(members["ageRange"] as? [String: Int] == ["min": 21, "max": 40])
        #expect(members["hometown"] as? [String: String] == ["id": "1", "name": "Martinez, California"])
        #expect(members["location"] as? [String: String] == ["id": "2", "name": "Seattle, Washington"])
    }

    @Test func `nil members are omitted from the JSON form`() throws {
        let members = try members(
            of: bench.verify(claims: ["user_birthday": "02/29", "user_age_range": ["min": 21], "user_friends": []])
                .profile
        )
        #expect(members.keys.sorted() == (["ageRange", "birthday", "friendIDs"] + Self.always).sorted())
        #expect(members["birthday"] as? [String: Int] == ["month": 2, "day": 29])
        #expect(members["ageRange"] as? [String: Int] == ["min": 21])
        #expect((members["friendIDs"] as? [String])?.isEmpty == true)
    }

    private func members(of profile: Profile) throws -> [String: Any] {
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(profile))
        return try #require(json as? [String: Any])
    }

    @Test(arguments: [("picture", "imageURL"), ("user_link", "linkURL")])
    func `a URL with user information is noted, and one with a port is accepted`(
        claim: String,
        member: String
    ) throws {
        let bench = try FacebookBench()
        func url(_ text: String) throws -> (url: URL?, notes: [String]) {
            let profile = try bench.verify(claims: [claim: .string(text)]).profile
            return (member == "imageURL" ? profile.imageURL : profile.linkURL, profile.notes.map(\.claim))
        }
        let hidden = try url("https://www.facebook.com:443@host.example/x")
        #expect(hidden.url == nil && hidden.notes == [claim])
        let plain = try url("https://www.facebook.com:443/x@y")
        #expect(plain.url?.host() == "www.facebook.com" && plain.notes.isEmpty)
    }

    @Test
    func `a token of another provider has no Facebook claims`() throws {
        let issuer = TestIssuer()
        let policy = try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience])
        let verifier = TokenVerifier(policy: policy, keys: issuer.keys, clock: issuer.clock)
        let token = try verifier.verify(
            issuer.token { $0.claims["jti"] = "x" },
            nonce: .mustBeAbsent,
            with: issuer.keys
        )
        #expect(AuthenticationTokenClaims(token) == nil)
    }
}
