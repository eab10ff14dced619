// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginProviders
internal import LoginServer
internal import LoginTokens

/// The options of the commands that take a login from an account.
struct UnlinkOptions: ParsableArguments {
    @Flag(help: "Unlink the last login too. The account is then disabled, because nobody could sign in to it.")
    var force = false

    @OptionGroup var secrets: SecretOptions

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    /// The report.
    private struct Report: Encodable {
        let account: String
        let provider: String
        let closedSessions: Int
        let isDisabled: Bool
    }

    /// Unlinks a login, and shows the result.
    func unlink(
        _ provider: ProviderID,
        uid: String? = nil,
        in store: StoreOptions,
        from id: (Auth) async throws -> AccountID
    ) async throws {
        let auth = try AccountOptions.auth(store, secrets.read())
        // With other keys, the audit log would get hashes that match no others.
        try await auth.checkSecrets()
        let account = try await id(auth)
        let closed: Int
        do {
            closed = try await auth.unlink(provider, uid: uid, from: account, evenIfLast: force)
        } catch let error where Self.refusals.contains(error.code) {
            let hint =
                switch error.code {
                case .lastProvider: ": --force unlinks it nevertheless, and disables the account"
                case .ambiguousProvider: ": name one with --uid; accounts show --show-claims lists them"
                default: ": accounts show lists its logins"
                }
            FileHandle.warn(printable(error.detail + hint))
            throw ExitCode.refused
        }
        let isDisabled = try await auth.account(account).isDisabled
        let report = Report(
            account: account.rawValue,
            provider: provider.rawValue,
            closedSessions: closed,
            isDisabled: isDisabled
        )
        switch format {
        case .json: try show(encodedJSON(report, pretty: false))
        case .text: try show("unlinked; \(closed) sessions closed\(isDisabled ? "; the account is disabled" : "")")
        }
    }

    private static let refusals: [AuthError.Code] = [.lastProvider, .ambiguousProvider, .noSuchProvider]
}

/// A command that unlinks a login from an account.
struct UnlinkCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Unlink a login from an account, for example an attacker's, and close the sessions that it opened.",
        discussion: """
            The login no longer signs in to the account. It can create or join another one, so disable that too if you have to. Logins \
            of all providers, switched off or not, count as ways to sign in, unless they were revoked.
            """
    )

    @Argument(help: ArgumentHelp("The ID of the account.", valueName: "id"))
    var account: String

    @Option(help: ArgumentHelp("The provider of the login; phone for a phone number.", valueName: "name"))
    var provider: String

    @Option(
        help: ArgumentHelp(
            "The subject of the login, if the account has several of the provider.",
            valueName: "subject"
        )
    )
    var uid: String?

    @OptionGroup var options: UnlinkOptions

    @OptionGroup var store: StoreOptions

    func validate() throws { try AccountNames.requireID(account) }

    func run() async throws {
        try await withAccounts {
            try await options.unlink(ProviderID(provider), uid: uid, in: store) { _ in AccountID(rawValue: account) }
        }
    }
}

/// A command that removes the password of an account.
struct EndPasswordCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-password",
        abstract:
            "Remove the password of an account, for example an attacker's, and close the sessions that it opened.",
        discussion: """
            A reset cannot restore it. The user signs in with another login, and can then set a password.
            """
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var options: UnlinkOptions

    func run() async throws {
        try await withAccounts {
            try await options.unlink(.password, in: account.store) { auth in try await account.id(in: auth) }
        }
    }
}
#endif
