// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginProviders
internal import LoginServer
internal import LoginTokens

/// The options that name an account: its ID, or a provider and a user ID there.
struct AccountNames: ParsableArguments {
    @Argument(help: ArgumentHelp("The ID of the account.", valueName: "id"))
    var account: String?

    @Option(help: ArgumentHelp("Instead of the ID: the provider of a login.", valueName: "name"))
    var provider: String?

    @Option(help: ArgumentHelp("Instead of the ID, with --provider: the subject of the login.", valueName: "subject"))
    var uid: String?

    /// Whether no account is named.
    var isEmpty: Bool { account == nil && provider == nil && uid == nil }

    /// Requires that exactly one account is named, in one way.
    ///
    /// - Parameter other: The text about an alternative, for the message.
    /// - Throws: `ValidationError`.
    func requireOne(or other: String = "") throws(ValidationError) {
        switch (account, provider, uid) {
        case (let account?, nil, nil):
            try Self.requireID(account)
        case (nil, .some, .some): break
        default: throw ValidationError("Specify one account: <id>, or --provider and --uid\(other).")
        }
    }

    /// Requires the form of an account ID.
    ///
    /// - Throws: `ValidationError`.
    static func requireID(_ text: String) throws(ValidationError) {
        guard UUID(uuidString: text) != nil else {
            throw ValidationError("\(ShownArgument(text)) is not an account ID, which is a UUID.")
        }
    }

    /// Returns the ID that was given, or the ID of the login's account.
    func id(in auth: Auth) async throws(AuthError) -> AccountID {
        if let account { return AccountID(rawValue: account) }
        return try await auth.account(providerID: ProviderID(provider ?? ""), uid: uid ?? "").id
    }
}

/// The options that name an account in a store.
struct AccountOptions: ParsableArguments {
    @OptionGroup var names: AccountNames

    @OptionGroup var store: StoreOptions

    func validate() throws { try names.requireOne() }

    /// Returns the ID that was given, or the ID of the login's account.
    func id(in auth: Auth) async throws(AuthError) -> AccountID { try await names.id(in: auth) }

    func auth(_ keys: AccountSecrets? = nil) throws -> Auth { try Self.auth(store, keys) }

    /// Returns an `Auth` without identity providers, because no one signs in here.
    ///
    /// The keys are required by operations that hash with them, or read what is encrypted with them.
    static func auth(_ store: StoreOptions, _ keys: AccountSecrets? = nil, policy: AuthPolicy = AuthPolicy()) throws
        -> Auth
    {
        let secrets = keys ?? AccountSecrets(repeating: 0)
        return Auth(store: try store.open(), providers: .none, secrets: secrets, policy: policy)
    }
}

/// The option to show personal data.
struct ClaimOptions: ParsableArguments {
    @Flag(
        help:
            "Show names, addresses, subjects and devices. Without it, subjects are shown as a part of their SHA-256, and the rest is left out."
    )
    var showClaims = false
}

/// The option for the keys of the service, which are the same as the servers'.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the encryption keys of the servers, with mode 0600: one key per line, in hexadecimal or Base64, newest first.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretsFile: String

    func read() throws -> AccountSecrets { try Self.read(secretsFile) }

    static func read(_ file: String) throws -> AccountSecrets {
        do {
            return try AccountSecrets(contentsOf: file)
        } catch {
            throw OperationFailure("\(ShownArgument(file)): \(error.description)")
        }
    }
}

/// A command that shows an account.
struct ShowCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account: its logins, second factors and sessions."
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var claims: ClaimOptions

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            let found = try await auth.account(account.id(in: auth))
            let sessions = try await auth.sessions(of: found.id)
            let report = AccountReport(found, sessions: sessions, showsClaims: claims.showClaims)
            try show(format == .json ? encodedJSON(report, pretty: false) : report.text)
        }
    }
}

/// A command that finds accounts by e-mail address.
struct FindCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Print the IDs of the accounts with an e-mail address, verified or of a password, one per line."
    )

    @Option(help: ArgumentHelp("The address.", valueName: "address"))
    var email: String

    @OptionGroup var store: StoreOptions

    func run() async throws {
        try await withAccounts {
            let found = try await AccountOptions.auth(store).accounts(email: email)
            for account in found { try show(printable(account.id.rawValue)) }
            guard !found.isEmpty else {
                FileHandle.warn("no account has this address")
                throw ExitCode.refused
            }
        }
    }
}

