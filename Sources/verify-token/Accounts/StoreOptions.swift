// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginStorePostgreSQL
internal import LoginStoreSQLite
internal import LoginTokens

/// Where the accounts are.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where the accounts are: a SQLite file, or postgresql: and libpq's connection string.",
            valueName: "store"
        ),
        completion: .file()
    )
    var store: String?

    @Option(help: ArgumentHelp("The schema in PostgreSQL.", valueName: "name"))
    var schema = "public"

    func validate() throws {
        guard let store, !store.isEmpty else {
            throw ValidationError("Missing:\n  --store <store>: where the accounts are")
        }
        guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0) else {
            throw ValidationError("--schema: a name of 1 to 63 bytes.")
        }
        if let connection = Self.connection(store), Self.holdsPassword(connection) {
            throw ValidationError(
                "--store: keep the password in ~/.pgpass or PGPASSFILE; arguments are seen by others, and kept by shells."
            )
        }
    }

    /// The store.
    ///
    /// - Parameters:
    ///   - makesFile: Whether a file that is not there is made. Otherwise a mistyped name would be an empty store, in which nobody is
    ///     known.
    ///   - isWhole: Whether the whole store is gone through, which takes its time: PostgreSQL gives it an hour for each table.
    /// - Returns: The store.
    /// - Throws: ``AccountsFailure``
    func open(makesFile: Bool = false, isWhole: Bool = false) throws -> any AccountStore {
        let store = store ?? ""
        do throws(StoreError) {
            if let connection = Self.connection(store) {
                #if PostgreSQL
                let hour = Duration.seconds(3600)
                return try PostgreSQLAccountStore(
                    connection,
                    schema: schema,
                    connections: 2,
                    timeouts: isWhole ? PostgreSQLTimeouts(statement: hour, idle: hour) : PostgreSQLTimeouts()
                )
                #else
                throw StoreError(.unavailable, "this verify-token was built without PostgreSQL: the trait is called so")
                #endif
            }
            guard makesFile || FileManager.default.fileExists(atPath: store) else {
                throw StoreError(.unavailable, "there is no file \(quoted(store)); \"accounts migrate\" makes one")
            }
            #if SQLite
            return try SQLiteAccountStore(path: store)
            #else
            throw StoreError(.unavailable, "this verify-token was built without SQLite: the trait is called so")
            #endif
        } catch {
            throw AccountsFailure(error)
        }
    }

    private static func connection(_ store: String) -> String? {
        if store.hasPrefix("postgresql://") || store.hasPrefix("postgres://") { return store }
        return store.hasPrefix("postgresql:") ? String(store.dropFirst("postgresql:".count)) : nil
    }

    private static func holdsPassword(_ connection: String) -> Bool {
        if connection.contains("password") { return true }
        guard let scheme = connection.range(of: "://") else { return false }
        let authority = connection[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}

/// Why a command about accounts did nothing, for the person at the terminal.
struct AccountsFailure: Error, CustomStringConvertible {
    let description: String

    init(_ error: StoreError) { description = error.description }

    init(_ description: String) { self.description = description }
}

extension WaitingCommand {
    /// Does something to accounts.
    ///
    /// What goes wrong is said on standard error, and the command ends with 2; with 1 where there is no such
    /// account.
    func withAccounts(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as AuthError where error.code == .userNotFound {
            FileHandle.warn(printable(error.detail))
            throw ExitCode.refused
        } catch let error as AuthError {
            FileHandle.warn(printable(error.description))
            throw ExitCode.undecided
        } catch let error as StoreError {
            FileHandle.warn(printable(error.description))
            throw ExitCode.undecided
        } catch let error as AccountsFailure {
            FileHandle.warn(printable(error.description))
            throw ExitCode.undecided
        } catch let error as FileProblem {
            FileHandle.warn(printable(error.description))
            throw ExitCode.undecided
        }
    }
}
#endif
