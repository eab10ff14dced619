// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginServer

/// The options that name a store of accounts.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The location of the accounts: a SQLite file, or postgresql: and a connection string of libpq.",
            valueName: "store"
        ),
        completion: .file()
    )
    var store: String

    @Option(help: ArgumentHelp("The schema in PostgreSQL; public by default.", valueName: "name"))
    var schema: String?

    func validate() throws { _ = try location() }

    /// Returns the location of the store.
    ///
    /// - Returns: The location.
    /// - Throws: `ValidationError` if an option is invalid; never after ``validate()``.
    func location() throws(ValidationError) -> StoreLocation {
        guard !store.isEmpty else { throw ValidationError("--store: the location is empty.") }
        do throws(StoreLocation.Fault) {
            return try StoreLocation(store, schema: schema)
        } catch {
            throw ValidationError("--\(error.setting): \(error.reason)")
        }
    }

    /// Opens the store, as `StoreLocation.open(makesFile:isWhole:connections:)` does.
    func open(makesFile: Bool = false, isWhole: Bool = false) throws -> any AccountStore {
        try location().open(makesFile: makesFile, isWhole: isWhole)
    }
}

extension WaitingCommand {
    /// The refusals that depend on the account, with the advice that follows the message.
    private static var refusals: [AuthError.Code: String] {
        [
            .userNotFound: "",
            .noSuchProvider: ": accounts show lists its logins",
            .ambiguousProvider: ": name one with --uid; accounts show --show-claims lists them",
            .lastProvider: ": --force unlinks it nevertheless, and disables the account",
        ]
    }

    /// Runs an operation on accounts.
    ///
    /// A known error is written to standard error, and the command exits with status 2, or 1 for ``refusals``.
    func withAccounts(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as AuthError where Self.refusals[error.code] != nil {
            FileHandle.warn(printable(error.detail + (Self.refusals[error.code] ?? "")))
            throw ExitCode.refused
        } catch let error
            where error is AuthError || error is StoreError || error is OperationFailure || error is FileProblem
        {
            FileHandle.warn(printable("\(error)"))
            throw (error as? FileProblem)?.status ?? .undecided
        } catch let error as CocoaError {
            FileHandle.warn(printable("\(FileProblem("cannot read or write", "the file", error))"))
            throw ExitCode.undecided
        }
    }
}
#endif
