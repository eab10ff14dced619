// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer

/// Writes a report to standard output, with a line break at its end.
///
/// If it cannot be written, the command exits with status 2: output that nobody received must not look like success.
func show(_ report: String) throws(ExitCode) {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data((report + "\n").utf8))
    } catch {
        FileHandle.warn("\(FileProblem("cannot write", "standard output", error))")
        throw .undecided
    }
}

/// An error about a file named on the command line that cannot be read, with the exit status for it.
///
/// A missing file is a usage error: a retry, which status 2 suggests, would not help.
struct UnreadableFile: Error, CustomStringConvertible {
    let description: String
    let status: ExitCode

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - problem: The problem with the file.
    ///   - isMissing: Whether there is no such file.
    init(_ problem: FileProblem, isMissing: Bool = false) {
        description = problem.description
        status = isMissing ? .validationFailure : .undecided
    }
}

/// Opens a file.
///
/// The path is used exactly as given.
func openInput(_ path: String) throws(UnreadableFile) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // That initializer gives no reason. This one throws it.
    do {
        try FileHandle(forReadingFrom: URL(filePath: path)).close()
    } catch {
        throw UnreadableFile(FileProblem("cannot read", path, plain(error)), isMissing: isMissing(path))
    }
    throw UnreadableFile(FileProblem("cannot read \(ShownArgument(path))"))
}

/// Reads a file of at most `limit` bytes.
///
/// Of a longer file, only one byte more is read.
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

/// Returns whether there is no file of this name.
///
/// Nothing is opened, because a pipe can be opened only once.
func isMissing(_ path: String) -> Bool {
    guard !FileManager.default.fileExists(atPath: path) else { return false }
    // A token given as a path may be too long for a file name, for which the system reports another error.
    guard !ShownArgument(path).isWithheld else { return true }
    do {
        _ = try FileManager.default.attributesOfItem(atPath: path)
        return false
    } catch {
        guard let code = systemCode(of: error) else { return (error as? CocoaError)?.code == .fileReadNoSuchFile }
        return [.ENOENT, .ENOTDIR].contains(code)
    }
}

/// Returns an error with a short description, without the sentence that Foundation adds.
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

/// Returns the system's code for a file error; nil if there is none.
private func systemCode(of error: any Error) -> POSIXErrorCode? {
    let error = error as NSError
    let reason = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if reason.domain == NSPOSIXErrorDomain { return POSIXErrorCode(rawValue: Int32(reason.code)) }
    return nil
}

extension FileHandle {
    /// Writes a message to standard error.
    ///
    /// Tokens in it are replaced, whichever argument they come from.
    static func warn(_ text: String) {
        let shown = ShownArgument.withholdingTokens(in: text)
        try? standardError.write(contentsOf: Data("verify-token: \(shown)\n".utf8))
    }
}
#endif
