// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file that only its owner can read and write, and that is replaced atomically.
///
/// A symbolic link is refused, and so is a file that belongs to another user, that others can read or write, or that is
/// too long. The opened file is checked, not the path, which may lead to another file by then.
package struct PrivateFile: Sendable {
    /// The reason why a file cannot be used.
    package enum Fault: Error, Sendable, Hashable {
        /// Other users could replace the file in its directory.
        case directoryNotPrivate
        /// The file is a symbolic link or no regular file, belongs to another user, or is open to others.
        case notPrivate
        /// The content is longer than the limit.
        case tooLong
        /// The file exists, but cannot be read.
        case unreadable
        /// The file cannot be created, replaced or deleted.
        case unwritable
    }

    private let path: String
    private let limit: Int

    /// Creates a value for the file at a path, which is used exactly as given.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - limit: The maximum size of the file in bytes.
    package init(_ path: String, limit: Int) {
        self.path = path
        self.limit = limit
    }

    /// Returns the content; nil if there is no file.
    package func contents() throws(Fault) -> [UInt8]? {
        do throws(CheckedFile.Fault) { return try checked.contents() } catch { return try Self.nilIfMissing(error) }
    }

    /// Checks the file if there is one.
    package func check() throws(Fault) {
        do throws(CheckedFile.Fault) { try checked.check() } catch { _ = try Self.nilIfMissing(error) }
    }

    /// Replaces the file, or creates it.
    ///
    /// An interrupted call leaves the earlier content intact.
    package func replace(with content: [UInt8]) throws(Fault) {
        guard content.count <= limit else { throw .tooLong }
        let (number, temporary) = try newFile()
        defer { _ = unsafe unlink(temporary) }
        var rest = content[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        // A power loss must not leave an empty file.
        let isWritten = rest.isEmpty && fsync(number) == 0
        guard close(number) == 0, isWritten, unsafe rename(temporary, path) == 0 else { throw .unwritable }
    }

    /// Deletes the file if there is one, whatever it contains.
    package func remove() throws(Fault) {
        try check()
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unwritable }
    }

    /// Creates the directory of the file with mode 0700 if it is missing, and checks that the file can be stored there.
    ///
    /// The directory must belong to this user or to root, and others may write to it only if it has the sticky bit, like
    /// `/tmp`.
    package func prepareDirectory() throws(Fault) {
        guard !path.isEmpty else { throw .unwritable }
        // A `~` that was not expanded must not become the name of a directory. If the creation fails, the directory
        // exists, or the next check fails.
        if directory != "~" { _ = unsafe mkdir(directory, 0o700) }
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { throw .unwritable }
        // With the sticky bit, a file can only be replaced by its owner, and by the owner of the directory.
        guard status.st_uid == geteuid() || status.st_uid == 0,
            status.st_mode & 0o022 == 0 || status.st_mode & 0o1000 != 0
        else { throw .directoryNotPrivate }
        try check()
        let (number, temporary) = try newFile()
        close(number)
        guard unsafe unlink(temporary) == 0 else { throw .unwritable }
    }

    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The file for reading, with the checks.
    private var checked: CheckedFile { CheckedFile(path, limit: limit, access: .none) }

    /// Returns nil for a file that does not exist; throws the other faults.
    private static func nilIfMissing(_ fault: CheckedFile.Fault) throws(Fault) -> [UInt8]? {
        switch fault {
        case .missing: return nil
        case .link, .notRegular, .ofOtherUser, .openToOthers: throw .notPrivate
        case .unreadable: throw .unreadable
        case .tooLong: throw .tooLong
        }
    }

    /// Creates an empty file in the same directory, which is private before it has content.
    private func newFile() throws(Fault) -> (number: Int32, path: String) {
        let temporary = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 16))"
        let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .unwritable }
        return (number, temporary)
    }
}
