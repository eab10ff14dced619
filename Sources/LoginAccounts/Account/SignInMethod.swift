// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

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

extension AccountTransaction {
    /// The sign-in methods of an account, usable or not, in the order of its identities.
    ///
    /// They are computed each time; their number is not stored.
    func signInMethods(of identities: [IdentityRecord]) throws -> [SignInMethod] {
        try identities.map { identity in
            SignInMethod(
                providerID: identity.providerID,
                uid: identity.subject,
                obstacle: try obstacle(of: identity)
            )
        }
    }

    /// The reason why an identity cannot sign in; nil if it can.
    func obstacle(of identity: IdentityRecord) throws -> SignInMethod.Obstacle? {
        guard auth.allows(identity.providerID) else { return .notConfigured }
        guard identity.status == IdentityStatus.active.rawValue else { return .revoked }
        guard identity.providerID == .password else { return nil }
        let password: PasswordRecord? = try first(where: PasswordRecord.Column.identityID.equals(identity.id))
        return password == nil ? .withoutPassword : nil
    }
}
