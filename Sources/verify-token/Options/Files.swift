// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer

/// Writes a report to standard output, with a line break at its end.
///
/// What nobody received must not look like a yes, so where it cannot be written the command ends with 2.
func show(_ report: String) throws(ExitCode) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data((report + "\n").utf8))
    } catch {
        FileHandle.warn("\(FileProblem("cannot write", "standard output", error))")
        throw .undecided
    }
}

/// Reads a file of at most `limit` bytes, and of a longer one no more than that.
func readFile(_ path: String, limit: Int) throws(FileProblem) -> Data {
    let handle = try openFile(path)
    let content: Data
    do {
        content = try handle.readToEnd(limit: limit + 1)
        try handle.close()
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    guard content.count <= limit else { throw FileProblem("\(ShownArgument(path)) has more than \(limit) bytes") }
    return content
}

extension FileHandle {
    /// Writes a line for the person at the terminal, beside what the command prints.
    ///
    /// It shows no token, whichever argument had one.
    static func warn(_ text: String) {
        let shown = ShownArgument.withholdingTokens(in: text)
        try? standardError.write(contentsOf: Data("verify-token: \(shown)\n".utf8))
    }
}
#endif
