// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import LoginTokens
internal import TestSupport
internal import Testing

/// Profiles from the Graph API.
@Suite struct GraphProfileTests {
    private static let all: Set<Permission> = [
        .publicProfile, .email, .userAgeRange, .userBirthday, .userFriends, .userGender, .userHometown, .userLink,
        .userLocation, .userMessengerContact,
    ]
    private static let everything: TestJSON = [
        "id": "1000000000000042", "first_name": "Ada", "middle_name": "B.", "last_name": "Example",
        "name": "Ada B. Example", "link": "https://www.facebook.com/ada", "email": "ada@example.com",
        "friends": ["data": [["id": "11"], ["id": "22"]], "summary": ["total_count": 200]], "birthday": "02/29/1992",
        "age_range": ["min": 21], "hometown": ["id": "1", "name": "Martinez, California"],
        "location": ["id": "2", "name": "Seattle, Washington"], "gender": "female",
    ]

    let bench: GraphBench

    init() throws {
        bench = try GraphBench(secret: nil)
    }

    private func profile(
        _ change: (inout TestJSON) -> Void = { _ in },
        permissions: Set<Permission> = all
    ) async throws -> Profile {
        var json = Self.everything
        change(&json)
        bench.answer("me", .json(json))
        return try await bench.graph.profile(of: bench.token(permissions: permissions))
    }

    @Test(.rule("F3.18")) func `each field is mapped to its member of the profile`() async throws {
        let profile = try await profile()
        #expect(profile.userID == GraphBench.userID)
        #expect(profile.name == "Ada B. Example" && profile.firstName == "Ada")
        #expect(profile.middleName == "B." && profile.lastName == "Example")
        #expect(profile.linkURL == URL(string: "https://www.facebook.com/ada"))
        #expect(profile.email == "ada@example.com" && profile.emailVerified == .unknown)
        #expect(profile.friendIDs == ["11", "22"])
        #expect(profile.birthday == Birthday("02/29/1992"))
        #expect(profile.ageRange == UserAgeRange(min: 21, max: nil))
        #expect(profile.hometown == Location(id: "1", name: "Martinez, California"))
        #expect(profile.location == Location(id: "2", name: "Seattle, Washington"))
        #expect(profile.gender == "female")
        #expect(profile.imageURL == nil && profile.imageURLExpirationDate == nil)
        #expect(profile.notes.isEmpty)
        #expect(profile.isAtLeast(21, on: bench.wallClock.now) == .yes)
        #expect("\(profile)" == "Profile")
    }

    @Test func `a profile has its source, its time and the granted permissions`() async throws {
        let profile = try await profile()
        #expect(!profile.isLimited && profile.refreshDate == bench.wallClock.now && profile.permissions == Self.all)
        let facebook = try FacebookBench()
        let limited = try facebook.verify().profile
        #expect(limited.isLimited && limited.permissions == nil)
        #expect(limited.refreshDate == facebook.issuer.clock.now - 60)
    }

    @Test(.rule("F3.11")) func `profiles from a token and from the Graph API are equal if their members are`()
        async throws
    {
        let claims: [String: TestJSON] = [
            "sub": "1000000000000042", "given_name": "Ada", "middle_name": "B.", "family_name": "Example",
            "name": "Ada B. Example", "user_link": "https://www.facebook.com/ada", "email": "ada@example.com",
            "user_friends": ["11", "22"], "user_birthday": "02/29/1992", "user_age_range": ["min": 21],
            "user_hometown": ["id": "1", "name": "Martinez, California"], "user_gender": "female",
            "user_location": ["id": "2", "name": "Seattle, Washington"],
        ]
        let limited = try FacebookBench().verify(claims: claims).profile
        #expect(try await profile() == limited)
        #expect(try await profile { $0["gender"] = nil } != limited)
    }

