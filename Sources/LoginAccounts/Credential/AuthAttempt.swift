// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An attempt of an app to sign in, to link, or to reauthenticate.
public struct AuthAttempt: Sendable {
    /// The secret of the attempt, which the app keeps in memory: only its holder can complete the attempt.
    public let token: String

    /// The nonce for the provider.
    public let nonce: String

    /// The time at which the attempt expires.
    public let expiresAt: Date

    /// The configuration of the login for the app; nil at a provider whose apps need only the nonce.
    package let configuration: (any Encodable & Sendable)?

    /// Returns the configuration of the login for the app, with the permissions and the tracking of the provider's
    /// declaration, and with the nonce.
    ///
    /// ```swift
    /// let attempt = try await auth.begin(.signIn, with: .facebook)
    /// let configuration = attempt.configuration(as: LoginConfiguration.self)
    /// ```
    ///
    /// - Parameter type: The provider's type: `LoginConfiguration` at Facebook.
    /// - Returns: The configuration; nil at a provider whose apps need only the nonce, and for a type that is not the
    ///   provider's.
    public func configuration<Configuration>(as type: Configuration.Type) -> Configuration? {
        configuration as? Configuration
    }
}

/// The purpose of an attempt.
public enum AttemptPurpose: Sendable {
    /// To sign in, without a session.
    case signIn
    /// To link an identity to the account of this session.
    case link(Session)
    /// To reauthenticate the user of this session.
    case reauthenticate(Session)
}

extension AttemptPurpose {
    /// The session that the attempt belongs to.
    package var session: Session? {
        switch self {
        case .signIn: nil
        case .link(let session), .reauthenticate(let session): session
        }
    }

    /// The purpose as it is stored with attempts.
    package var noncePurpose: NoncePurpose {
        switch self {
        case .signIn: .signIn
        case .link(let session): .link(session: session.id.rawValue)
        case .reauthenticate(let session): .reauthenticate(session: session.id.rawValue)
        }
    }
}

extension AuthAttempt: Redacted {
    /// A fixed text, without the secret.
    public var description: String { "attempt" }
}
