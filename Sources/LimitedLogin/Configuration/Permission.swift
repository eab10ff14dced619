// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

/// A permission that an app asks a person for, by Facebook's name.
public struct Permission: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Facebook's name, for example `user_birthday`.
    public let rawValue: String

    /// A permission by Facebook's name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A permission by Facebook's name.
    public init(stringLiteral rawValue: String) {
        self.init(rawValue: rawValue)
    }

    /// Facebook's name.
    public var description: String { rawValue }
}

/// The permissions that Limited Login documents.
extension Permission {
    /// Name, name parts and picture.
    public static let publicProfile: Permission = "public_profile"
    /// The e-mail address.
    public static let email: Permission = "email"
    /// The name of a gaming persona.
    public static let gamingProfile: Permission = "gaming_profile"
    /// The picture of a gaming persona.
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

    /// The permissions whose claims are in the token, whatever they say.
    static func implied(by claims: Claims) -> Set<Permission> {
        Set(claims.names.compactMap { permissionByClaim[$0] })
    }

    private static let permissionByClaim: [String: Permission] = [
        "name": .publicProfile, "given_name": .publicProfile, "middle_name": .publicProfile,
        "family_name": .publicProfile, "picture": .publicProfile,
        "email": .email, "user_age_range": .userAgeRange, "user_birthday": .userBirthday, "user_friends": .userFriends,
        "user_gender": .userGender, "user_hometown": .userHometown, "user_link": .userLink,
        "user_location": .userLocation,
    ]
}
