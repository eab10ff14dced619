// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

package import Foundation

/// An error about a file that cannot be read or written.
package struct FileProblem: Error, CustomStringConvertible {
    package let description: String

    /// Whether there is no such file, so that a retry would not help.
    package let isMissing: Bool

    /// Whether a file that was to be created exists, so that a retry would not help.
    package let isExisting: Bool

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - action: The action that failed, for example `cannot read`.
    ///   - path: The path of the file.
    ///   - error: The error of the system.
    package init(_ action: String, _ path: String, _ error: any Error) {
        let shown = ShownArgument(path)
        let reason = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError ?? error as NSError
        let code = reason.domain == NSPOSIXErrorDomain ? POSIXErrorCode(rawValue: Int32(reason.code)) : nil
        // A token in the place of a path may be too long for a file name.
        isMissing =
            code == .ENOENT || code == .ENOTDIR || (error as? CocoaError)?.code == .fileReadNoSuchFile
            || (code == .ENAMETOOLONG && shown.isWithheld)
        isExisting = code == .EEXIST || (error as? CocoaError)?.code == .fileWriteFileExists
        guard !shown.isWithheld else {
            description = "\(action) \(shown). \(ShownArgument.advice)"
            return
        }
        let words =
            switch code {
            case _ where isExisting: "a file of this name already exists"
            case .ENOENT, .ENOTDIR: "no such file"
            case .EACCES, .EPERM: "permission denied"
            case .EISDIR: "is a directory"
            // A socket, a terminal that the process does not have, or a device that the machine does not have.
            case .ENXIO: "is a socket or an unavailable device"
            default: reason.localizedDescription
            }
        description = "\(action) \(shown): \(words)"
    }

    /// Creates an error about the content of a file.
    ///
    /// - Parameter description: The message.
    package init(_ description: String) {
        self.description = description
        isMissing = false
        isExisting = false
    }
}

/// Opens a file.
///
/// The path is used exactly as given. A `URL` would remove `link/..` before the link is followed, and open another
/// file.
package func openFile(_ path: String) throws(FileProblem) -> FileHandle {
    if let handle = FileHandle(forReadingAtPath: path) { return handle }
    // That initializer gives no reason. This one throws it.
    do {
        try FileHandle(forReadingFrom: URL(filePath: path)).close()
    } catch {
        throw FileProblem("cannot read", path, error)
    }
    throw FileProblem("cannot read \(ShownArgument(path))")
}

extension FileHandle {
    /// Reads to the end, but at most `limit` bytes.
    ///
    /// A read from a pipe returns what is available, so one call is not enough.
    package func readToEnd(limit: Int) throws -> Data {
        var content = Data()
        while content.count < limit, let more = try read(upToCount: limit - content.count), !more.isEmpty {
            content.append(more)
        }
        return content
    }
}
