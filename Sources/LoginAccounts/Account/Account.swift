// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A snapshot of an account.
public struct Account: Sendable {
    /// The ID of the account, independent of the user's logins.
    public let id: AccountID

    /// The identities of the account, in the order in which they were linked.
    public let providerData: [UserInfo]

    /// Whether the account has no login yet.
    public let isAnonymous: Bool

    /// Whether the account is disabled.
    public let isDisabled: Bool

    /// The e-mail address of the user.
    public let email: String?

    /// Whether the e-mail address is verified.
    public let isEmailVerified: Bool

    /// The display name: the user's choice, or else that of the login which first gave one, as of its latest sign-in.
    public let displayName: String?

    /// The URL of the user's picture: the user's choice, or else that of the login which first gave one, as of its
    /// latest sign-in.
    ///
    /// The URL of a provider may expire.
    public let photoURL: String?

    /// The sign-in methods of the account, with the obstacles of those that are not usable.
    public let signInMethods: [SignInMethod]

    /// The sign-in methods that can be used now.
    public var usableSignInMethods: [SignInMethod] { signInMethods.filter(\.isUsable) }

    /// The confirmed second factors.
    public let enrolledFactors: [MultiFactorInfo]

    /// The time at which the account was created.
    public let createdAt: Date

    /// The time of the last sign-in; nil if there was none.
    public let lastSignInAt: Date?

    /// The requested ID, if that account was merged into this one.
    public let resolvedFrom: AccountID?
}

/// An identity of an account, with the claims that its provider last sent.
public struct UserInfo: Sendable, Hashable {
    /// The identity provider.
    public let providerID: ProviderID

    /// The subject: the provider's identifier of the user.
    public let uid: String

    /// The e-mail address from the provider.
    public let email: String?

    /// Whether the provider has verified the e-mail address, and is trusted to do so.
    public let isEmailVerified: Bool

    /// The display name from the provider.
    public let displayName: String?

    /// The URL of the picture from the provider.
    public let photoURL: String?

    /// The phone number, for a login by phone; otherwise nil.
    public let phoneNumber: String?

    /// The permissions that the user granted and declined, according to the provider; nil if they were never requested.
    public let permissions: PermissionStatuses?

    /// The time at which the identity was linked.
    public let linkedAt: Date

    /// The time of the last authentication with the identity.
    public let lastSignInAt: Date

    /// Returns whether the user has granted a permission, according to the provider.
    ///
    /// Permissions that were declined or never requested are not granted; ``permissions`` distinguishes the two.
    public func hasGranted(_ permission: Permission) -> Bool { permissions?.hasGranted(permission) ?? false }
}

extension Account: Redacted {
    /// The ID, without personal data.
    public var description: String { "account \(id)" }
}

extension UserInfo: Redacted {
    /// The provider, without personal data.
    public var description: String { "identity of \(providerID)" }
}

/// The ID of an account: permanent, independent of the user's logins, and without personal data.
public struct AccountID: Sendable, Hashable, Codable, RawRepresentable {
    /// The text, a UUID.
    public let rawValue: String

    /// Creates an ID from its stored text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

extension AccountID: CustomStringConvertible {
    /// The text.
    public var description: String { rawValue }
}

/// The state of an account.
enum AccountState: String, Sendable {
    /// The account is in use.
    case active
    /// The account was merged into another.
    case merged
    /// The account was deleted.
    case deleted
}

/// The status of an identity.
enum IdentityStatus: String, Sendable {
    /// The identity can sign in.
    case active
    /// The user or the provider has revoked the login.
    case revoked
}

/// A sign-in method of an account, and its obstacle, if it has one.
///
/// Second factors and recovery codes are not sign-in methods: neither opens a session on its own.
public struct SignInMethod: Sendable, Hashable {
    /// A reason why a method cannot sign in.
    public enum Obstacle: String, Sendable, Hashable {
        /// The provider is not configured.
        case notConfigured = "not-configured"
        /// The user or the provider has revoked the login.
        case revoked
        /// The address has no password.
        case withoutPassword = "without-password"
    }

    /// The identity provider.
    public let providerID: ProviderID

    /// The subject: the provider's identifier of the user.
    public let uid: String

    /// The reason why the method cannot sign in; nil if it can.
    public let obstacle: Obstacle?

    /// Whether the method can sign in.
    public var isUsable: Bool { obstacle == nil }
}

extension SignInMethod: Redacted {
    /// The provider, and whether the method is usable.
    public var description: String { "\(providerID): \(obstacle?.rawValue ?? "usable")" }
}

/// Credentials that this package verifies itself.
extension ProviderID {
    /// An e-mail address with a password.
    public static let password = Self("password")
    /// A phone number.
    public static let phone = Self("phone")
}
