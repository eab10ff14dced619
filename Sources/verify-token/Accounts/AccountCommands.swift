// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginTokens

/// Which account.
struct AccountOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The account: its ID.", valueName: "id"))
    var account: String

    @OptionGroup var store: StoreOptions

    var id: AccountID { AccountID(rawValue: account) }

    func validate() throws { try Self.check(account) }

    static func check(_ account: String) throws {
        guard UUID(uuidString: account) != nil else {
            throw ValidationError("\(quoted(account)) is no ID of an account: a UUID.")
        }
    }

    func auth(_ keys: AccountSecrets? = nil) throws -> Auth { try Self.auth(store, keys) }

    /// Accounts without providers: nobody signs in here.
    ///
    /// The keys are asked for where something is hashed with them.
    static func auth(_ store: StoreOptions, _ keys: AccountSecrets? = nil, policy: AuthPolicy = AuthPolicy()) throws
        -> Auth
    {
        let secrets = keys ?? AccountSecrets([Array(repeating: 0, count: 32)])
        return Auth(store: try store.open(), providers: [], secrets: secrets, policy: policy)
    }
}

/// Whether to say who it is.
struct ClaimOptions: ParsableArguments {
    @Flag(
        help:
            "Show names, addresses, subjects and devices. Without it they are left out, and subjects are a part of their SHA-256."
    )
    var showClaims = false
}

/// The keys of the service, which are the servers' too.
struct SecretOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the keys of the servers, open to its owner alone: 64 hexadecimal digits or Base64 a line, the newest first.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretsFile: String

    func read() throws -> AccountSecrets {
        do {
            return try AccountSecrets(contentsOf: secretsFile)
        } catch {
            throw AccountsFailure("\(quoted(secretsFile)): \(error.description)")
        }
    }
}

/// Shows an account.
struct ShowCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an account: its logins, second factors and sessions."
    )

    @Argument(help: ArgumentHelp("The account: its ID.", valueName: "id"))
    var account: String?

    @Option(help: ArgumentHelp("Instead of the ID: who vouches for the login.", valueName: "name"))
    var provider: String?

    @Option(help: ArgumentHelp("Instead of the ID, with --provider: what it calls the person.", valueName: "subject"))
    var uid: String?

    @OptionGroup var store: StoreOptions

    @OptionGroup var claims: ClaimOptions

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    private var showClaims: Bool { claims.showClaims }

    func validate() throws {
        switch (account, provider, uid) {
        case (let account?, nil, nil): try AccountOptions.check(account)
        case (nil, .some, .some): break
        default: throw ValidationError("Name one account: by its <id>, or by --provider and --uid.")
        }
    }

    func run() async throws {
        try await withAccounts {
            let auth = try AccountOptions.auth(store)
            let found =
                if let account {
                    try await auth.account(AccountID(rawValue: account))
                } else {
                    try await auth.account(providerID: ProviderID(provider ?? ""), uid: uid ?? "")
                }
            let report = AccountReport(found, sessions: try await auth.sessions(of: found.id), showsClaims: showClaims)
            try show(format == .json ? encodedJSON(report, pretty: false) : report.text)
        }
    }
}

/// Lists the sessions of an account.
struct SessionsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List the open sessions of an account."
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var claims: ClaimOptions

    func run() async throws {
        try await withAccounts {
            let sessions = try await account.auth().sessions(of: account.id)
            let lines = sessions.map { AccountReport.line($0, showsClaims: claims.showClaims) }
            try show((lines + ["\(sessions.count) open sessions"]).joined(separator: "\n"))
        }
    }
}

/// Signs somebody out everywhere.
struct CloseSessionsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "close-sessions",
        abstract: "Close all sessions of an account, on every server, with the next request of each."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            let count = try await account.auth().closeSessions(of: account.id)
            try show("\(count) sessions closed")
        }
    }
}

/// Shows what happened to an account.
struct AuditCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Show what happened to an account, the last first."
    )

    @OptionGroup var account: AccountOptions

    @Option(help: ArgumentHelp("How many entries at most.", valueName: "count"))
    var limit = 100

    @Option(help: "The form of the report.")
    var format = ReportFormat.text

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit: 1 to 10,000 entries.") }
    }

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            var events: [AuthEvent] = []
            // A page has 1,000 at most.
            while events.count < limit {
                let rest = limit - events.count
                let page = try await auth.audit(of: account.id, limit: rest, before: events.last?.id)
                guard !page.isEmpty else { break }
                events += page
            }
            switch format {
            case .json: for event in events { try show(encodedJSON(event, pretty: false)) }
            case .text:
                try show((events.map { AccountReport.line($0) } + ["\(events.count) entries"]).joined(separator: "\n"))
            }
        }
    }
}

/// Writes what is known of a person.
struct PersonalDataCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "personal-data",
        abstract: "Print what is stored about the person, as JSON: for who asks for it."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            try show(String(decoding: try await account.auth().exportPersonalData(of: account.id), as: UTF8.self))
        }
    }
}

/// Lets nobody sign in to an account.
struct DisableCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable",
        abstract: "Let nobody sign in to an account, and close its sessions. Nothing is lost."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            try await account.auth().disable(account.id)
            try show("disabled")
        }
    }
}

/// Lets its person sign in again.
struct EnableCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable",
        abstract: "Let the person of a disabled account sign in again."
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            try await account.auth().enable(account.id)
            try show("enabled")
        }
    }
}

/// Deletes an account.
struct DeleteCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an account: its logins are free, what says something about the person goes, its ID stays.",
        discussion: """
            What your application keeps of the person is yours to delete, before. The audit keeps what happened, with hashes by the \
            servers' keys in the place of logins.
            """
    )

    @OptionGroup var account: AccountOptions

    @OptionGroup var secrets: SecretOptions

    func run() async throws {
        try await withAccounts {
            try await account.auth(secrets.read()).delete(account.id)
            try show("deleted")
        }
    }
}
#endif
