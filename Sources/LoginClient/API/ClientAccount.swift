// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The account of the signed-in user.
public struct ClientAccount: Sendable, Hashable, Decodable {
    /// The permanent ID of the account.
    public let id: String

    /// The display name of the user.
    public let displayName: String?

    /// The URL of the user's picture.
    public let photoURL: String?

    /// The e-mail address of the account.
    public let email: String?

    /// Whether the user has verified the e-mail address.
    public let isEmailVerified: Bool

    /// Whether the account is anonymous.
    public let isAnonymous: Bool

    /// The logins of the account.
    public let logins: [Login]

    /// The second factors of the account.
    public let secondFactors: [ClientFactor]

    /// The time at which the account was created.
    public let createdAt: Date

    /// The time at which the user last signed in; nil if there was no sign-in.
    public let lastSignInAt: Date?

    /// A login of an account.
    public struct Login: Sendable, Hashable, Decodable {
        /// The name of the identity provider.
        public let provider: String

        /// The ID of the user at the provider.
        public let uid: String

        /// The display name that the provider reports.
        public let displayName: String?

        /// The e-mail address that the provider reports.
        public let email: String?

        /// Whether the provider has verified the e-mail address, and is trusted to.
        public let isEmailVerified: Bool

        /// The phone number, of a login by phone.
        public let phoneNumber: String?

        /// Whether the user can sign in with the login now.
        public let isUsable: Bool

        /// The granted permissions; nil if the provider does not report them.
        public let permissions: [String]?

        /// The permissions that the user declined or revoked; nil if the provider does not report them.
        public let declinedPermissions: [String]?

        /// The stored profile of a login at Facebook, in the result of ``ClientSession/account()``; nil if the service
        /// stores none.
        public var profile: ClientProfile? { storedProfile?.value }

        /// The time at which the login was linked to the account.
        public let linkedAt: Date

        /// The time at which the login was last used.
        public let lastSignInAt: Date

        private let storedProfile: LenientValue<ClientProfile>?

        private enum CodingKeys: String, CodingKey {
            case provider, uid, displayName, email, isEmailVerified, phoneNumber, isUsable, permissions
            case declinedPermissions, linkedAt, lastSignInAt
            case storedProfile = "profile"
        }
    }

    /// Returns the permissions of the login of a provider that was used last.
    func permissions(of provider: String) -> [String]? {
        logins.filter { $0.provider == provider }.max { $0.lastSignInAt < $1.lastSignInAt }?.permissions
    }
}

extension ClientAccount: RedactedValue {
    /// The ID.
    public var description: String { "account \(id)" }
}

extension ClientAccount.Login: RedactedValue {
    /// The provider.
    public var description: String { "login of \(provider)" }
}
