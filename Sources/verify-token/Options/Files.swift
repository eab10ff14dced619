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

/// A file of the command line that cannot be read, and how the command ends over it.
///
/// A name that no file has is a mistake of usage: trying again, which the status 2 suggests, would not help.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String
    let status: ExitCode

    /// - Parameters:
    ///   - problem: What is wrong with the file.
    ///   - isMissing: Whether there is no such file.
    init(_ problem: FileProblem, isMissing: Bool = false) {
        description = problem.description
        status = isMissing ? .validationFailure : .undecided
    }
}

/// Opens a file by its path as it was given.
func openInput(_ path: String) throws(UnreadableFile) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // That does not say why it cannot; this does.
    do {
        try FileHandle(forReadingFrom: URL(filePath: path)).close()
    } catch {
        throw UnreadableFile(FileProblem("cannot read", path, plain(error)), isMissing: isMissing(path))
    }
    throw UnreadableFile(FileProblem("cannot read \(ShownArgument(path))"))
}

/// Reads a file of at most `limit` bytes, and of a longer one no more than that.
func readFile(_ path: String, limit: Int) throws(UnreadableFile) -> Data {
    let handle = try openInput(path)
    let content: Data
    do {
        content = try handle.readToEnd(limit: limit + 1)
        try handle.close()
    } catch {
        throw UnreadableFile(FileProblem("cannot read", path, plain(error)))
    }
    guard content.count <= limit else {
        throw UnreadableFile(FileProblem("\(ShownArgument(path)) has more than \(limit) bytes"))
    }
    return content
}

/// Whether there is no file of this name.
///
/// Nothing is opened: a pipe can be opened only once.
func isMissing(_ path: String) -> Bool {
    guard !FileManager.default.fileExists(atPath: path) else { return false }
    // A token: too long for a name, of which the system says something else.
    guard !ShownArgument(path).isWithheld else { return true }
    do {
        _ = try FileManager.default.attributesOfItem(atPath: path)
        return false
    } catch {
        guard let code = systemCode(of: error) else { return (error as? CocoaError)?.code == .fileReadNoSuchFile }
        return [.ENOENT, .ENOTDIR].contains(code)
    }
}

/// An error in the system's few words, without the sentence that Foundation puts before them.
func plain(_ error: any Error) -> any Error {
    let words: String
    switch systemCode(of: error) {
    case .ENOENT, .ENOTDIR: words = "no such file"
    case .EACCES, .EPERM: words = "permission denied"
    case .EISDIR: words = "is a directory"
    default: return error
    }
    return NSError(domain: NSPOSIXErrorDomain, code: 0, userInfo: [NSLocalizedDescriptionKey: words])
}

/// The system's code for what went wrong with a file.
private func systemCode(of error: any Error) -> POSIXErrorCode? {
    let error = error as NSError
    let reason = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if reason.domain == NSPOSIXErrorDomain { return POSIXErrorCode(rawValue: Int32(reason.code)) }
    return nil
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
