// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginAccounts
internal import LoginServer

/// A command that gives logins the new subjects of a provider that has issued its subjects again.
struct RelinkCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "relink",
        abstract: "Give logins the new subjects of a provider, for example after a new registration of the app there.",
        discussion: """
            Each line of the file is {"provider": "microsoft", "old": "…", "new": "…"}: the name of the provider in the \
            configuration of the service, and the subjects (sub) of one user. A subject of Microsoft is the tenant ID, a slash and \
            the sub, as the service stores it. A file has at most 100,000 lines and 16 MiB, and is \
            checked before anything is written.

            Subjects alone decide, never addresses. A new subject that another account has is refused; an old one that no account \
            has is unknown; both are listed by line. The old subjects sign in as well. Each line is a transaction, so the command can \
            be interrupted and repeated. The audit of each account has an entry by the service.

            Exit status: 0 every line is done; 1 some are refused or unknown; 2 could not run, or a line is malformed; 64 usage error.
            """
    )

    @Argument(help: ArgumentHelp("The file with a JSON object per line.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Report what would be done, without writing anything.")
    var dryRun = false

    @OptionGroup var secrets: SecretOptions

    @OptionGroup var store: StoreOptions

    @Option(help: "The format of the report.")
    var format = ReportFormat.text

    func run() async throws {
        try await withAccounts {
            let auth = try AccountOptions.auth(store, secrets.read())
            let changes = try SubjectChangeFile(readFile(file, limit: SubjectChangeFile.maximumBytes))
            // With other keys, the audit log would get hashes that match no others.
            try await auth.checkSecrets()
            var report = RelinkReport(isDryRun: dryRun)
            for line in changes.lines {
                do throws(AuthError) {
                    report.add(try await auth.relink(line.change, isDryRun: dryRun), line: line.number)
                } catch {
                    FileHandle.warn("stopped at line \(line.number); repeat the command: what is done stays done")
                    throw error
                }
            }
            try show(format == .json ? encodedJSON(report, pretty: false) : report.text)
            guard report.isComplete else { throw ExitCode.refused }
        }
    }
}

/// The outcomes of the changes in a file, by line and without subjects.
struct RelinkReport: Encodable {
    /// A line whose new subject belongs to another account.
    struct Refusal: Encodable {
        let line: Int
        /// The account with the old subject.
        let account: String
        /// The account with the new subject.
        let owner: String
    }

    let isDryRun: Bool
    private(set) var relinked = 0
    private(set) var already = 0
    /// The lines whose old subject no account has.
    private(set) var unknown: [Int] = []
    private(set) var refused: [Refusal] = []

    init(isDryRun: Bool) { self.isDryRun = isDryRun }

    /// Whether every line is done.
    var isComplete: Bool { unknown.isEmpty && refused.isEmpty }

    /// Adds the outcome of a line.
    mutating func add(_ outcome: SubjectChangeOutcome, line: Int) {
        switch outcome {
        case .relinked: relinked += 1
        case .alreadyRelinked: already += 1
        case .unknown: unknown.append(line)
        case .taken(let account, let owner):
            refused.append(Refusal(line: line, account: account.rawValue, owner: owner.rawValue))
        }
    }

    /// A line for each change that was not made, and the numbers.
    var text: String {
        let refusals = refused.map {
            (
                line: $0.line,
                text:
                    "refused: account \(printable($0.owner)) has the new subject, account \(printable($0.account)) the old one"
            )
        }
        let unknowns = unknown.map { (line: $0, text: "unknown: no account has the old subject") }
        let lines = (refusals + unknowns).sorted { $0.line < $1.line }.map { "line \($0.line): \($0.text)" }
        let counts = [
            "\(isDryRun ? "to relink" : "relinked"): \(relinked)", "already: \(already)", "refused: \(refused.count)",
            "unknown: \(unknown.count)",
        ]
        return (lines + counts + (isDryRun ? ["nothing was written"] : [])).joined(separator: "\n")
    }
}
#endif
