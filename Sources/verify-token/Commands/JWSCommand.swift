// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTokens

/// Verifies a signature, and nothing else.
struct JWSCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jws",
        abstract: "Verify the signature alone, and print the payload.",
        usage: "verify-token jws [<file>] --keys <file> [--algorithm <name> ...] [<options>]",
        discussion: """
            Not a verdict on an ID token: who issued it, for whom and for how long is not looked at. A refusal and the \
            reason go to standard error.
            """
    )

    @OptionGroup var input: TokenInput
    @OptionGroup var keys: KeyOptions

    @Option(
        name: .customLong("algorithm"),
        help: ArgumentHelp("An algorithm to accept. Repeatable.", valueName: "name")
    )
    var algorithms: [SignatureAlgorithm] = [.rs256]

    func validate() throws {
        try VerifyToken.require(nothing: keys.missing)
    }

    func run() throws {
        var notes: [String] = []
        let text = try input.read(notes: &notes)
        let payload: [UInt8]
        do {
            payload = try CompactJWS(text).verified(with: keys.read(), algorithms: Set(algorithms)).payload
        } catch let unavailable as KeysUnavailable {
            FileHandle.warn("\(unavailable)")
            throw ExitCode.undecided
        } catch {
            FileHandle.warn("\(error)")
            throw ExitCode.refused
        }
        do {
            try print(payload)
        } catch {
            FileHandle.warn("\(FileProblem("cannot write", "standard output", error))")
            throw ExitCode.undecided
        }
    }

    /// The payload byte for byte; at a terminal, which obeys what programs only read, as text it can show.
    private func print(_ payload: [UInt8]) throws {
        guard isatty(STDOUT_FILENO) == 1 else {
            return try FileHandle.standardOutput.write(contentsOf: Data(payload))
        }
        let text = String(decoding: payload, as: UTF8.self)
        let shown = escaping(text, where: { $0 != "\n" && isObeyedByTerminals($0) }) { printable(String($0)) }
        try FileHandle.standardOutput.write(contentsOf: Data((shown + "\n").utf8))
        if !shown.utf8.elementsEqual(payload) {
            FileHandle.warn("what a terminal cannot show is spelled out; a file or a pipe gets the payload as it is")
        }
    }
}
#endif
