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
public struct Profile: Sendable, Hashable {
    /// The person's ID within your app.
    public let userID: String
    /// The full name.
    public let name: String?
    /// The first name.
    public let firstName: String?
    /// The middle name.
    public let middleName: String?
    /// The last name.
    public let lastName: String?
    /// The address of the person's page; nil unless it is an https URL with a host and without a user name.
    public let linkURL: URL?
    /// The address of the profile picture; nil unless it is an https URL with a host and without a user name.
    ///
    /// It expires: copy the picture.
    public let imageURL: URL?
    /// When ``imageURL`` stops working, as far as it says so.
    public let imageURLExpirationDate: Date?
    /// The e-mail address, as the person gave it to Facebook.
    ///
    /// Do not link accounts by it: see ``emailVerified``.
    public let email: String?
    /// Whether the address is known to be the person's.
    ///
    /// Limited Login never says.
    public let emailVerified: EmailVerification
    /// The IDs of friends who use your app too; empty for none, nil where not told.
    public let friendIDs: [String]?
    /// The birthday, as far as the person tells it.
    public let birthday: Birthday?
    /// The range the person's age lies in.
    public let ageRange: UserAgeRange?
    /// The town the person comes from.
    public let hometown: Location?
    /// The town the person lives in.
    public let location: Location?
    /// The gender, in the person's words.
    public let gender: String?
    /// What was in the token and could not be read.
    public let notes: [ClaimNote]

    /// The profile that a token's claims give.
    public init(_ claims: AuthenticationTokenClaims) {
        var notes = claims.notes
        func map<Value>(_ text: String?, _ claim: String, _ reason: String, _ read: (String) -> Value?) -> Value? {
            guard let text else { return nil }
            guard let value = read(text) else {
                notes.append(ClaimNote(claim: claim, reason: reason))
                return nil
            }
            return value
        }
        userID = claims.sub
        name = claims.name
        firstName = claims.givenName
        middleName = claims.middleName
        lastName = claims.familyName
        linkURL = map(claims.userLink, "user_link", "no https URL", Self.secureURL)
        imageURL = map(claims.picture, "picture", "no https URL", Self.secureURL)
        imageURLExpirationDate = imageURL.flatMap(Self.expirationDate)
        email = claims.email
        emailVerified = .unknown
        friendIDs = claims.userFriends
        birthday = map(claims.userBirthday, "user_birthday", "no date of the forms Facebook uses", Birthday.init)
        ageRange = claims.userAgeRange
        hometown = claims.userHometown
        location = claims.userLocation
        gender = claims.userGender
        self.notes = notes
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

extension Profile: Encodable {
    private enum CodingKeys: String, CodingKey {
        case userID, name, firstName, middleName, lastName, linkURL, imageURL, email, friendIDs, birthday, ageRange
        case hometown, location, gender
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
