// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import LoginTesting
internal import Testing

/// Which permissions a token proves: those whose claims it has.
@Suite struct PermissionTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(
        arguments: [
            ("name", Permission.publicProfile), ("given_name", .publicProfile), ("middle_name", .publicProfile),
            ("family_name", .publicProfile), ("picture", .publicProfile), ("email", .email),
            ("user_age_range", .userAgeRange), ("user_birthday", .userBirthday), ("user_friends", .userFriends),
            ("user_gender", .userGender), ("user_hometown", .userHometown), ("user_link", .userLink),
            ("user_location", .userLocation),
        ]
    )
    func `a claim implies its permission and no other, whatever it says`(claim: String, permission: Permission) throws {
        for value: TestJSON in ["text", "", 5, [], .null] {
            #expect(try bench.verify(claims: [claim: value]).claims.impliedPermissions == [permission])
        }
    }

    @Test(arguments: ["cnf", "email_verified", "NAME", "user_photos", "public_profile", "gaming_profile"])
    func `any other claim implies none`(claim: String) throws {
        #expect(try bench.verify(claims: [claim: "text"]).claims.impliedPermissions.isEmpty)
    }

    @Test func `the claims of every token imply none`() throws {
        #expect(try bench.verify().claims.impliedPermissions.isEmpty)
    }

    @Test func `several claims imply their permissions together`() throws {
        let token = try bench.verify(claims: [
            "name": "Ada", "picture": "", "email": "a@example.com", "user_friends": [],
        ])
        #expect(token.claims.impliedPermissions == [.publicProfile, .email, .userFriends])
    }

    @Test func `a permission is known by Facebook's name`() {
        #expect(Permission(rawValue: "user_birthday") == .userBirthday)
        #expect(Permission.userMessengerContact.description == "user_messenger_contact")
        #expect(("gaming_user_picture" as Permission) == .gamingUserPicture)
        #expect(("gaming_profile" as Permission) == .gamingProfile)
        #expect(Permission(rawValue: "USER_BIRTHDAY") != .userBirthday)
    }
}
