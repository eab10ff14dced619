// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An account, as it was when it was read.
public struct Account: Sendable {
    /// What it is known by, whatever its person signs in with.
    public let id: AccountID

    /// How the person is known: one element for each identity, in the order in which they were linked.
    public let providerData: [UserInfo]

    /// Whether nobody has said yet who it is.
    public let isAnonymous: Bool

    /// Whether it is disabled.
    public let isDisabled: Bool

    /// The e-mail address that the person is written to.
    public let email: String?

    /// Whether that is proven to be the person's.
    public let isEmailVerified: Bool

    /// The name that the person goes by.
    public let displayName: String?

    /// The address of a picture.
    public let photoURL: String?

    /// The ways to sign in to it, and what stands in the way of those that are not usable.
    public let signInMethods: [SignInMethod]

    /// The ways by which one can sign in to it now.
    public var usableSignInMethods: [SignInMethod] { signInMethods.filter(\.isUsable) }

    /// The second factors that count.
    public let enrolledFactors: [MultiFactorInfo]

    /// When it was made.
    public let createdAt: Date

    /// When somebody last signed in to it.
    public let lastSignInAt: Date?

    /// The ID that was asked for, where that account has become part of this one.
    public let resolvedFrom: AccountID?
}

/// One identity of an account, as its provider last described it.
public struct UserInfo: Sendable, Hashable {
    /// Who vouches for it.
    public let providerID: ProviderID

    /// What the provider calls the person.
    public let uid: String

    /// The e-mail address that the provider named.
    public let email: String?

    /// Whether the provider, which is trusted in this, said that it is the person's.
    public let isEmailVerified: Bool

    /// The name that the provider gave.
    public let displayName: String?

    /// The picture that the provider named.
    public let photoURL: String?

    /// The phone number, where that is what it is.
    public let phoneNumber: String?

    /// What the person granted and declined, as the provider last said; nil where that was never asked.
    public let permissions: PermissionStatuses?

    /// When it was linked.
    public let linkedAt: Date

    /// When it was last proven.
    public let lastSignInAt: Date

    /// Whether the person granted this permission when the provider last said so.
    ///
    /// What was declined, and what nobody asked for, is not granted; ``permissions`` tells the two apart.
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
