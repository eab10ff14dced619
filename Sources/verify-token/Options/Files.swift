// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import ArgumentParser
internal import Foundation
internal import LoginServer
internal import LoginText
internal import LoginTokens

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

extension FileProblem {
    /// The exit status for the error.
    ///
    /// A missing file, or an existing one that was to be created, is a usage error, because a retry, which status 2
    /// suggests, would not help.
    var status: ExitCode { isMissing || isExisting ? .validationFailure : .undecided }
}

/// Reads a file of at most `limit` bytes.
///
/// Of a longer file, only one byte more is read. With `isPrivate`, other users must not have access to it.
func readFile(_ path: String, limit: Int, isPrivate: Bool = false) throws(FileProblem) -> Data {
    let handle = try openFile(path)
    guard !isPrivate || Descriptor(number: handle.fileDescriptor).isPrivate else {
        throw FileProblem("other users have access to \(ShownArgument(path)); set its mode to 0600")
    }
    let content: Data
    do {
        content = try handle.readToEnd(limit: limit + 1)
        try handle.close()
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    guard content.count <= limit else {
        throw FileProblem("\(ShownArgument(path)) has more than \(limit) bytes")
    }
    return content
}

/// Reads a secret of at most 1 KiB and one line, without one line break at its end.
func readSecret(_ path: String, isPrivate: Bool = false) throws(FileProblem) -> String {
    let content = try readFile(path, limit: 1024, isPrivate: isPrivate)
    guard let text = String(validating: content, as: UTF8.self) else {
        throw FileProblem("\(ShownArgument(path)) is not UTF-8")
    }
    do throws(SecretLine.Fault) {
        return try SecretLine(text).text
    } catch {
        throw FileProblem("cannot use \(ShownArgument(path)): \(error)")
    }
}

/// Reads a file with one token or authorization code, without one line break at its end.
///
/// Characters that no access token, code or proof can have are an error in the file (RFC 6749 §A.11, §A.12). Hashing
/// them would make a valid token look forged.
func readCredential(_ path: String) throws(FileProblem) -> String {
    var content = try readFile(path, limit: TokenLimits.largest.tokenBytes + 2)[...]
    if content.last == UInt8(ascii: "\n") { content = content.dropLast() }
    if content.last == UInt8(ascii: "\r") { content = content.dropLast() }
    guard !content.isEmpty else { throw FileProblem("\(ShownArgument(path)) is empty") }
    guard content.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw FileProblem("\(ShownArgument(path)) is not one line of printable ASCII")
    }
    return String(decoding: content, as: UTF8.self)
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
