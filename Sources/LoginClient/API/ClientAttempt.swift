// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An attempt to sign in, for one ID token.
public struct ClientAttempt: Sendable, Hashable {
    /// The nonce for the provider: the ID token must contain it (OpenID Connect Core §2).
    public let nonce: String

    /// The time at which the attempt expires.
    public let expiresAt: Date

    /// The name of the identity provider.
    public let provider: String

    /// The values that the app passes to Facebook's SDK; nil for other providers.
    public let configuration: Configuration?

    /// The secret that completes the attempt.
    let secret: String

    /// The configuration of a login for Facebook's SDK, as the service declares it.
    ///
    /// `LoginConfiguration` of the module `LimitedLogin` has the same members.
    public struct Configuration: Sendable, Hashable, Codable {
        /// The permissions to request.
        public let requestedPermissions: [String]

        /// Whether Facebook may use the login for advertising: `enabled` or `limited`.
        public let tracking: String

        /// The nonce for the provider, the same as ``ClientAttempt/nonce``.
        public let nonce: String

        /// The ID of the page that the user is asked to contact by Messenger; nil for none.
        public let messengerPageID: String?

        /// The repeated request to a user who has signed in before; nil for none.
        public let authType: String?

        /// Whether a phone may switch to Facebook's app: `enabled` or `disabled`.
        public let appSwitch: String

        /// The code verifier of the login (RFC 7636).
        public let codeVerifier: String
    }
}

extension ClientAttempt.Configuration: RedactedValue {
    /// The tracking, without nonce and code verifier.
    public var description: String { "configuration with tracking \(tracking)" }
}

extension ClientAttempt: RedactedValue {
    /// The provider.
    public var description: String { "attempt with \(provider)" }
}

/// The result of a sign-in.
public enum ClientSignInOutcome: Sendable, Hashable {
    /// The user is signed in.
    case signedIn(ClientAuthResult)
    /// The account has a second factor: complete the sign-in with
    /// ``ClientSession/complete(_:with:)``.
    case secondFactorRequired(ClientResolver)
    /// Another account has the same verified e-mail address.
    ///
    /// Let the user sign in as before in another session, then link the pending credential there with
    /// ``ClientUser/link(with:idempotencyKey:)``.
    case accountExists(ClientPendingCredential)
}

/// A credential that was verified and not used, because its e-mail address belongs to another account.
public struct ClientPendingCredential: Sendable, Hashable, Decodable {
    /// The token of the credential, which is valid once.
    public let token: String

    /// The name of the identity provider.
    public let providerID: String

    /// The e-mail address that caused the conflict; nil if the provider has the login itself.
    public let email: String?

    /// The time at which the credential expires.
    public let expiresAt: Date
}

extension ClientPendingCredential: RedactedValue {
    /// The provider.
    public var description: String { "pending credential of \(providerID)" }
}
