// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import Foundation

/// A file that could not be read or written.
package struct FileProblem: Error, CustomStringConvertible {
    package let description: String

    /// Creates a problem with a file.
    ///
    /// - Parameters:
    ///   - action: The failed action, for example `cannot read`.
    ///   - path: The path of the file.
    ///   - error: The error of the system.
    package init(_ action: String, _ path: String, _ error: any Error) {
        let shown = ShownArgument(path)
        guard !shown.isWithheld else {
            description = "\(action) \(shown). \(ShownArgument.advice)"
            return
        }
        let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        description = "\(action) \(shown): \((reason ?? error as NSError).localizedDescription)"
    }

    package init(_ description: String) {
        self.description = description
    }
}

/// Opens a file by its path, unchanged.
///
/// A `URL` removes `link/..` before the link is resolved, and could open a different file.
package func openFile(_ path: String) throws(FileProblem) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // The first initialiser gives no reason; this one throws it.
    do {
        _ = try FileHandle(forReadingFrom: URL(filePath: path))
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    throw FileProblem("cannot read \(ShownArgument(path))")
}

extension FileHandle {
    /// Reads to the end of the file, but at most `limit` bytes.
    ///
    /// A read from a pipe returns the bytes that are available, so one call is not enough.
    package func readToEnd(limit: Int) throws -> Data {
        var content = Data()
        while content.count < limit, let more = try read(upToCount: limit - content.count), !more.isEmpty {
            content.append(more)
        }
        return content
    }
}
