// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a person shared with your app.
///
/// It comes from an ID token, or from the Graph API. Everything but ``userID`` may be nil: the person declined, has
/// none, or Facebook did not say. It is a snapshot of one moment, ``refreshDate``.
public struct Profile: Sendable {
    /// The person's ID within your app.
    ///
    /// It is the same from a token and from the Graph API.
    public var userID: String {
        switch source {
        case .token(let claims): claims.sub
        case .graph(let answer): answer.userID
        }
    }
    /// The full name.
    public var name: String? { text({ $0.name }, { $0.name }) }
    /// The first name.
    public var firstName: String? { text({ $0.givenName }, { $0.firstName }) }
    /// The middle name.
    public var middleName: String? { text({ $0.middleName }, { $0.middleName }) }
    /// The last name.
    public var lastName: String? { text({ $0.familyName }, { $0.lastName }) }
    /// The address of the person's page; nil unless it is an https URL with a host and without a user name.
    public var linkURL: URL? { text({ $0.userLink }, { $0.link }).flatMap(Self.secureURL) }
    /// The address of the profile picture; nil unless it is an https URL with a host and without a user name.
    ///
    /// It expires: copy the picture. From the Graph API it is always nil: see ``GraphAPI/pictureURL(of:size:)``.
    public var imageURL: URL? {
        guard case .token(let claims) = source else { return nil }
        return claims.picture.flatMap(Self.secureURL)
    }
    /// When ``imageURL`` stops working, as far as it says so.
    public var imageURLExpirationDate: Date? { imageURL.flatMap(Self.expirationDate) }
    /// The e-mail address, as the person gave it to Facebook.
    ///
    /// Do not link accounts by it: see ``emailVerified``.
    public var email: String? { text({ $0.email }, { $0.email }) }
    /// Whether the address is known to be the person's.
    ///
    /// Facebook never says.
    public var emailVerified: EmailVerification { .unknown }
    /// The IDs of friends who use your app too; empty for none, nil where not told.
    public var friendIDs: [String]? {
        switch source {
        case .token(let claims): claims.userFriends
        case .graph(let answer): answer.friendIDs
        }
    }
    /// The birthday, as far as the person tells it.
    public var birthday: Birthday? { text({ $0.userBirthday }, { $0.birthday }).flatMap(Birthday.init) }
    /// The range the person's age lies in.
    public var ageRange: UserAgeRange? {
        switch source {
        case .token(let claims): claims.userAgeRange
        case .graph(let answer): answer.ageRange
        }
    }
    /// The town the person comes from.
    public var hometown: Location? {
        switch source {
        case .token(let claims): claims.userHometown
        case .graph(let answer): answer.hometown
        }
    }
    /// The town the person lives in.
    public var location: Location? {
        switch source {
        case .token(let claims): claims.userLocation
        case .graph(let answer): answer.location
        }
    }
    /// The gender, in the person's words.
    public var gender: String? { text({ $0.userGender }, { $0.gender }) }
    /// What the person granted; nil where nobody said.
    ///
    /// A token does not say (``AuthenticationTokenClaims/impliedPermissions`` is what can be inferred from it). After a
    /// login by the browser it is what the browser brought back, which the person can alter: ask Facebook
    /// (``GraphAPI/permissions(of:)``) before you rely on it.
    public let permissions: Set<Permission>?
    /// Whether it comes from an ID token, as after a Limited Login, and not from the Graph API.
    public var isLimited: Bool {
        switch source {
        case .token: true
        case .graph: false
        }
    }
    /// When what stands here was so: when the token was issued, or the Graph API was asked.
    public var refreshDate: Date {
        switch source {
        case .token(let claims): claims.iat
        case .graph(let answer): answer.date
        }
    }
    /// What was there and could not be read, by the name of the claim or of the Graph API's field.
    public var notes: [ClaimNote] {
        switch source {
        case .token(let claims):
            claims.notes + unread(link: "user_link", picture: claims.picture != nil, birthday: "user_birthday")
        case .graph(let answer): answer.notes + unread(link: "link", picture: false, birthday: "birthday")
        }
    }

    private enum Source: Sendable {
        case token(AuthenticationTokenClaims)
        case graph(GraphProfile)
    }

    private let source: Source

    /// The profile that a token's claims give.
    ///
    /// Nothing is read before you ask for it, and then each time: keep in a variable what you need often. The profile
    /// holds all claims of the token.
    public init(_ claims: AuthenticationTokenClaims) {
        self.init(claims, permissions: nil)
    }

    /// The profile that a token's claims give, with the permissions that somebody said were granted.
    init(_ claims: AuthenticationTokenClaims, permissions: Set<Permission>?) {
        self.source = .token(claims)
        self.permissions = permissions
    }

    /// The profile that the Graph API gives.
    init(_ answer: GraphProfile, permissions: Set<Permission>) {
        self.source = .graph(answer)
        self.permissions = permissions
    }

    private func text(
        _ claim: (AuthenticationTokenClaims) -> String?,
        _ field: (GraphProfile) -> String?
    ) -> String? {
        switch source {
        case .token(let claims): claim(claims)
        case .graph(let answer): field(answer)
        }
    }

    private func unread(link: String, picture: Bool, birthday: String) -> [ClaimNote] {
        let isLink = text({ $0.userLink }, { $0.link }) != nil
        let isBirthday = text({ $0.userBirthday }, { $0.birthday }) != nil
        let notes = [
            isLink && linkURL == nil ? ClaimNote(claim: link, reason: "no https URL") : nil,
            picture && imageURL == nil ? ClaimNote(claim: "picture", reason: "no https URL") : nil,
            isBirthday && self.birthday == nil
                ? ClaimNote(claim: birthday, reason: "no date of the forms Facebook uses") : nil,
        ]
        return notes.compactMap { $0 }
    }

    /// Whether the person is known to be at least `age` years old, by birthday and age range.
    ///
    /// Where one of them does not tell, the other decides; where they contradict each other, nothing is known. The
    /// range is that of the day the token was issued.
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

extension Profile: Redacted {
    /// A fixed text, without personal data.
    public var description: String { "Profile" }
}
