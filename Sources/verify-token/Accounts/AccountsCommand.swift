// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// The `accounts` command: operations on accounts and their store, for operators.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Manage a store of accounts, or one account.",
        discussion: """
            All commands except import, which needs an empty store, work while servers run. Before you move servers to another \
            store, stop them before the export: the export does not contain later changes.

            Exit status: 0 done; 1 no such account or login, the last login without --force, or the check found problems; 2 could \
            not run; 64 usage error.
            """,
        subcommands: [
            MigrateCommand.self, CheckCommand.self, BackupCommand.self, ExportCommand.self, ImportCommand.self,
            FindCommand.self, ShowCommand.self, SessionsCommand.self, CloseSessionsCommand.self, AuditCommand.self,
            PersonalDataCommand.self,
            DisableCommand.self, EnableCommand.self, UnlinkCommand.self, EndPasswordCommand.self, DeleteCommand.self,
            RelinkCommand.self,
            RemoveFactorsCommand.self, ResealCommand.self, SweepCommand.self,
        ]
    )
}
#endif
