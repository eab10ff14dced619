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
