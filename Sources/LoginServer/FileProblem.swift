// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import Foundation

/// A file that could not be read or written.
package struct FileProblem: Error, CustomStringConvertible {
    package let description: String

    /// - Parameters:
    ///   - action: For example `cannot read`.
    ///   - path: The file.
    ///   - error: What the system says.
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

/// Opens a file by its path as it was given.
///
/// A `URL` strikes out `link/..` before the link is followed, and would open another file than the one named.
package func openFile(_ path: String) throws(FileProblem) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // That does not say why it cannot; this does.
    do {
        _ = try FileHandle(forReadingFrom: URL(filePath: path))
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    throw FileProblem("cannot read \(ShownArgument(path))")
}

extension FileHandle {
    /// Reads to the end, but no more than `limit` bytes.
    ///
    /// A pipe gives what it has, so one call is not enough.
    package func readToEnd(limit: Int) throws -> Data {
        var content = Data()
        while content.count < limit, let more = try read(upToCount: limit - content.count), !more.isEmpty {
            content.append(more)
        }
        return content
    }
}
