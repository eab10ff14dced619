// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LoginClient
internal import LoginServer

/// The dialogue in which the user completes a sign-in with a second factor.
struct SecondFactorPrompt {
    let session: ClientSession

    /// The sign-in that waits for its second factor.
    let resolver: ClientResolver

    /// A closure that returns the next line of the user; nil at the end of the input.
    var nextLine: () -> String? = { readLine() }

    private enum Choice {
        case app(ClientResolver.Hint)
        case phone(ClientResolver.Hint)
        case recoveryCode
    }

    /// The factors of the account, and a recovery code: the service does not reveal whether the account has any.
    private var choices: [Choice] {
        resolver.hints.compactMap { hint -> Choice? in
            switch hint.factorID {
            case "totp": .app(hint)
            case "phone": .phone(hint)
            default: nil
            }
        } + [.recoveryCode]
    }

    /// Asks for a factor and its code until the service accepts a code.
    ///
    /// - Returns: The account; nil if the user chooses no factor.
    /// - Throws: ``LoginClientError`` if the sign-in has failed, or the service does not respond; rethrows errors of the
    ///   token cache; `ExitCode` if the questions cannot be written.
    func complete() async throws -> ClientAccount? {
        let offered = choices
        let menu = offered.enumerated().map { "  \($0.offset + 1)  \(Self.text($0.element))" }
        while true {
            try show((["Second factor:"] + menu + ["Number:"]).joined(separator: "\n"))
            guard let line = nextLine(), !line.isEmpty else { return nil }
            guard let number = Int(line), (1...offered.count).contains(number) else {
                FileHandle.warn("enter a number from 1 to \(offered.count)")
                continue
            }
            do {
                if let account = try await complete(with: offered[number - 1]) { return account }
            } catch let error as LoginClientError where error.status.map({ $0 < 500 }) == true {
                // Some refusals leave the sign-in open, for example a limit of messages to a phone.
                guard await session.state == .createdOpening else { throw error }
                FileHandle.warn(error.report)
            }
        }
    }

    /// Asks for codes of a factor until the service accepts one; returns nil if the user enters none.
    private func complete(with choice: Choice) async throws -> ClientAccount? {
        let factor: (String) -> ClientSecondFactor
        switch choice {
        case .app(let hint): factor = { .totp(uid: hint.uid, code: $0) }
        case .phone(let hint):
            let challenge = try await session.sendCode(to: hint, for: resolver)
            factor = { .phone(challengeID: challenge.id, code: $0) }
        case .recoveryCode: factor = { .recoveryCode($0) }
        }
        while true {
            try show("Code, or an empty line for another factor:")
            guard let code = nextLine(), !code.isEmpty else { return nil }
            do {
                return try await session.complete(resolver, with: factor(code)).account
            } catch let error as LoginClientError where error.code == .invalidVerificationCode {
                FileHandle.warn("the code is wrong")
            }
        }
    }

    private static func text(_ choice: Choice) -> String {
        switch choice {
        case .app(let hint): hint.displayName.map { "authenticator app: \(printable($0))" } ?? "authenticator app"
        case .phone(let hint): "message to the phone ending in \(printable(hint.phoneNumberSuffix ?? "?"))"
        case .recoveryCode: "recovery code"
        }
    }
}
#endif
