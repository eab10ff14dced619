// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The profile that a user shared with your app.
///
/// It comes from an ID token or from the Graph API. Everything but ``userID`` may be nil: the user declined the
/// permission or has no value, or Facebook omitted it. It is a snapshot at ``refreshDate``.
public struct Profile: Sendable {
    /// The user's ID within your app.
    ///
    /// A token and the Graph API have the same ID.
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
    /// The URL of the user's page; nil unless it is an `https` URL with a host and without a user name.
    public var linkURL: URL? { text({ $0.userLink }, { $0.link }).flatMap(SecureURL.init)?.url }
    /// The URL of the profile picture; nil unless it is an `https` URL with a host and without a user name.
    ///
    /// It expires: copy the picture. The Graph API returns no picture with a profile; use
    /// ``GraphAPI/pictureURL(of:size:)``.
    public var imageURL: URL? { image?.url }
    /// The time at which ``imageURL`` expires; nil if the URL does not contain it.
    public var imageURLExpirationDate: Date? { image.flatMap { Self.expirationDate(in: $0.query) } }
    /// The e-mail address, as the user entered it at Facebook.
    ///
    /// Do not link accounts by it: see ``emailVerified``.
    public var email: String? { text({ $0.email }, { $0.email }) }
    /// Whether the e-mail address is verified.
    ///
    /// It is always unknown, since Facebook does not state it.
    public var emailVerified: EmailVerification { .unknown }
    /// The IDs of friends who also use your app; empty for none, nil if unknown.
    public var friendIDs: [String]? {
        switch source {
        case .token(let claims): claims.userFriends
        case .graph(let answer): answer.friendIDs
        }
    }
    /// The birthday, as far as the user shares it.
    public var birthday: Birthday? { text({ $0.userBirthday }, { $0.birthday }).flatMap(Birthday.init) }
    /// The range of the user's age.
    public var ageRange: UserAgeRange? {
        switch source {
        case .token(let claims): claims.userAgeRange
        case .graph(let answer): answer.ageRange
        }
    }
    /// The town that the user comes from.
    public var hometown: Location? {
        switch source {
        case .token(let claims): claims.userHometown
        case .graph(let answer): answer.hometown
        }
    }
    /// The town that the user lives in.
    public var location: Location? {
        switch source {
        case .token(let claims): claims.userLocation
        case .graph(let answer): answer.location
        }
    }
    /// The gender, in the user's words.
    public var gender: String? { text({ $0.userGender }, { $0.gender }) }
    /// The granted permissions, as the login reported them; nil if they are unknown, as in a profile of a token alone.
    ///
    /// `VerifiedIdentity.permissionSource` states who reported them. For a token, use
    /// ``AuthenticationTokenClaims/impliedPermissions``. Call ``GraphAPI/permissions(of:)`` before you rely on a
    /// permission, since the user can revoke it.
    public let permissions: Set<Permission>?
    /// Whether the login was a Limited Login, without tracking.
    ///
    /// It is true in a profile of a token alone, which does not state it: Facebook also issues ID tokens for logins
    /// with tracking. The profile of a `VerifiedIdentity` states it.
    public let isLimited: Bool
    /// The time of the data: the token's `iat`, or the time of the call of the Graph API.
    public var refreshDate: Date {
        switch source {
        case .token(let claims): claims.iat
        case .graph(let answer): answer.date
        }
    }
    /// The values that could not be read, by the name of the claim or of the Graph API's field.
    public var notes: [ClaimNote] {
        switch source {
        case .token(let claims):
            claims.notes
                + Self.unread(
                    link: ("user_link", claims.userLink),
                    picture: claims.picture,
                    birthday: ("user_birthday", claims.userBirthday)
                )
        case .graph(let answer):
            answer.notes
                + Self.unread(
                    link: ("link", answer.link),
                    picture: answer.picture,
                    birthday: ("birthday", answer.birthday)
                )
        }
    }

    /// The URL of the profile picture.
    private var image: SecureURL? { text({ $0.picture }, { $0.picture }).flatMap(SecureURL.init) }

    private enum Source: Sendable {
        case token(AuthenticationTokenClaims)
        case graph(GraphProfile)
    }

    private let source: Source

