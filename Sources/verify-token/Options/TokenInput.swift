// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginTokens

/// The input with the token.
struct TokenInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A file with the token; - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The token itself. Other users of this machine can see it in the process list.",
            valueName: "text"
        )
    )
    var token: String?

    func validate() throws {
        guard token == nil || file == "-" else { throw ValidationError("Give the token or a file, not both.") }
    }

    /// Reads the token, and adds notes on how it was read.
    ///
    /// One line break at the end of a file or of standard input is removed, because text files and pipes end with
    /// one. Nothing else is removed. Of input that is too long, only as many bytes are read as show that.
    ///
    /// - Parameters:
    ///   - notes: The notes, to which this may add one.
    ///   - limit: The maximum number of bytes of the token.
    /// - Returns: The token.
    /// - Throws: `ExitCode` if the input cannot be read.
    func read(notes: inout [String], limit: Int) throws -> String {
        if let token {
            FileHandle.warn(
                "other users of this machine can see the value of --token; use a file or standard input instead"
            )
            return token
        }
        return try readInput(file, what: "the token", notes: &notes, limit: limit)
    }
}

/// The input with the signed request.
struct SignedRequestInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A file with the signed request or the form body; - for standard input.",
            valueName: "file"
        ),
        completion: .file()
    )
    var file = "-"

    /// Reads the signed request or the body, and adds notes on how it was read.
    ///
    /// - Parameters:
    ///   - notes: The notes, to which this may add one.
    ///   - limit: The maximum number of bytes.
    /// - Returns: The text.
    /// - Throws: `ExitCode` if the input cannot be read.
    func read(notes: inout [String], limit: Int) throws -> String {
        try readInput(file, what: "the signed request", notes: &notes, limit: limit)
    }
}

/// The input with a DPoP proof.
struct ProofInput: ParsableArguments {
    @Argument(
        help: ArgumentHelp("A file with the proof; - for standard input.", valueName: "file"),
        completion: .file()
    )
    var file = "-"

    /// Reads the proof, and adds notes on how it was read.
    ///
    /// - Parameter notes: The notes, to which this may add one.
    /// - Returns: The proof.
    /// - Throws: `ExitCode` if the input cannot be read.
    func read(notes: inout [String]) throws -> String {
        try readInput(file, what: "the proof", notes: &notes, limit: Limits.tokenBytes)
    }
}

/// Reads a file or standard input, and removes one line break at its end.
private func readInput(_ file: String, what: String, notes: inout [String], limit: Int) throws -> String {
    if file == "-", isatty(STDIN_FILENO) == 1 {
        FileHandle.warn("reading \(what) from the terminal; end it with Ctrl-D")
    }
    let limit = limit + "\r\n".utf8.count + 1
    let content: Data
    do {
        let handle = file == "-" ? FileHandle.standardInput : try openFile(file)
        content = try handle.readToEnd(limit: limit)
    } catch {
        let problem = error as? FileProblem ?? FileProblem("cannot read", file, error)
        FileHandle.warn(problem.description + ShownArgument(file).alternative)
        throw problem.status
    }
    let text = String(decoding: content, as: UTF8.self)
    // In Swift, "\r\n" is a single character.
    guard text.last == "\n" || text.last == "\r\n" else { return text }
    notes.append("a line break at the end of the input was ignored")
    return String(text.dropLast())
}
#endif
