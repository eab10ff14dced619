// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts

/// A mailer that passes each message to a program, such as sendmail.
struct CommandMailer: Sendable {
    let command: MessageCommand
    let publicURL: String

    func send(_ message: EmailMessage) async throws {
        // A line break in the address would inject header fields.
        guard !message.address.unicodeScalars.contains(where: isObeyedByTerminals) else {
            throw MessageFailure(description: "the address contains invalid characters")
        }
        try await command.send(text(of: message))
    }

    /// Returns the message with one recipient and a link.
    func text(of message: EmailMessage) -> String {
        let (subject, path, what) =
            switch message.kind {
            case .verifyEmail: ("Confirm your address", "verify-email", "confirm that this address is yours")
            case .resetPassword: ("Choose a new password", "new-password", "choose a new password")
            }
        let until = message.expiresAt.formatted(Date.ISO8601FormatStyle())
        return """
            To: \(message.address)
            Subject: \(subject)
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Auto-Submitted: auto-generated

            Open this link to \(what):

            \(publicURL)/\(path)?token=\(message.token)

            The link works once, until \(until). If you did not request it, ignore this message.

            """
    }
}
#endif