/// A command that lists an account's open sessions.
struct SessionsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the open sessions of an account."
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var claims: ClaimOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            let sessions = try await auth.sessions(of: account.id(in: auth))
            let lines = sessions.map { AccountReport.line($0, showsClaims: claims.showClaims) }
            try show((lines + ["\(sessions.count) open sessions"]).joined(separator: "\n"))
        }
    }
}

/// A command that closes all sessions of one account, or of all accounts.
struct CloseSessionsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close-sessions",
        abstract:
            "Close all sessions of one account or of all accounts. They end with their next request to any server."
    )

    @OptionGroup var account: AccountNames

    @Flag(
        help:
            "Close the sessions of all accounts, for example after the servers' keys have leaked. Stop the servers first."
    )
    var all = false

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard all else { return try account.requireOne(or: "; or --all") }
        guard account.isEmpty else { throw ValidationError("--all cannot be combined with an account.") }
    }

    func run() async throws {
        try await withAccounts {
            let auth = try AccountOptions.auth(store)
            let count = try await all ? auth.closeAllSessions() : auth.closeSessions(of: account.id(in: auth))
            try show("\(count) sessions closed")
        }
    }
}

/// A command that shows the audit log of an account.
struct AuditCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show the audit entries of an account, newest first."
    )

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("The maximum number of entries.", valueName: "count"))
    var limit = 100

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit: 1 to 10,000 entries.") }
    }

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            let id = try await account.id(in: auth)
            var events: [AuthEvent] = []
            // A page has at most 1,000 entries.
            while events.count < limit {
                let rest = limit - events.count
                let page = try await auth.audit(of: id, limit: rest, before: events.last?.id)
                guard !page.isEmpty else { break }
                events += page
            }
            // The audit log of a deleted account remains. An account that never existed has none and is an error.
            if events.isEmpty { _ = try await auth.account(id) }
            switch format {
            case .json: for event in events { try show(encodedJSON(event, pretty: false)) }
            case .text:
                try show((events.map { AccountReport.line($0) } + ["\(events.count) entries"]).joined(separator: "\n"))
            }
        }
    }
}

/// A command that prints the personal data of an account.
struct PersonalDataCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "personal-data",
        abstract: "Print the personal data of an account as JSON, for an access request of the user.",
        discussion: "With keys that do not open all stored claims, the data is incomplete, and the exit status is 2."
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var secrets: SecretOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth(secrets.read())
            let data = try await auth.exportPersonalData(of: account.id(in: auth))
            let object = try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any]
            let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            let json = try JSONSerialization.data(withJSONObject: object ?? [:], options: options)
            // A name may contain characters that a terminal obeys.
            let text = escaping(
                String(decoding: json, as: UTF8.self),
                where: { $0 != "\n" && isObeyedByTerminals($0) }
            ) { scalar in
                String(scalar).utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
            }
            try show(text)
            let logins = object?["logins"] as? [[String: Any]] ?? []
            let unreadable = logins.count { $0["hasUnreadableClaims"] as? Bool == true }
            guard unreadable == 0 else {
                throw OperationFailure(
                    "the stored claims of \(unreadable) logins are missing: no key of --secrets-file opens them"
                )
            }
        }
    }
}

/// A command that disables an account.
struct DisableCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Disable an account: nobody can sign in to it, and its sessions are closed. No data is deleted."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            try await auth.disable(account.id(in: auth))
            try show("disabled")
        }
    }
}

/// A command that enables a disabled account.
struct EnableCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Enable a disabled account, so that its user can sign in again."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            try await auth.enable(account.id(in: auth))
            try show("enabled")
        }
    }
}

/// A command that deletes an account.
struct DeleteCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account: its logins and personal data are deleted, and only its ID remains.",
        discussion: """
            Delete the user's data in your application first. The audit keeps its entries, with hashes by the servers' keys \
            instead of logins.
            """
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var secrets: SecretOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth(secrets.read())
            // With other keys, the audit log would get hashes that match no others.
            try await auth.checkSecrets()
            try await auth.delete(account.id(in: auth))
            try show("deleted")
        }
    }
}
#endif
