// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The permissions that Limited Login documents.
///
/// ``limited`` contains all of them.
extension Permission {
    /// Name, name parts and picture.
    public static let publicProfile: Permission = "public_profile"
    /// The e-mail address.
    public static let email: Permission = "email"
    /// The name of a gaming persona.
    ///
    /// No claim shows it: `name` may be the user's own name.
    public static let gamingProfile: Permission = "gaming_profile"
    /// The picture of a gaming persona.
    ///
    /// No claim shows it: `picture` may be the user's own picture.
    public static let gamingUserPicture: Permission = "gaming_user_picture"
    /// The range of the age.
    public static let userAgeRange: Permission = "user_age_range"
    /// The birthday.
    public static let userBirthday: Permission = "user_birthday"
    /// The friends who use the app too.
    public static let userFriends: Permission = "user_friends"
    /// The gender.
    public static let userGender: Permission = "user_gender"
    /// The home town.
    public static let userHometown: Permission = "user_hometown"
    /// The URL of the user's page.
    public static let userLink: Permission = "user_link"
    /// The town that the user lives in.
    public static let userLocation: Permission = "user_location"
    /// Contact with the user by Messenger.
    ///
    /// No claim shows it.
    public static let userMessengerContact: Permission = "user_messenger_contact"
}

/// Permissions of the classic login that Facebook's SDK names, and `openid`.
///
/// Facebook has retired many of them. `Permission(rawValue:)` creates any other one. The five retired actions, for
/// example `user_actions.books`, cannot be requested, since their names contain a dot.
extension Permission {
    /// The ID token.
    ///
    /// Every login requests it; a configuration need not contain it.
    public static let openID: Permission = "openid"
    /// The user's description of themselves.
    public static let userAboutMe: Permission = "user_about_me"
    /// Schools.
    public static let userEducationHistory: Permission = "user_education_history"
    /// Events.
    public static let userEvents: Permission = "user_events"
    /// Games played.
    public static let userGamesActivity: Permission = "user_games_activity"
    /// Pages liked.
    public static let userLikes: Permission = "user_likes"
    /// Groups managed.
    public static let userManagedGroups: Permission = "user_managed_groups"
    /// Photos.
    public static let userPhotos: Permission = "user_photos"
    /// Posts.
    public static let userPosts: Permission = "user_posts"
    /// Relationship status and family.
    public static let userRelationships: Permission = "user_relationships"
    /// Details of relationships.
    public static let userRelationshipDetails: Permission = "user_relationship_details"
    /// Religion and politics.
    public static let userReligionPolitics: Permission = "user_religion_politics"
    /// Places that the user was tagged at.
    public static let userTaggedPlaces: Permission = "user_tagged_places"
    /// Videos.
    public static let userVideos: Permission = "user_videos"
    /// The user's website.
    public static let userWebsite: Permission = "user_website"
    /// Employers.
    public static let userWorkHistory: Permission = "user_work_history"
    /// Lists of friends.
    public static let readCustomFriendlists: Permission = "read_custom_friendlists"
    /// Statistics of pages and apps.
    public static let readInsights: Permission = "read_insights"
    /// Statistics of advertisements in apps.
    public static let readAudienceNetworkInsights: Permission = "read_audience_network_insights"
    /// Messages of pages.
    public static let readPageMailboxes: Permission = "read_page_mailboxes"
    /// The pages that the user manages.
    public static let pagesShowList: Permission = "pages_show_list"
    /// The call-to-action buttons of pages.
    public static let pagesManageCta: Permission = "pages_manage_cta"
    /// Instant articles of pages.
    public static let pagesManageInstantArticles: Permission = "pages_manage_instant_articles"
    /// Reports on advertisements.
    public static let adsRead: Permission = "ads_read"
}
