// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a person shared with your app.
///
/// Everything but ``userID`` may be nil: the person declined, has none, or Facebook did not say. It is a snapshot of the
/// moment the token was issued.
public struct Profile: Sendable {
    /// The person's ID within your app.
    public var userID: String { claims.sub }
    /// The full name.
    public var name: String? { claims.name }
    /// The first name.
    public var firstName: String? { claims.givenName }
    /// The middle name.
    public var middleName: String? { claims.middleName }
    /// The last name.
    public var lastName: String? { claims.familyName }
    /// The address of the person's page; nil unless it is an https URL with a host and without a user name.
    public var linkURL: URL? { claims.userLink.flatMap(Self.secureURL) }
    /// The address of the profile picture; nil unless it is an https URL with a host and without a user name.
    ///
    /// It expires: copy the picture.
    public var imageURL: URL? { claims.picture.flatMap(Self.secureURL) }
    /// When ``imageURL`` stops working, as far as it says so.
    public var imageURLExpirationDate: Date? { imageURL.flatMap(Self.expirationDate) }
    /// The e-mail address, as the person gave it to Facebook.
    ///
    /// Do not link accounts by it: see ``emailVerified``.
    public var email: String? { claims.email }
    /// Whether the address is known to be the person's.
    ///
    /// Limited Login never says.
    public var emailVerified: EmailVerification { .unknown }
    /// The IDs of friends who use your app too; empty for none, nil where not told.
    public var friendIDs: [String]? { claims.userFriends }
    /// The birthday, as far as the person tells it.
    public var birthday: Birthday? { claims.userBirthday.flatMap(Birthday.init) }
    /// The range the person's age lies in.
    public var ageRange: UserAgeRange? { claims.userAgeRange }
    /// The town the person comes from.
    public var hometown: Location? { claims.userHometown }
    /// The town the person lives in.
    public var location: Location? { claims.userLocation }
    /// The gender, in the person's words.
    public var gender: String? { claims.userGender }
    /// What was in the token and could not be read.
    public var notes: [ClaimNote] {
        let unread = [
            claims.userLink != nil && linkURL == nil ? ClaimNote(claim: "user_link", reason: "no https URL") : nil,
            claims.picture != nil && imageURL == nil ? ClaimNote(claim: "picture", reason: "no https URL") : nil,
            claims.userBirthday != nil && birthday == nil
                ? ClaimNote(claim: "user_birthday", reason: "no date of the forms Facebook uses") : nil,
        ]
        return claims.notes + unread.compactMap { $0 }
    }

    private let claims: AuthenticationTokenClaims

    /// The profile that a token's claims give.
    ///
    /// Nothing is read before you ask for it, and then each time: keep in a variable what you need often. The profile holds all
    /// claims of the token.
    public init(_ claims: AuthenticationTokenClaims) {
        self.claims = claims
    }

    /// Whether the person is known to be at least `age` years old, by birthday and age range.
    ///
    /// Where one of them does not tell, the other decides; where they contradict each other, nothing is known. The range
    /// is that of the day the token was issued.
    ///
    /// - Parameters:
    ///   - age: In years.
    ///   - date: The day for which to tell.
    /// - Returns: Yes or no where it is known.
    public func isAtLeast(_ age: Int, on date: Date) -> AgeGate {
        let answers = Set([birthday?.isAtLeast(age, on: date), ageRange?.isAtLeast(age)].compactMap { $0 })
            .subtracting([.unknown])
        return answers.count == 1 ? answers.first ?? .unknown : .unknown
    }

    private static func secureURL(_ text: String) -> URL? {
        guard let url = URL(string: text), url.scheme?.lowercased() == "https", url.host()?.isEmpty == false,
            url.user() == nil
        else { return nil }
        return url
    }

    /// Facebook's picture addresses carry their end in the parameter `ext`, in seconds since 1970.
    private static func expirationDate(of url: URL) -> Date? {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
        guard let seconds = items?.first(where: { $0.name == "ext" })?.value.flatMap(Int64.init),
            Limits.numericDate.contains(Double(seconds))
        else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}

/// Whether an e-mail address is known to belong to the person.
public enum EmailVerification: String, Sendable, Hashable {
    /// The provider does not say. Treat the address as a stranger's claim.
    case unknown
    /// The provider says that it verified the address.
    case verified
    /// The provider says that it did not.
    case notVerified
}

/// The answer to "is this person at least so old?".
public enum AgeGate: String, Sendable, Hashable {
    /// Known to be.
    case yes
    /// Known not to be.
    case no
    /// Not known.
    case unknown
}

extension Profile: Hashable {
    /// Whether both say the same of the same person.
    public static func == (first: Profile, second: Profile) -> Bool {
        first.userID == second.userID && first.name == second.name && first.firstName == second.firstName
            && first.middleName == second.middleName && first.lastName == second.lastName
            && first.linkURL == second.linkURL && first.imageURL == second.imageURL && first.email == second.email
            && first.friendIDs == second.friendIDs && first.birthday == second.birthday
            && first.ageRange == second.ageRange && first.hometown == second.hometown
            && first.location == second.location && first.gender == second.gender && first.notes == second.notes
    }

    /// Feeds the person's ID to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(userID)
    }
}

extension Profile: Encodable {
    private enum CodingKeys: String, CodingKey {
        case userID, name, firstName, middleName, lastName, linkURL, imageURL, email, friendIDs, birthday, ageRange
        case hometown, location, gender
    }

    /// Writes what the person told, by the names of the properties.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(userID, forKey: .userID)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(firstName, forKey: .firstName)
        try container.encodeIfPresent(middleName, forKey: .middleName)
        try container.encodeIfPresent(lastName, forKey: .lastName)
        try container.encodeIfPresent(linkURL, forKey: .linkURL)
        try container.encodeIfPresent(imageURL, forKey: .imageURL)
        try container.encodeIfPresent(email, forKey: .email)
        try container.encodeIfPresent(friendIDs, forKey: .friendIDs)
        try container.encodeIfPresent(birthday, forKey: .birthday)
        try container.encodeIfPresent(ageRange, forKey: .ageRange)
        try container.encodeIfPresent(hometown, forKey: .hometown)
        try container.encodeIfPresent(location, forKey: .location)
        try container.encodeIfPresent(gender, forKey: .gender)
    }
}

extension Profile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, without anything about the person.
    public var description: String { "Profile" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show what ``description`` hides.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
