// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// The `accounts` command: operations on accounts and their store, for operators.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Look after a store of accounts, or after one account.",
        discussion: """
            Each works beside running servers, but for import, whose store must be empty. Where servers are to move to another store, stop them before the export: what they write later stays behind.

            Exit status: 0 done; 1 no such account, or something is wrong with the store; 2 could not run; 64 usage.
            """,
        subcommands: [
            MigrateCommand.self, CheckCommand.self, BackupCommand.self, ExportCommand.self, ImportCommand.self,
            FindCommand.self, ShowCommand.self, SessionsCommand.self, CloseSessionsCommand.self, AuditCommand.self,
            PersonalDataCommand.self,
            DisableCommand.self, EnableCommand.self, DeleteCommand.self,
            RemoveFactorsCommand.self, ResealFactorsCommand.self, SweepCommand.self,
        ]
    )
}
#endif
