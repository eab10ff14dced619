// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The reason for which a session was closed.
public struct SessionCloseReason: Sendable, Hashable, CustomStringConvertible {
    /// The name, as the audit contains it.
    public let rawValue: String

    /// Creates an application-specific reason, for ``Auth/closeSessions(of:except:reason:)``.
    ///
    /// - Parameter rawValue: The name, without personal data.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// The actor that the audit records; nil for the transaction's actor.
    var actor: AuthEvent.Actor? {
        switch self {
        case .closedByService, .expired, .superseded, .reused, .disabled, .tooManyWrongFactors: .service
        default: nil
        }
    }

    /// ``Session/closeKeepingTokens()`` closed the session.
    ///
    /// Its device may open another.
    public static let kept = Self("kept")
    /// The user signed out: ``Session/signOut()``.
    public static let cleared = Self("cleared")
    /// The user closed the session from another session.
    public static let closedElsewhere = Self("closed-elsewhere")
    /// The service closed it.
    public static let closedByService = Self("closed-by-service")
    /// The session was unused for too long, or has reached its maximum age.
    public static let expired = Self("expired")
    /// The account had more than the maximum number of sessions, and this was the oldest.
    public static let superseded = Self("superseded")
    /// A refresh token was reused after it had been replaced: it was copied.
    public static let reused = Self("reused")
    /// The account was disabled.
    public static let disabled = Self("disabled")
    /// The account was deleted.
    public static let deleted = Self("deleted")
    /// The account was merged into another.
    public static let merged = Self("merged")
    /// The identity with which the session was opened was unlinked or revoked.
    public static let unlinked = Self("unlinked")
    /// The password was changed, or reset by e-mail.
    public static let passwordChanged = Self("password-changed")
    /// The e-mail address was verified: earlier sessions may belong to someone else.
    public static let emailVerified = Self("email-verified")
    /// The account got its first second factor, or one was removed.
    public static let factorsChanged = Self("factors-changed")
    /// Too many consecutive second factors were wrong.
    public static let tooManyWrongFactors = Self("too-many-wrong-factors")
    /// The account was given to the user who has verified its e-mail address.
    public static let evicted = Self("evicted")
}
