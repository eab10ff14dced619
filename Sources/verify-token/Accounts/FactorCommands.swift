// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import LoginAccounts

/// A command that removes all second factors of an account, for a user who has lost them.
struct RemoveFactorsCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove-factors",
        abstract: "Remove all second factors of an account whose user has lost them, and close its sessions.",
        discussion: """
            Afterwards, the first factor suffices to sign in. Verify the identity of the user first, in a way that does not depend \
            on the first factor.
            """
    )

    @OptionGroup var account: AccountOptions

    func run() async throws {
        try await withAccounts {
            let auth = try account.auth()
            let count = try await auth.removeSecondFactors(of: account.id(in: auth))
            try show("\(count) second factors removed")
        }
    }
}

/// A command that encrypts what is stored encrypted with the newest key.
struct ResealCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Encrypt all second factors and stored profiles with the newest key, after a key rotation.",
        discussion: """
            The servers still need the old key for the maximum lifetime of a session, counted from the rotation: it issued the \
            tokens of older sessions.
            """
    )

    @OptionGroup var store: StoreOptions

    @OptionGroup var secrets: SecretOptions

    func run() async throws {
        try await withAccounts {
            let (factors, profiles) = try await AccountOptions.auth(store, secrets.read()).reseal()
            try show("\(factors) second factors and \(profiles) stored profiles encrypted again")
        }
    }
}

/// A command that deletes expired data.
struct SweepCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract:
            "Delete expired data: attempts, codes, sessions, delivered events. Servers can also do this themselves."
    )

    @Option(
        help: ArgumentHelp(
            "Delete anonymous accounts that were not used for this time; none by default.",
            valueName: "days"
        )
    )
    var anonymousDays: Int?

    @Option(help: ArgumentHelp("Delete audit entries that are older; none by default.", valueName: "days"))
    var auditDays: Int?

    @OptionGroup var store: StoreOptions

    /// The maximum number of days, a hundred years: longer than anything is stored.
    private static let longest = 36_500

    func validate() throws {
        for (name, days) in [("anonymous-days", anonymousDays), ("audit-days", auditDays)] {
            guard (1...Self.longest).contains(days ?? 1) else {
                throw ValidationError("--\(name): 1 to 36,500 days.")
            }
        }
    }

    func run() async throws {
        try await withAccounts {
            var policy = AuthPolicy()
            policy.linking.anonymousLifetime = .seconds(86_400 * (anonymousDays ?? Self.longest))
            let auth = try AccountOptions.auth(store, policy: policy)
            // A sweep does not touch every table, and would report success on a damaged store.
            try await auth.store.check()
            let age = auditDays.map { Duration.seconds(86_400 * $0) }
            var (removed, sessions, accounts) = ([String: Int](), 0, 0)
            while true {
                let report = try await auth.sweep(auditOlderThan: age)
                removed.merge(report.removed, uniquingKeysWith: +)
                sessions += report.closedSessions
                accounts += report.deletedAccounts
                // `isMore` can stay set for rows that cannot be deleted yet, such as devices whose sessions are still
                // stored. A round that removes nothing therefore ends the loop.
                let isDone = report.removed.isEmpty && report.closedSessions == 0 && report.deletedAccounts == 0
                if isDone || !report.isMore { break }
            }
            let lines = ["\(sessions) sessions closed", "\(accounts) anonymous accounts deleted"]
            try show(
                (removed.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" } + lines).joined(separator: "\n")
            )
        }
    }
}
#endif
