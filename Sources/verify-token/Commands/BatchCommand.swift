// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// A command that verifies many tokens, one on each line.
struct BatchCommand: WaitingCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Verify many tokens, one per line.",
        usage: """
            verify-token batch [<file>] (--provider <name> | --issuer <url>)
                --audience <id> (--nonce <value> | --nonce-sha256 <value> |
                --nonce-absent | --nonce-unchecked <reason>)
                [--keys <file or url> | --secret-file <file>] [<options>]
            """,
        discussion: """
            The options have the same meaning as for verify. Each line of the input, which ends with LF or CRLF, produces a line of \
            output, in the same order: its number, a tab, and "verified" or the code of the refusal. An empty line is refused \
            (segments), as is a line that is too long (too-large), which is not kept in memory. Times are compared with the \
            current time, or with --at.

              verify-token batch tokens.txt --provider facebook --app-id 123 \\
                --nonce-unchecked "tokens of a log"

            The command uses all processors. Its memory does not grow with the input, nor while the output is not read. The keys \
            are fetched before the first line is read. The progress, on a terminal, and the summary are written to standard \
            error.

            Exit status: 0 all verified, or an empty input, with a warning; 64 usage error, or the file does not exist; 2 some \
            undecided, or the input, the output or the keys failed; otherwise 1, some refused. SIGINT, SIGTERM and a broken \
            pipe stop the command after a complete line, with 130, 143 and 141; the summary counts the lines written until \
            then. A second signal stops it immediately.
            """
    )

    @Argument(
        help: ArgumentHelp("A file with tokens, one per line; - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    @OptionGroup(title: "The expected claims") var policy: PolicyOptions
    @OptionGroup(title: "The nonce, exactly one of these") var nonce: NonceOptions
    @OptionGroup(title: "The keys") var keys: KeyOptions
    @OptionGroup(title: "The secret, instead of keys") var secret: SharedSecretOptions

    @Option(
        help: ArgumentHelp(
            "The number of tokens verified in parallel, 1 to 256. By default, the number of processors.",
            valueName: "count"
        )
    )
    var jobs: Int?

    @Option(help: "The format of the verdicts: lines of text, or one JSON object per line.")
    var format = ReportFormat.text

    @Flag(help: "Write only errors to standard error.")
    var quiet = false

    func validate() throws {
        try VerifyToken.require(nothing: policy.missing + nonce.missing + secret.missing(keys))
        guard (1...256).contains(jobs ?? 1) else {
            throw ValidationError("--jobs: \(jobs ?? 0) is not from 1 to 256.")
        }
        let provider = try policy.tokenPolicy().provider
        try nonce.validate(for: provider)
        try secret.check(policy)
        _ = try secret.source(or: keys, policy.algorithms, of: provider)
    }

    func run() async throws {
        let source = try secret.source(or: keys, policy.algorithms, of: policy.tokenPolicy().provider)
        let verifier = try policy.verifier(readSecret(), keys: source)
        let input = try openTokens()
        defer { try? input.close() }
        let descriptor = Descriptor(number: input.fileDescriptor)
        let showsProgress = !quiet && Descriptor.standardError.isTerminal && !Descriptor.standardOutput.isTerminal
        let options = BatchRun.Options(
            input: descriptor,
            inputName: file == "-" ? "standard input" : file,
            format: format,
            tokenBytes: policy.limits.maxTokenBytes,
            workers: jobs ?? min(256, ProcessInfo.processInfo.activeProcessorCount),
            progress: showsProgress ? BatchProgress(totalBytes: descriptor.remainingBytes) : nil
        )
        let begin = ContinuousClock.now
        let result: Result<(summary: BatchSummary, stop: BatchRun.Stop?), VerificationUnavailable> =
            await source.serving {
                do throws(VerificationUnavailable) {
                    let batch = try await BatchVerifier(verifier, nonce: nonce.expectation, source: source)
                    return .success(await BatchRun(options, verifier: batch).run())
                } catch {
                    return .failure(error)
                }
            }
        switch result {
        case .failure(let unavailable):
            FileHandle.warn("\(unavailable)")
            throw source.failureStatus
        case .success(let (summary, stop)):
            try finish(summary, stop, time: ContinuousClock.now - begin, source.origin)
        }
    }

    private func readSecret() throws(ExitCode) -> SharedSecret? {
        do throws(FileProblem) {
            return try secret.read(policy.algorithms, allowPublished: keys.fetching.allowPublishedTestKeys)
        } catch {
            FileHandle.warn("\(error)")
            throw error.status
        }
    }

    private func openTokens() throws(ExitCode) -> FileHandle {
        let needed: [(Descriptor, String)] =
            (file == "-" ? [(.standardInput, "input")] : []) + [(.standardOutput, "output")]
        for (descriptor, name) in needed where !descriptor.isOpen {
            FileHandle.warn("standard \(name) is closed")
            throw .undecided
        }
        guard file != "-" else {
            if Descriptor.standardInput.isTerminal {
                FileHandle.warn("reading tokens from the terminal, one per line; end with Ctrl-D")
            }
            return .standardInput
        }
        do throws(FileProblem) {
            return try openFile(file)
        } catch {
            FileHandle.warn(error.description + ShownArgument(file).alternative)
            throw error.status
        }
    }

    /// Prints the summary, and throws the exit status if the run was not successful.
    private func finish(
        _ summary: BatchSummary,
        _ stop: BatchRun.Stop?,
        time: Duration,
        _ keys: KeyOrigin?
    ) throws(ExitCode) {
        if stop == nil, summary.lines == 0 {
            FileHandle.warn("the input is empty: no token was verified")
        }
        // Without `--quiet`, the summary names the problem.
        if quiet, case .failed(let problem) = stop { FileHandle.warn("\(problem)") }
        if !quiet {
            var notes: [String] = []
            if let reason = nonce.nonceUnchecked { notes.append("NONCE NOT CHECKED: \(quoted(reason))") }
            if let keys, keys.staleBecause != nil { notes.append("keys: \(keys.summary)") }
            FileHandle.warn(summary.text(stoppedBy: stop?.words, time: time, notes: notes))
        }
        if let status = stop?.exitCode ?? summary.exitCode { throw status }
    }
}
#endif
