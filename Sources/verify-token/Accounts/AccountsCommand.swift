// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser

/// What an operator does with accounts.
struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Look after accounts: migrate, show, close sessions, disable, delete, export, import, audit.",
        discussion: """
            Each works beside running servers, but for export and import with PostgreSQL, and import at all: stop the servers there.

            Exit status: 0 done; 1 no such account, or something is wrong with the store; 2 could not run; 64 usage.
            """,
        subcommands: [
            MigrateCommand.self, CheckCommand.self, BackupCommand.self, ExportCommand.self, ImportCommand.self,
            ShowCommand.self, SessionsCommand.self, CloseSessionsCommand.self, AuditCommand.self,
            PersonalDataCommand.self,
            DisableCommand.self, EnableCommand.self, DeleteCommand.self,
            RemoveFactorsCommand.self, ResealFactorsCommand.self, SweepCommand.self,
        ]
    )
}
#endif
