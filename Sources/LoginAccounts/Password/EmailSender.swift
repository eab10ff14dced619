// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A sender of e-mail messages.
///
/// It is called after the transaction is committed. Hand the message to a queue and return at once: the duration of the
/// call is part of the response time, and reveals to a stranger whether there was a message to send.
public protocol EmailSender: Sendable {
    /// Sends a message.
    ///
    /// - Parameter message: The message. Do not log its token.
    /// - Throws: An error if the message was not sent. The caller is told only if that reveals nothing about other
    ///   accounts.
    func send(_ message: EmailMessage) async throws
}

/// An e-mail message to a user.
///
/// The application supplies the text.
public struct EmailMessage: Sendable {
    /// The purpose of a message.
    public enum Kind: String, Sendable, Hashable {
        /// A verification of the address, with ``Session/verifyEmail(token:)``.
        case verifyEmail = "verify-email"
        /// A password reset, with ``Auth/resetPassword(token:to:from:)``.
        case resetPassword = "reset-password"
    }

    /// The purpose.
    public let kind: Kind

    /// The recipient: the canonical form of the address, with the domain in ASCII form.
    ///
    /// The local part may be in any script, which the mail server must then support (SMTPUTF8, RFC 6531).
    public let address: String

    /// The token for the link.
    ///
    /// It is a secret.
    public let token: String

    /// The time at which the token expires.
    public let expiresAt: Date
}

extension EmailMessage: Redacted {
    /// The kind, without the address and the token.
    public var description: String { "mail: \(kind.rawValue)" }
}