    /// Creates a profile from the claims of a token.
    ///
    /// The profile holds all claims of the token. Each property is read on every access: store values that you need
    /// often.
    public init(_ claims: AuthenticationTokenClaims) {
        self.init(claims, permissions: nil, isLimited: true)
    }

    /// Creates a profile from the claims of a token, with the permissions and the tracking of its login.
    init(_ claims: AuthenticationTokenClaims, permissions: Set<Permission>?, isLimited: Bool) {
        self.source = .token(claims)
        self.permissions = permissions
        self.isLimited = isLimited
    }

    /// Creates a profile from the Graph API, or from JSON.
    init(_ answer: GraphProfile, permissions: Set<Permission>?, isLimited: Bool = false) {
        self.source = .graph(answer)
        self.permissions = permissions
        self.isLimited = isLimited
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

    /// Returns notes for texts that are strings, but not a URL or a date.
    private static func unread(
        link: (name: String, text: String?),
        picture: String?,
        birthday: (name: String, text: String?)
    ) -> [ClaimNote] {
        var notes: [ClaimNote] = []
        if let text = link.text, SecureURL(text) == nil {
            notes.append(ClaimNote(claim: link.name, reason: "not an https URL"))
        }
        if let picture, SecureURL(picture) == nil {
            notes.append(ClaimNote(claim: "picture", reason: "not an https URL"))
        }
        if let text = birthday.text, Birthday(text) == nil {
            notes.append(ClaimNote(claim: birthday.name, reason: "not a date in one of Facebook's formats"))
        }
        return notes
    }

    /// Returns whether the user is at least `age` years old, by birthday and age range.
    ///
    /// If one of them is inconclusive, the other decides. If they contradict each other, the result is unknown. The
    /// range is that of the day of the token.
    ///
    /// - Parameters:
    ///   - age: The age in years.
    ///   - date: The day.
    /// - Returns: Yes, no or unknown.
    public func isAtLeast(_ age: Int, on date: Date) -> AgeGate {
        let answers = Set([birthday?.isAtLeast(age, on: date), ageRange?.isAtLeast(age)].compactMap { $0 })
            .subtracting([.unknown])
        return answers.count == 1 ? answers.first ?? .unknown : .unknown
    }

    /// Returns the expiry in the query of Facebook's picture URLs, in seconds since 1970: `ext` in decimal, or `oe` in
    /// eight hexadecimal digits.
    private static func expirationDate(in query: [UInt8]) -> Date? {
        let parameters = query.split(separator: UInt8(ascii: "&"))
        func value(of name: String) -> String? {
            let found = parameters.first { $0.starts(with: "\(name)=".utf8) || $0.elementsEqual(name.utf8) }
            return found.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
        }
        let seconds =
            if let decimal = value(of: "ext") {
                Int64(decimal)
            } else {
                value(of: "oe").flatMap { $0.utf8.count == 8 ? Int64($0, radix: 16) : nil }
            }
        guard let seconds, Limits.numericDate.contains(Double(seconds)) else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }
}

/// The verification of an e-mail address.
public enum EmailVerification: String, Sendable, Hashable {
    /// The provider does not state it.
    ///
    /// Treat the address as unproven.
    case unknown
    /// The provider states that it verified the address.
    case verified
    /// The provider states that it did not verify the address.
    case notVerified
}

/// The answer to the question whether a user has reached an age.
public enum AgeGate: String, Sendable, Hashable {
    /// The user has reached the age.
    case yes
    /// The user has not reached the age.
    case no
    /// The age is unknown.
    case unknown
}

extension Profile: Hashable {
    /// Compares the user's ID, data and notes, but neither ``permissions`` nor ``refreshDate``.
    public static func == (first: Profile, second: Profile) -> Bool {
        first.userID == second.userID && first.name == second.name && first.firstName == second.firstName
            && first.middleName == second.middleName && first.lastName == second.lastName
            && first.linkURL == second.linkURL && first.imageURL == second.imageURL && first.email == second.email
            && first.friendIDs == second.friendIDs && first.birthday == second.birthday
            && first.ageRange == second.ageRange && first.hometown == second.hometown
            && first.location == second.location && first.gender == second.gender && first.notes == second.notes
    }

    /// Feeds the user's ID to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(userID)
    }
}

extension Profile: Redacted {
    /// A fixed text, without personal data.
    public var description: String { "Profile" }
}
