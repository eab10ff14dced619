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

    /// The display name of the user.
    public let displayName: String?

    /// The URL of the user's picture.
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
