// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginTokens

/// A file that could not be read or written.
struct FileProblem: Error, CustomStringConvertible {
    let description: String

    /// - Parameters:
    ///   - action: For example `cannot read`.
    ///   - path: The file.
    ///   - error: What the system says.
    init(_ action: String, _ path: String, _ error: any Error) {
        let shown = ShownArgument(path)
        guard !shown.isWithheld else {
            description = "\(action) \(shown). \(ShownArgument.advice)"
            return
        }
        let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        description = "\(action) \(shown): \((reason ?? error as NSError).localizedDescription)"
    }

    init(_ description: String) {
        self.description = description
    }
}

/// Opens a file by its path as it was given.
///
/// A `URL` strikes out `link/..` before the link is followed, and would open another file than the one named.
func openFile(_ path: String) throws(FileProblem) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // That does not say why it cannot; this does.
    do {
        _ = try FileHandle(forReadingFrom: URL(filePath: path))
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    throw FileProblem("cannot read \(ShownArgument(path))")
}

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
    /// Reads to the end, but no more than `limit` bytes.
    ///
    /// A pipe gives what it has, so one call is not enough.
    func readToEnd(limit: Int) throws -> Data {
        var content = Data()
        while content.count < limit, let more = try read(upToCount: limit - content.count), !more.isEmpty {
            content.append(more)
        }
        return content
    }

    /// Writes a line for the person at the terminal, beside what the command prints.
    ///
    /// It shows no token, whichever argument had one.
    static func warn(_ text: String) {
        let shown = ShownArgument.withholdingTokens(in: text)
        try? standardError.write(contentsOf: Data("verify-token: \(shown)\n".utf8))
    }
}
#endif
