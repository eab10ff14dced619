// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Why a session is over.
public struct SessionCloseReason: Sendable, Hashable, CustomStringConvertible {
    /// The name, as the audit has it.
    public let rawValue: String

    /// A reason of your own, for what ``Auth/closeSessions(of:except:reason:)`` closes.
    ///
    /// - Parameter rawValue: A name without anything personal.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The name.
    public var description: String { rawValue }

    /// Who closes sessions for it; nil for who does what they are closed by.
    var actor: AuthEvent.Actor? {
        switch self {
        case .closedByService, .expired, .superseded, .reused, .disabled, .deleted, .tooManyWrongFactors: .service
        default: nil
        }
    }

    /// It was closed, and its device may open another: what ``Session/closeKeepingTokens()`` does.
    public static let kept = Self("kept")
    /// The person signed out: ``Session/signOut()``.
    public static let cleared = Self("cleared")
    /// The person closed it from another session.
    public static let closedElsewhere = Self("closed-elsewhere")
    /// The service closed it.
    public static let closedByService = Self("closed-by-service")
    /// It was not used for too long, or has lasted long enough.
    public static let expired = Self("expired")
    /// The account has as many sessions as it may, and this was the oldest.
    public static let superseded = Self("superseded")
    /// A refresh token came again that had been replaced long before: somebody has a copy.
    public static let reused = Self("reused")
    /// The account was disabled.
    public static let disabled = Self("disabled")
    /// The account was deleted.
    public static let deleted = Self("deleted")
    /// The account has become part of another.
    public static let merged = Self("merged")
    /// The identity that it was opened with was unlinked, or revoked.
    public static let unlinked = Self("unlinked")
    /// The password was changed, or set anew by who reads its e-mail.
    public static let passwordChanged = Self("password-changed")
    /// The e-mail address was proven: whoever came in before may be somebody else.
    public static let emailVerified = Self("email-verified")
    /// The account got its first second factor, or lost one.
    public static let factorsChanged = Self("factors-changed")
    /// Too many second factors in a row were wrong.
    public static let tooManyWrongFactors = Self("too-many-wrong-factors")
    /// The account was given to the one who has proven its e-mail address.
    public static let evicted = Self("evicted")
}
