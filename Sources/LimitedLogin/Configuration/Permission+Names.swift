// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The permissions that Limited Login documents: ``limited`` has all of them.
extension Permission {
    /// Name, name parts and picture.
    public static let publicProfile: Permission = "public_profile"
    /// The e-mail address.
    public static let email: Permission = "email"
    /// The name of a gaming persona.
    ///
    /// No claim shows it: `name` may be that of the person.
    public static let gamingProfile: Permission = "gaming_profile"
    /// The picture of a gaming persona.
    ///
    /// No claim shows it: `picture` may be that of the person.
    public static let gamingUserPicture: Permission = "gaming_user_picture"
    /// The range the age lies in.
    public static let userAgeRange: Permission = "user_age_range"
    /// The birthday.
    public static let userBirthday: Permission = "user_birthday"
    /// The friends who use the app too.
    public static let userFriends: Permission = "user_friends"
    /// The gender.
    public static let userGender: Permission = "user_gender"
    /// The home town.
    public static let userHometown: Permission = "user_hometown"
    /// The address of the person's page.
    public static let userLink: Permission = "user_link"
    /// The town the person lives in.
    public static let userLocation: Permission = "user_location"
    /// Writing to the person by Messenger.
    ///
    /// No claim shows it.
    public static let userMessengerContact: Permission = "user_messenger_contact"
}

/// Permissions of the classic login that Facebook's SDK names, and the one that no person is asked for.
///
/// Facebook has retired many; those that are missing here have a name all the same: `Permission(rawValue:)`. Only the
/// five of retired "actions", as `user_actions.books`, cannot be asked for any more, because of the dot in them.
extension Permission {
    /// The ID token itself.
    ///
    /// Every login asks for it unasked: a configuration does not have to.
    public static let openID: Permission = "openid"
    /// What people wrote about themselves.
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
    /// Places where the person was tagged.
    public static let userTaggedPlaces: Permission = "user_tagged_places"
    /// Videos.
    public static let userVideos: Permission = "user_videos"
    /// The person's own web site.
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
    /// Which pages the person manages.
    public static let pagesShowList: Permission = "pages_show_list"
    /// The buttons of pages.
    public static let pagesManageCta: Permission = "pages_manage_cta"
    /// Instant articles of pages.
    public static let pagesManageInstantArticles: Permission = "pages_manage_instant_articles"
    /// Reports on advertisements.
    public static let adsRead: Permission = "ads_read"
}
