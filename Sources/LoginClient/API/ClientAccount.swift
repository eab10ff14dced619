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

    /// A login of an account.
    public struct Login: Sendable, Hashable, Decodable {
        /// The name of the identity provider.
        public let provider: String

        /// The ID of the user at the provider.
        public let uid: String

        /// The granted permissions; nil if the provider does not report them.
        public let permissions: [String]?

        /// The time at which the login was last used.
        public let lastSignInAt: Date
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
