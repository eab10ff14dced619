// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A regular file that is read only if no other user can write it now.
///
/// Its directory is not checked. The opened file is checked, not the path, which may lead to another file by then.
package struct CheckedFile: Sendable {
    /// The access to a file that other users may have.
    package enum Access: Sendable {
        /// No access: the file belongs to this process's user, only its owner can read and write it, and the path is
        /// not a symbolic link.
        case none
        /// Reading: the file belongs to this process's user or to root, and only its owner can write it. Symbolic links
        /// are followed, since Kubernetes replaces mounted files with them.
        case reading
    }

    /// The reason why a file cannot be read.
    package enum Fault: Error, Sendable, Hashable {
        /// There is no file.
        case missing
        /// The path is a symbolic link, or leads through too many.
        case link
        /// The file cannot be opened or read.
        case unreadable
        /// The file is a directory, a pipe or another object.
        case notRegular
        /// The file belongs to another user.
        case ofOtherUser
        /// Other users have more access than they may.
        case openToOthers
        /// The content is longer than the limit.
        case tooLong
    }

    private let path: String
    private let limit: Int
    private let access: Access

    /// Creates a value for the file at a path, without reading it.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum size of the file in bytes.
    ///   - access: The access that other users may have.
    package init(_ path: String, limit: Int, access: Access) {
        self.path = path
        self.limit = limit
        self.access = access
    }

    /// Returns the content.
    ///
    /// - Throws: ``Fault``.
    package func contents() throws(Fault) -> [UInt8] {
        let number = try opened()
        defer { close(number) }
        var content: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 * 1024)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable }
            guard count > 0 else { return content }
            content += chunk.prefix(count)
            // The file may have grown since its size was read.
            guard content.count <= limit else { throw .tooLong }
        }
    }

    /// Checks the file without reading it.
    ///
    /// - Throws: ``Fault``.
    package func check() throws(Fault) {
        close(try opened())
    }

    /// Opens the file for reading, and checks it.
    ///
    /// - Returns: The file descriptor, which the caller closes.
    private func opened() throws(Fault) -> Int32 {
        let links = access == .none ? O_NOFOLLOW : 0
        // A pipe without a writer must not block.
        let number = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | links)
        guard number >= 0 else {
            switch errno {
            case ENOENT: throw .missing
            case ELOOP: throw .link
            default: throw .unreadable
            }
        }
        var status = stat()
        let isKnown = unsafe fstat(number, &status) == 0
        guard let found = isKnown ? fault(of: status) : .unreadable else { return number }
        close(number)
        throw found
    }

    private func fault(of status: stat) -> Fault? {
        guard status.st_mode & S_IFMT == S_IFREG else { return .notRegular }
        return Self.accessFault(of: status, access) ?? (status.st_size <= limit ? nil : .tooLong)
    }

    private static func accessFault(of status: stat, _ access: Access) -> Fault? {
        let mayBelongToRoot = access == .reading
        guard status.st_uid == geteuid() || (mayBelongToRoot && status.st_uid == 0) else { return .ofOtherUser }
        return status.st_mode & (access == .none ? 0o077 : 0o022) == 0 ? nil : .openToOthers
    }

    /// Checks who has access to an opened file, which may also be a pipe.
    ///
    /// - Parameters:
    ///   - number: The file descriptor.
    ///   - access: The access that other users may have.
    /// - Throws: ``Fault``: `unreadable`, `ofOtherUser`, `openToOthers`.
    package static func checkAccess(to number: Int32, _ access: Access) throws(Fault) {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .unreadable }
        if let fault = accessFault(of: status, access) { throw fault }
    }
}
