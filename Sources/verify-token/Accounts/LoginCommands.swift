// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginAccounts
internal import LoginProviders

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
    func unlink(_ provider: ProviderID, uid: String? = nil, from account: AccountID, of auth: Auth) async throws {
        // With other keys, the audit log would get hashes that match no others.
        try await auth.checkSecrets()
        let (closed, isDisabled) = try await auth.unlinkAndReport(provider, uid: uid, from: account, evenIfLast: force)
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
            let auth = try AccountOptions.auth(store, options.secrets.read())
            let id = AccountID(rawValue: account)
            try await options.unlink(ProviderID(provider), uid: uid, from: id, of: auth)
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
            let auth = try account.auth(options.secrets.read())
            try await options.unlink(.password, from: account.id(in: auth), of: auth)
        }
    }
}
#endif
