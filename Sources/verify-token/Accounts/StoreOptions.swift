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

    @Option(help: ArgumentHelp("The schema in PostgreSQL; public if not said.", valueName: "name"))
    var schema: String?

    func validate() throws {
        guard let store, !store.isEmpty else {
            throw ValidationError("Missing:\n  --store <store>: where the accounts are")
        }
        if let schema {
            guard Self.connection(store) != nil else { throw ValidationError("--schema: only PostgreSQL has schemas.") }
            guard (1...63).contains(schema.utf8.count), !schema.utf8.contains(0) else {
                throw ValidationError("--schema: a name of 1 to 63 bytes.")
            }
        }
        guard let connection = Self.connection(store) else {
            // It may hold a password, so it is not repeated.
            guard !Self.isMistaken(store) else {
                throw ValidationError(
                    "--store: a file, or postgresql: and a connection string. Before a file of such a name write ./"
                )
            }
            return
        }
        guard !Self.holdsPassword(connection) else {
            throw ValidationError(
                "--store: keep the password in ~/.pgpass or PGPASSFILE; arguments are seen by others, and kept by shells."
            )
        }
    }

    /// Whether the store is a database server, and no file.
    var isDatabase: Bool { store.map { Self.connection($0) != nil } ?? false }

    /// Whether the store is a file that is not there.
    var isMissingFile: Bool {
        guard let store, Self.connection(store) == nil else { return false }
        return !FileManager.default.fileExists(atPath: store)
    }

    /// The store.
    ///
    /// - Parameters:
    ///   - makesFile: Whether a file that is not there is made. Otherwise a mistyped name would be an empty store, in which nobody is
    ///     known.
    ///   - isWhole: Whether the whole store is gone through, which takes its time: PostgreSQL gives it an hour for each table.
    ///   - connections: How many transactions run at once in PostgreSQL.
    /// - Returns: The store.
    /// - Throws: ``StoreError``
    func open(makesFile: Bool = false, isWhole: Bool = false, connections: Int = 2) throws(StoreError)
        -> any AccountStore
    {
        let store = store ?? ""
        if let connection = Self.connection(store) {
            #if PostgreSQL
            let hour = Duration.seconds(3600)
            return try PostgreSQLAccountStore(
                connection,
                schema: schema ?? "public",
                connections: connections,
                timeouts: isWhole ? PostgreSQLTimeouts(statement: hour, idle: hour) : PostgreSQLTimeouts()
            )
            #else
            throw StoreError(.unavailable, Self.lacksPostgreSQL)
            #endif
        }
        guard makesFile || !isMissingFile else {
            throw StoreError(.unavailable, "there is no file \(ShownArgument(store)); \"accounts migrate\" makes one")
        }
        #if SQLite
        return try SQLiteAccountStore(path: store)
        #else
        throw StoreError(.unavailable, Self.lacksSQLite)
        #endif
    }

    /// What this program lacks for such a store; nil where it lacks nothing.
    var lack: String? {
        if isDatabase { return Self.hasPostgreSQL ? nil : Self.lacksPostgreSQL }
        return Self.hasSQLite ? nil : Self.lacksSQLite
    }

    #if PostgreSQL
    private static let hasPostgreSQL = true
    #else
    private static let hasPostgreSQL = false
    #endif

    #if SQLite
    private static let hasSQLite = true
    #else
    private static let hasSQLite = false
    #endif

    private static let lacksPostgreSQL =
        "this verify-token was built without PostgreSQL: make install POSTGRESQL=1 brings it"
    private static let lacksSQLite = "this verify-token was built without SQLite: make install brings it"

    /// Whether it is no path, but a connection string or an address without the word that says so.
    private static func isMistaken(_ store: String) -> Bool {
        guard !store.hasPrefix("/"), !store.hasPrefix("./") else { return false }
        return store.firstMatch(of: /\b(?:host|hostaddr|port|dbname|user|password|passfile|service)\s*=/) != nil
            || store.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:/) != nil
    }

    private static func connection(_ store: String) -> String? {
        if store.hasPrefix("postgresql://") || store.hasPrefix("postgres://") { return store }
        return store.hasPrefix("postgresql:") ? String(store.dropFirst("postgresql:".count)) : nil
    }

    private static func holdsPassword(_ connection: String) -> Bool {
        // libpq takes names that are percent-encoded too.
        if (connection.removingPercentEncoding ?? connection).contains("password") { return true }
        guard let scheme = connection.range(of: "://") else { return false }
        let authority = connection[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
        return authority.lastIndex(of: "@").map { authority[..<$0].contains(":") } ?? false
    }
}

/// Why a command about accounts did nothing, for the person at the terminal.
struct AccountsFailure: Error, CustomStringConvertible {
    let description: String

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
        } catch let error
            where error is AuthError || error is StoreError || error is AccountsFailure || error is FileProblem
        {
            FileHandle.warn(printable("\(error)"))
            throw ExitCode.undecided
        } catch let error as CocoaError {
            FileHandle.warn(printable("\(FileProblem("cannot read or write", "the file", error))"))
            throw ExitCode.undecided
        }
    }
}
#endif
