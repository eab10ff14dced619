// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
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
        let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        description = "\(action) \(quoted(path)): \((reason ?? error as NSError).localizedDescription)"
    }

    init(_ description: String) {
        self.description = description
    }
}

/// Reads a file of at most `limit` bytes, and of a longer one no more than that.
func readFile(_ path: String, limit: Int) throws(FileProblem) -> Data {
    let handle: FileHandle
    do {
        handle = try FileHandle(forReadingFrom: URL(filePath: path))
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    let content: Data
    do {
        content = try handle.readToEnd(limit: limit + 1)
        try handle.close()
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    guard content.count <= limit else { throw FileProblem("\(quoted(path)) has more than \(limit) bytes") }
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
    static func warn(_ text: String) {
        try? standardError.write(contentsOf: Data("verify-token: \(text)\n".utf8))
    }
}
#endif
