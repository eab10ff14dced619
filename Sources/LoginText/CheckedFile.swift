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

    /// The kind of an object that is no regular file.
    package enum Kind: String, Sendable, Hashable {
        case directory, pipe, device, socket
        /// Another kind, which the system may have.
        case other = "special file"
    }

    /// The reason why a file cannot be read.
    package enum Fault: Error, Sendable, Hashable {
        /// There is no file.
        case missing
        /// The path is a symbolic link, or leads through too many.
        case link
        /// The file cannot be opened or read.
        case unreadable
        /// The path leads to a directory, a pipe or another object.
        case notRegular(Kind)
        /// The file belongs to another user.
        case ofOtherUser
        /// Other users have more access than they may.
        case openToOthers(Access)
        /// The content has more bytes than the limit.
        case tooLong(limit: Int)
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
            guard content.count <= limit else { throw .tooLong(limit: limit) }
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
        do throws(Fault) {
            let status = try Self.status(of: number)
            if let kind = Self.kind(of: status) { throw .notRegular(kind) }
            try Self.checkAccess(of: status, access)
            guard status.st_size <= limit else { throw .tooLong(limit: limit) }
            return number
        } catch {
            close(number)
            throw error
        }
    }
}

extension CheckedFile {
    /// Checks an opened regular file or pipe: who has access to it.
    ///
    /// The owner and the mode of a device mean nothing for what is read from it, so it is refused as what it is.
    ///
    /// - Parameters:
    ///   - number: The file descriptor.
    ///   - access: The access that other users may have.
    /// - Throws: ``Fault``: `unreadable`, `notRegular`, `ofOtherUser`, `openToOthers`.
    package static func checkFileOrPipe(_ number: Int32, _ access: Access) throws(Fault) {
        let status = try status(of: number)
        if let kind = kind(of: status), kind != .pipe { throw .notRegular(kind) }
        try checkAccess(of: status, access)
    }

    /// Returns the fault in the owner and the mode of a file.
    ///
    /// - Parameters:
    ///   - owner: The ID of the user to whom the file belongs.
    ///   - mode: The permission bits of the file.
    ///   - user: The ID of the user of the process.
    ///   - access: The access that other users may have.
    /// - Returns: `ofOtherUser` or `openToOthers`; nil if there is none.
    package static func accessFault(owner: UInt32, mode: UInt32, user: UInt32, _ access: Access) -> Fault? {
        let mayBelongToRoot = access == .reading
        guard owner == user || (mayBelongToRoot && owner == 0) else { return .ofOtherUser }
        return mode & (access == .none ? 0o077 : 0o022) == 0 ? nil : .openToOthers(access)
    }

    private static func checkAccess(of status: stat, _ access: Access) throws(Fault) {
        let mode = UInt32(status.st_mode)
        if let fault = accessFault(owner: status.st_uid, mode: mode, user: geteuid(), access) { throw fault }
    }

    private static func status(of number: Int32) throws(Fault) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .unreadable }
        return status
    }

    /// Returns the kind of an object; nil for a regular file.
    private static func kind(of status: stat) -> Kind? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: .directory
        case S_IFIFO: .pipe
        case S_IFCHR, S_IFBLK: .device
        case S_IFSOCK: .socket
        default: .other
        }
    }
}

extension CheckedFile.Fault: CustomStringConvertible {
    /// The reason and the remedy, which follow the name of the file in a sentence.
    package var description: String {
        switch self {
        case .missing: "does not exist"
        case .link: "is a symbolic link, or leads through too many of them"
        case .unreadable: "cannot be read"
        case .notRegular(let kind): "is a \(kind.rawValue), not a regular file"
        case .ofOtherUser: "belongs to another user; give it to the user of this process, or to root"
        case .openToOthers(.none): "can be read or written by others than its owner; set its mode to 0600"
        case .openToOthers(.reading): "can be written by others than its owner; set its mode to 0644"
        case .tooLong(let limit): "has more than \(limit) bytes"
        }
    }
}
