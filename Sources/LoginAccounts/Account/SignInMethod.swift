// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// A way to sign in to an account, and what stands in its way.
///
/// Second factors and recovery codes are none: they open nothing on their own.
public struct SignInMethod: Sendable, Hashable {
    /// Why one cannot sign in so.
    public enum Obstacle: String, Sendable, Hashable {
        /// The provider is not configured here, or no longer.
        case notConfigured = "not-configured"
        /// The person, or the provider, has taken back what it rests on.
        case revoked
        /// No password was ever set.
        case withoutPassword = "without-password"
    }

    /// Who vouches for it.
    public let providerID: ProviderID

    /// What the provider calls the person.
    public let uid: String

    /// Why one cannot sign in so; nil where one can.
    public let obstacle: Obstacle?

    /// Whether one can sign in so.
    public var isUsable: Bool { obstacle == nil }
}

extension SignInMethod: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Of which provider, and whether it is usable.
    public var description: String { "\(providerID): \(obstacle?.rawValue ?? "usable")" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the person.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccountTransaction {
    /// The ways to sign in to an account, usable or not, those linked earlier first.
    ///
    /// They are found out anew each time; no number of them is kept.
    func signInMethods(of account: AccountID) throws -> [SignInMethod] {
        try identities(of: account).map { identity in
            SignInMethod(
                providerID: identity.providerID,
                uid: identity.subject,
                obstacle: try obstacle(of: identity)
            )
        }
    }

    /// Why one cannot sign in with an identity; nil where one can.
    func obstacle(of identity: IdentityRecord) throws -> SignInMethod.Obstacle? {
        guard auth.providers[identity.providerID] != nil else { return .notConfigured }
        // A number that nothing sends codes to opens nothing.
        guard identity.providerID != .phone || auth.phoneCodes != nil else { return .notConfigured }
        guard identity.status == IdentityStatus.active.rawValue else { return .revoked }
        guard identity.providerID == .password else { return nil }
        let password: PasswordRecord? = try first(where: PasswordRecord.Column.identityID.equals(identity.id))
        return password == nil ? .withoutPassword : nil
    }
}
