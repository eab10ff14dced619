// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An attempt that has begun: to sign in, to link, or to prove once more who is there.
public struct AuthAttempt: Sendable, Encodable {
    /// A secret for the client that began it: only with it can the attempt end.
    ///
    /// An app keeps it in memory, a browser in a `__Host-` cookie.
    public let token: String

    /// What the provider has to sign.
    public let nonce: String

    /// When it ends by itself.
    public let expiresAt: Date
}

/// What an attempt is for.
public enum AttemptPurpose: Sendable {
    /// To sign in, where there is no session yet.
    case signIn
    /// To link an identity to the account of this session.
    case link(Session)
    /// To prove once more who is there, in this session.
    case reauthenticate(Session)
}

extension AuthAttempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That it is one.
    public var description: String { "attempt" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show its secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
