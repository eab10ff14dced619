// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import LoginTesting
internal import TestSupport
internal import Testing

/// The permissions that a token proves by its claims.
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
    func `a claim implies exactly its permission, whatever its value`(claim: String, permission: Permission) throws {
        for value: TestJSON in ["text", "", 5, [], .null] {
            #expect(try bench.verify(claims: [claim: value]).claims.impliedPermissions == [permission])
        }
    }

    @Test(arguments: ["cnf", "email_verified", "NAME", "user_photos", "public_profile", "gaming_profile"])
    func `other claims imply no permission`(claim: String) throws {
        #expect(try bench.verify(claims: [claim: "text"]).claims.impliedPermissions.isEmpty)
    }

    @Test func `the claims that every token has imply no permission`() throws {
        #expect(try bench.verify().claims.impliedPermissions.isEmpty)
    }

    @Test func `several claims imply all their permissions`() throws {
        let token = try bench.verify(claims: [
            "name": "Ada", "picture": "", "email": "a@example.com", "user_friends": [],
        ])
        #expect(token.claims.impliedPermissions == [.publicProfile, .email, .userFriends])
    }

    @Test func `a permission has Facebook's name`() {
        #expect(Permission(rawValue: "user_birthday") == .userBirthday)
        #expect(Permission.userMessengerContact.description == "user_messenger_contact")
        #expect(("gaming_user_picture" as Permission) == .gamingUserPicture)
        #expect(("gaming_profile" as Permission) == .gamingProfile)
        #expect(Permission(rawValue: "USER_BIRTHDAY") != .userBirthday)
    }

    @Test(
        .rule("F4.8"),
        arguments: [
            "public_profile", "email", "gaming_profile", "gaming_user_picture", "user_age_range", "user_birthday",
            "user_friends", "user_gender", "user_hometown", "user_link", "user_location", "user_messenger_contact",
        ]
    )
    func `Limited Login offers the permission`(name: String) {
        #expect(Permission(rawValue: name).isAvailableInLimitedLogin)
        #expect(Permission.limited.contains(Permission(rawValue: name)))
    }

    @Test(
        .rule("F4.9"),
        arguments: ["pages_show_list", "ads_read", "instagram_basic", "user_likes", "openid", "", "Email"]
    )
    func `Limited Login does not offer the permission`(name: String) {
        #expect(!Permission(rawValue: name).isAvailableInLimitedLogin)
        #expect(Permission(rawValue: name).claims.isEmpty)
    }

    /// The same table is used in both directions.
    @Test func `each claim of a permission implies it`() throws {
        for permission in Permission.limited {
            for claim in permission.claims {
                #expect(try bench.verify(claims: [claim: "text"]).claims.impliedPermissions == [permission])
            }
        }
        #expect(Permission.publicProfile.claims == ["name", "given_name", "middle_name", "family_name", "picture"])
        #expect(Permission.userLink.claims == ["user_link"])
        let silent = Permission.limited.filter(\.claims.isEmpty)
        #expect(silent == [.gamingProfile, .gamingUserPicture, .userMessengerContact])
    }

    @Test(.rule("F4.19", "F4.20"))
    func `every requestable name in Facebook's SDK has a member`() {
        let known: [Permission: String] = [
            .publicProfile: "public_profile", .userFriends: "user_friends", .email: "email",
            .userAboutMe: "user_about_me", .userBirthday: "user_birthday",
            .userEducationHistory: "user_education_history", .userEvents: "user_events",
            .userGamesActivity: "user_games_activity", .userGender: "user_gender", .userHometown: "user_hometown",
            .userLikes: "user_likes", .userLocation: "user_location", .userManagedGroups: "user_managed_groups",
            .userPhotos: "user_photos", .userPosts: "user_posts", .userRelationships: "user_relationships",
            .userRelationshipDetails: "user_relationship_details", .userReligionPolitics: "user_religion_politics",
            .userTaggedPlaces: "user_tagged_places", .userVideos: "user_videos", .userWebsite: "user_website",
            .userWorkHistory: "user_work_history", .readCustomFriendlists: "read_custom_friendlists",
            .readInsights: "read_insights", .readAudienceNetworkInsights: "read_audience_network_insights",
            .readPageMailboxes: "read_page_mailboxes", .pagesShowList: "pages_show_list",
            .pagesManageCta: "pages_manage_cta", .pagesManageInstantArticles: "pages_manage_instant_articles",
            .adsRead: "ads_read", .userLink: "user_link", .userAgeRange: "user_age_range",
            .gamingProfile: "gaming_profile", .gamingUserPicture: "gaming_user_picture",
            .userMessengerContact: "user_messenger_contact", .openID: "openid",
        ]
        #expect(known.count == 36)
        for (permission, name) in known { #expect(permission.rawValue == name) }
        #expect(LoginConfiguration(permissions: Set(known.keys)) != nil)
    }

    @Test(.rule("F4.21"))
    func `permissions are equal if their names are`() {
        #expect(Permission(rawValue: "email") == .email)
        #expect(Set([.email, Permission(rawValue: "email")]).count == 1)
        #expect(Permission(rawValue: "e-mail") != .email)
    }

    @Test func `a permission is encoded as its name, and any name decodes`() throws {
        #expect(try String(decoding: JSONEncoder().encode([Permission.email]), as: UTF8.self) == "[\"email\"]")
        let names = Data("[\"email\",\"user_actions.books\",\"\"]".utf8)
        let read = try JSONDecoder().decode([Permission].self, from: names)
        #expect(read == [.email, "user_actions.books", ""])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Permission].self, from: Data("[5]".utf8)) }
    }
}
