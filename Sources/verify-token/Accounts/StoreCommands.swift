// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginServer
internal import LoginStoreSQLite
internal import LoginTesting
internal import Synchronization

/// A command that creates or migrates the tables.
struct MigrateCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Create the tables, or migrate them to this version."
    )

    @OptionGroup var store: StoreOptions

    func run() async throws {
        try await withAccounts {
            let steps = try await store.open(makesFile: true).migrate()
            try show(steps.isEmpty ? "nothing to do" : steps.map { "done: \($0)" }.joined(separator: "\n"))
        }
    }
}

/// A command that checks a store for damage.
struct CheckCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the store for damage: every row, and the consistency of rows.",
        discussion: "The check reads a snapshot of all tables into memory, while servers run."
    )

    @OptionGroup var store: StoreOptions

    @Option(
        help: ArgumentHelp(
            "The file with the encryption keys of the servers, to check that they decrypt all second factors and stored profiles.",
            valueName: "file"
        ),
        completion: .file()
    )
    var secretsFile: String?

    func run() async throws {
        try await withAccounts {
            let secrets = try secretsFile.map { try SecretOptions.read($0) }
            var problems: [String] = []
            do {
                let store = try store.open(isWhole: true)
                #if SQLite
                if let file = store as? SQLiteAccountStore { problems += try await file.integrityCheck() }
                #endif
                problems += try await AccountInvariants.violations(in: store, secrets: secrets)
            } catch let error as StoreError where error.code == .damaged {
                problems += error.faults
            }
            try report(problems)
        }
    }
}

/// Prints the problems of a store and their number.
///
/// - Throws: The exit status of a refusal if there are any.
private func report(_ problems: [String]) throws {
    try show((problems.map(printable) + ["\(problems.count) problems"]).joined(separator: "\n"))
    guard problems.isEmpty else { throw ExitCode.refused }
}

/// A command that backs up a SQLite file while it is in use.
struct BackupCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the SQLite file while servers use it. For PostgreSQL, use pg_dump."
    )

    @Argument(
        help: ArgumentHelp("The file to create. An existing file is not overwritten.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @OptionGroup var store: StoreOptions

    func run() async throws {
        try await withAccounts {
            // Opening it would write to it.
            guard try !store.location().isEmptyFile else { throw OperationFailure("the file of accounts is empty") }
            #if SQLite
            if let source = try store.open() as? SQLiteAccountStore {
                // The store would report it as unavailable, like a full disk.
                guard !FileManager.default.fileExists(atPath: file) else {
                    throw FileProblem("cannot create", file, POSIXError(.EEXIST))
                }
                do {
                    let faults = try await source.backup(to: file)
                    return try faults.isEmpty ? show("done") : report(faults)
                } catch let error as StoreError where error.code == .damaged {
                    return try report(error.faults)
                }
            }
            #endif
            throw OperationFailure("only SQLite files can be backed up this way; for PostgreSQL, use pg_dump")
        }
    }
}

/// A command that exports a store as lines of JSON.
struct ExportCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export all rows as lines of JSON with checksums, to move to another store.",
        discussion: "The file contains everything in the store, including personal data, so its mode is 0600."
    )

    @Argument(
        help: ArgumentHelp("The file to create. An existing file is not overwritten.", valueName: "file"),
        completion: .file()
    )
    var file: String

    @OptionGroup var store: StoreOptions

    func validate() throws {
        guard file != "-" else { throw ValidationError("An export must be written to a file, not to -.") }
    }

    func run() async throws {
        try await withAccounts {
            let store = try store.open(isWhole: true)
            let handle = try Descriptor.makePrivateFile(file)
            do {
                let counts = try await AccountExport.write(store) { line in try handle.write(contentsOf: Data(line)) }
                try handle.synchronize()
                try show(counts.lines)
            } catch {
                // A partial export is useless.
                try? FileManager.default.removeItem(atPath: file)
                throw error
            }
        }
    }
}

/// A command that imports an export into an empty store.
struct ImportCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import an export into an empty store, completely or not at all.",
        discussion: """
            The store is migrated first. A dry run does not migrate it, and treats a store without tables, or a missing one, as empty. \
            Users stay signed in if the servers use the same keys as before.
            """
    )

    @Argument(help: ArgumentHelp("The file that export created.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Read and check the export without writing anything.")
    var dryRun = false

    @OptionGroup var store: StoreOptions

    func run() async throws {
        try await withAccounts {
            let reader = LineReader(try openFile(file), limit: AccountExport.lineBytes)
            if dryRun {
                try show(try await check(reader).lines + "\nnothing was written")
            } else {
                let store = try store.open(makesFile: true, isWhole: true)
                try await store.migrate()
                try show(try await AccountExport.read(into: store) { try reader.next() }.lines)
            }
        }
    }

    /// Reads and checks everything without writing.
    ///
    /// The check is against the store, or against an empty one if the store has no tables yet.
    private func check(_ reader: LineReader) async throws -> [String: Int] {
        if try !store.location().isMissingFile {
            do {
                let store = try store.open(isWhole: true)
                return try await AccountExport.read(into: store, isDryRun: true) { try reader.next() }
            } catch let error as StoreError where error.code == .schema && !reader.hasBegun {}
        }
        let empty = InMemoryAccountStore(capacity: .max)
        return try await AccountExport.read(into: empty, isDryRun: true) { try reader.next() }
    }
}

/// A reader of a file's lines, each including its line break.
private final class LineReader: Sendable {
    private let handle: FileHandle
    private let limit: Int
    private let buffer = Mutex<[UInt8]>([])
    private let begun = Mutex(false)

    /// Whether the first line was requested.
    var hasBegun: Bool { begun.withLock { $0 } }

    init(_ handle: FileHandle, limit: Int) {
        self.handle = handle
        self.limit = limit
    }

    func next() throws -> [UInt8]? {
        begun.withLock { $0 = true }
        return try buffer.withLock { bytes in
            while true {
                if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(bytes[...end])
                    bytes.removeFirst(line.count)
                    return line
                }
                guard bytes.count <= limit else { throw OperationFailure("a line has more than \(limit) bytes") }
                guard let more = try handle.read(upToCount: 1 << 16), !more.isEmpty else {
                    defer { bytes = [] }
                    return bytes.isEmpty ? nil : bytes
                }
                bytes += more
            }
        }
    }
}

extension [String: Int] {
    /// The counts, one table on each line.
    fileprivate var lines: String {
        sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    }
}
#endif
