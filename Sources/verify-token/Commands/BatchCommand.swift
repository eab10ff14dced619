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
        abstract: "Verify many tokens, one a line.",
        usage: """
            verify-token batch [<file>] (--provider <name> | --issuer <url>)
                --audience <id> (--nonce <value> | --nonce-sha256 <value> |
                --nonce-absent | --nonce-unchecked <reason>)
                [--keys <file or url>] [<options>]
            """,
        discussion: """
            The options say what they say with verify; times are judged by now, or by --at. Each line of the input, ended by LF or CRLF, gets a line of output, \
            in the same order: its number, a tab, and "verified" or the code of the reason. An empty line is refused like \
            whatever else is no token (segments); so is one that is too long (too-large), of which no more is kept than it \
            takes to see that.

              verify-token batch tokens.txt --provider facebook --app-id 123 \\
                --nonce-unchecked "tokens of a log"

            It uses all processors, and its memory does not grow with the input or when nobody takes the output. The keys \
            are had before the first line is read. What a terminal shows meanwhile, and the sums at the end, go to standard \
            error.

            Exit status: 0 all verified, or no line at all, with a warning; 64 usage, or no such file; 2 some undecided, or reading, writing or having keys failed; \
            otherwise 1, some refused. SIGINT, SIGTERM and a broken pipe end it with 130, 143 and 141, after a whole line: \
            what was written is a beginning of the whole, and the sums are of that. A second signal ends it at once.
            """
    )

    @Argument(
        help: ArgumentHelp("A file with tokens, one a line; - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    @OptionGroup(title: "What the tokens must say") var policy: PolicyOptions
    @OptionGroup(title: "The nonce: exactly one of") var nonce: NonceOptions
    @OptionGroup(title: "The keys") var keys: KeyOptions

    @Option(
        help: ArgumentHelp(
            "How many are verified at once, 1 ... 256; without it as many as there are processors.",
            valueName: "count"
        )
    )
    var jobs: Int?

    @Option(help: "The form of the verdicts: lines, or a JSON object on each line.")
    var format = ReportFormat.text

    @Flag(help: "Say nothing on standard error but what went wrong.")
    var quiet = false

    func validate() throws {
        try VerifyToken.require(nothing: policy.missing + nonce.missing + keys.missing)
        guard (1...256).contains(jobs ?? 1) else {
            throw ValidationError("--jobs: \(jobs ?? 0) is not within 1 ... 256.")
        }
        _ = try keys.source(of: policy.tokenPolicy().provider)
    }

    func run() async throws {
        let policy = try policy.tokenPolicy()
        let input = try openTokens()
        defer { try? input.close() }
        let clock = try self.policy.clock()
        let source = try keys.source(of: policy.provider)
        let descriptor = Descriptor(number: input.fileDescriptor)
        let showsProgress = !quiet && Descriptor.standardError.isTerminal && !Descriptor.standardOutput.isTerminal
        let options = BatchRun.Options(
            input: descriptor,
            inputName: file == "-" ? "standard input" : file,
            format: format,
            workers: jobs ?? min(256, ProcessInfo.processInfo.activeProcessorCount),
            progress: showsProgress ? BatchProgress(totalBytes: descriptor.remainingBytes) : nil
        )
        let begin = ContinuousClock.now
        let result: Result<(summary: BatchSummary, stop: BatchRun.Stop?), KeysUnavailable> = await source.serving {
            do throws(KeysUnavailable) {
                let verifier = try await BatchVerifier(
                    policy: policy,
                    nonce: nonce.expectation,
                    source: source,
                    clock: clock
                )
                return .success(await BatchRun(options, verifier: verifier).run())
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

    private func openTokens() throws(ExitCode) -> FileHandle {
        let needed: [(Descriptor, String)] =
            (file == "-" ? [(.standardInput, "input")] : []) + [(.standardOutput, "output")]
        for (descriptor, name) in needed where !descriptor.isOpen {
            FileHandle.warn("standard \(name) is closed")
            throw .undecided
        }
        guard file != "-" else {
            if Descriptor.standardInput.isTerminal {
                FileHandle.warn("reading tokens from the terminal, one a line; end with Ctrl-D")
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
