// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends mail to people.
///
/// It is asked after everything is kept. Have it hand the message to a queue and return at once: how long it takes is how long the
/// person waits, and says to strangers whether there was anything to send.
public protocol EmailSender: Sendable {
    /// Sends a message.
    ///
    /// - Parameter message: The message. Do not log its token.
    /// - Throws: What went wrong: who asked for the message is told so only where that says nothing about others.
    func send(_ message: EmailMessage) async throws
}

/// A message to a person, to be put into words.
public struct EmailMessage: Sendable {
    /// What it is about.
    public enum Kind: String, Sendable, Hashable {
        /// The person who reads it is to prove the address, with ``Session/verifyEmail(token:)``.
        case verifyEmail = "verify-email"
        /// The person who reads it may choose a new password, with ``Auth/resetPassword(token:to:from:)``.
        case resetPassword = "reset-password"
    }

    /// What it is about.
    public let kind: Kind

    /// Whom it is for.
    public let address: String

    /// The secret that the link carries.
    public let token: String

    /// When the link stops working.
    public let expiresAt: Date
}

extension EmailMessage: Redacted {
    /// The kind, without the address and the token.
    public var description: String { "mail: \(kind.rawValue)" }
}