    @Test(.rule("F3.16")) func `only fields of granted permissions are requested`() async throws {
        _ = try await profile(permissions: [.publicProfile])
        _ = try await profile()
        let free = "id%2Cfirst_name%2Cmiddle_name%2Clast_name%2Cname"
        let granted =
            "%2Clink%2Cemail%2Cfriends.limit%28500%29%7Bid%7D%2Cbirthday%2Cage_range%2Chometown%2Clocation%2Cgender"
        #expect(
            bench.transport.requests.map(\.url.target) == [
                "/v27.0/me?fields=\(free)", "/v27.0/me?fields=\(free)\(granted)",
            ]
        )
    }

    @Test(
        .rule("F3.16"),
        arguments: [
            (.userLink, "link"), (.email, "email"), (.userFriends, "friends.limit%28500%29%7Bid%7D"),
            (.userBirthday, "birthday"), (.userAgeRange, "age_range"), (.userHometown, "hometown"),
            (.userLocation, "location"), (.userGender, "gender"),
        ] as [(Permission, String)]
    )
    func `each permission adds its fields`(permission: Permission, field: String) async throws {
        _ = try await profile(permissions: [permission])
        #expect(bench.transport.requests.first?.url.target.hasSuffix("name%2C\(field)") == true)
    }

    @Test(.rule("F3.18"), arguments: [nil, "", 1_000_000_000_000_042, .null, ["a"]] as [TestJSON?])
    func `a response without an ID is an error`(id: TestJSON?) async throws {
        #expect(try await bench.failure { _ = try await profile { $0["id"] = id } }.category == .unavailable)
    }

    @Test func `a response about another user is refused`() async throws {
        let error = try await bench.failure { _ = try await profile { $0["id"] = "1000000000000043" } }
        #expect(error.category == .foreignToken)
    }

    @Test(.rule("F3.14", "F3.17")) func `an error is thrown, and no earlier profile is returned`() async throws {
        bench.answer("me", GraphBench.error(190, 463))
        let error = try await bench.failure { _ = try await bench.graph.profile(of: bench.token()) }
        #expect(error.category == .relogin)
    }

    @Test(
        arguments: [
            "first_name", "middle_name", "last_name", "name", "link", "email", "birthday", "gender", "friends",
            "age_range", "hometown", "location",
        ],
        [.null, 5, false, [1], ["a": "b"]] as [TestJSON]
    )
    func `a field of another type is nil with one note`(field: String, value: TestJSON) async throws {
        let whole = try await profile()
        let profile = try await profile { $0[field] = value }
        #expect(profile.notes.map(\.claim) == [field])
        #expect(profile != whole)
        let without = try await self.profile { $0[field] = nil }
        #expect(without.notes.isEmpty && without.userID == whole.userID)
    }

    @Test func `an empty text counts as absent`() async throws {
        let profile = try await profile { json in
            for name in ["first_name", "middle_name", "last_name", "name", "link", "email", "birthday", "gender"] {
                json[name] = ""
            }
        }
        #expect(profile.name == nil && profile.email == nil && profile.gender == nil && profile.linkURL == nil)
        #expect(profile.notes.isEmpty)
    }

    @Test(arguments: [("link", "http://a.example"), ("birthday", "02/30/1990"), ("birthday", "1/2")])
    func `an invalid text is noted`(field: String, text: String) async throws {
        let profile = try await profile { $0[field] = .string(text) }
        #expect(profile.notes.map(\.claim) == [field])
        #expect(field == "link" ? profile.linkURL == nil : profile.birthday == nil)
    }

    // MARK: Friends

    @Test(.rule("F3.18")) func `an empty friend list is empty, and a missing one is nil`() async throws {
        #expect(try await profile { $0["friends"] = ["data": []] }.friendIDs?.isEmpty == true)
        #expect(try await profile { $0["friends"] = nil }.friendIDs == nil)
    }

    @Test(arguments: [[["id": 11]], [["name": "x"]], ["11"], [["id": "11"], ["id": ""]]] as [TestJSON])
    func `an unreadable friend makes the list nil`(data: TestJSON) async throws {
        let profile = try await profile { $0["friends"] = ["data": data] }
        #expect(profile.friendIDs == nil && profile.notes.map(\.claim) == ["friends"])
    }

    @Test func `further friends are requested at the configured URL`() async throws {
        let paging: TestJSON = ["cursors": ["after": "M1"], "next": "https://evil.example/"]
        bench.answer("me/friends", .json(["data": [["id": "33"]]]))
        let profile = try await profile { $0["friends"]?["paging"] = paging }
        #expect(profile.friendIDs == ["11", "22", "33"])
        let targets = bench.transport.requests.map(\.url.target)
        #expect(targets.last == "/v27.0/me/friends?fields=id&limit=500&after=M1" && targets.count == 2)
    }

    @Test func `an endless friend list is an error`() async throws {
        let paging: TestJSON = ["cursors": ["after": "M1"], "next": "x"]
        bench.answer("me/friends", .json(["data": [["id": "33"]], "paging": paging]))
        let profile = try await profile { $0["friends"]?["paging"] = paging }
        #expect(profile.friendIDs == nil && profile.notes.map(\.claim) == ["friends"] && profile.name != nil)
    }

    // MARK: Picture

    @Test(
        .rule("F3.20", "F3.22"),
        arguments: [
            (.square, "type=square"), (.small, "type=small"), (.normal, "type=normal"), (.album, "type=album"),
            (.large, "type=large"), (.pixels(width: 1), "width=1"), (.pixels(height: 4096), "height=4096"),
            (.pixels(width: 200, height: 100), "width=200&height=100"),
        ] as [(PictureSize?, String)]
    )
    func `the URL of a picture has a size and no token`(size: PictureSize?, query: String) throws {
        let url = try GraphBench().graph.pictureURL(of: "42", size: #require(size))
        #expect(url?.description == "https://graph.facebook.com/v27.0/42/picture?\(query)")
    }

    @Test(
        .rule("F3.20"),
        arguments: [(0, 1), (1, 0), (-1, nil), (4097, nil), (nil, 4097), (nil, nil)] as [(Int?, Int?)]
    )
    func `an invalid picture size is refused`(width: Int?, height: Int?) {
        #expect(PictureSize.pixels(width: width, height: height) == nil)
    }

    @Test(.rule("F3.20"), arguments: ["", "me", "../me", "1/2", "１", String(repeating: "1", count: 65)])
    func `an invalid user ID has no picture URL`(userID: String) throws {
        #expect(try GraphBench().graph.pictureURL(of: userID) == nil)
        #expect(try GraphBench().graph.pictureURL(of: String(repeating: "1", count: 64)) != nil)
    }
}
