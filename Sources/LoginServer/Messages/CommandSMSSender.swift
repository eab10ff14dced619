// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import LoginAccounts

/// A sender of codes to phones that passes each message to a program.
///
/// The program reads the number in the field `To`, an empty line, and the text.
struct CommandSMSSender: Sendable {
    let command: MessageCommand
    let publicURL: String

    func send(_ message: PhoneCodeMessage) async throws {
        guard message.expiresAt > .now else { throw MessageFailure(description: "the code has expired") }
        try await command.send(text(of: message))
    }

    /// Returns the message with one recipient and a code.
    ///
    /// The last line binds the code to the host of the service: browsers fill the code in only there (WICG,
    /// Origin-bound one-time codes delivered via SMS, §4).
    func text(of message: PhoneCodeMessage) -> String {
        let purpose =
            switch message.purpose {
            case .signIn: "sign in"
            case .link: "add this number to your account"
            case .reauthentication, .secondFactor: "confirm that it is you"
            case .enrollment: "add this phone to your account"
            }
        return """
            To: \(message.number)

            \(message.code) is your code to \(purpose). Do not tell it to anyone: nobody will ask you for it.

            @\(URL(string: publicURL)?.host() ?? "") #\(message.code)

            """
    }
}
#endif
