// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An identity at a provider, which the credential of a request has proved.
public struct ClientIdentity: Sendable, Hashable, Decodable {
    /// The name of the identity provider.
    public let provider: String

    /// The ID of the user at the provider.
    public let uid: String

    /// The permissions, as the provider reported them just now; nil if it does not report any.
    public let permissions: Permissions?

    /// The profile that the user shared at Facebook; nil for other providers.
    public var profile: ClientProfile? { shownProfile?.value }

    private let shownProfile: LenientValue<ClientProfile>?

    private enum CodingKeys: String, CodingKey {
        case provider, uid, permissions
        case shownProfile = "profile"
    }

    /// The permissions that a user granted, declined and let expire.
    public struct Permissions: Sendable, Hashable, Decodable {
        /// The granted permissions.
        public let granted: [String]

        /// The permissions that the user declined or revoked.
        public let declined: [String]

        /// The permissions that expired because they were unused.
        public let expired: [String]
    }
}

extension ClientIdentity: RedactedValue {
    /// The provider.
    public var description: String { "identity of \(provider)" }
}

/// The profile that a user shared at Facebook: the members of `Profile` of the module `LimitedLogin`.
///
/// A member that the user did not share is nil.
public struct ClientProfile: Sendable, Hashable, Decodable {
    /// The ID of the user at the provider.
    public let userID: String

    /// The full name.
    public let name: String?

    /// The first name.
    public let firstName: String?

    /// The middle name.
    public let middleName: String?

    /// The last name.
    public let lastName: String?

    /// The URL of the user's page.
    public let linkURL: String?

    /// The URL of the user's picture.
    public let imageURL: String?

    /// The time at which the URL of the picture expires; nil if it is unknown.
    public let imageURLExpirationDate: Date?

    /// The e-mail address.
    public let email: String?

    /// The IDs of the friends who use the app too.
    public let friendIDs: [String]?

    /// The birthday, or the parts of it that the user shared.
    public let birthday: Birthday?

    /// The range of the user's age.
    public let ageRange: AgeRange?

    /// The town from which the user comes.
    public let hometown: Place?

    /// The town in which the user lives.
    public let location: Place?

    /// The gender, in the words of the provider.
    public let gender: String?

    /// The permissions that the user granted; nil if they are unknown.
    public let permissions: [String]?

    /// Whether the login was a Limited Login, which Facebook does not use for advertising.
    public let isLimited: Bool

    /// The time at which the provider issued the data.
    public let refreshDate: Date

    /// A birthday, or parts of it.
    public struct Birthday: Sendable, Hashable, Decodable {
        /// The year; nil if the user did not share it.
        public let year: Int?

        /// The month, from 1 to 12; nil if the user did not share it.
        public let month: Int?

        /// The day of the month; nil if the user did not share it.
        public let day: Int?
    }

    /// A range of ages, in years.
    public struct AgeRange: Sendable, Hashable, Decodable {
        /// The minimum age; nil if there is no lower bound.
        public let min: Int?

        /// The maximum age; nil if there is no upper bound.
        public let max: Int?
    }

    /// A town.
    public struct Place: Sendable, Hashable, Decodable {
        /// The ID of its page.
        public let id: String

        /// The name.
        public let name: String
    }
}

extension ClientProfile: RedactedValue {
    /// A fixed text, without personal data.
    public var description: String { "profile" }
}

/// A value whose form a provider determines: nil if the form is unknown, so that the rest of a response stays readable.
struct LenientValue<Value: Decodable & Sendable & Hashable>: Sendable, Hashable, Decodable {
    let value: Value?

    init(from decoder: any Decoder) { value = try? Value(from: decoder) }
}
