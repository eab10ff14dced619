// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if SQLite
internal import LoginAccounts
internal import SystemPackage

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The file, before SQLite opens it: SQLite would make it readable to whom the umask lets, and follow a link.
enum SQLiteFile {
    private typealias Descriptor = SystemPackage.FileDescriptor

    /// Makes the file if it does not exist, and examines it if it does.
    ///
    /// - Returns: Its path, absolute.
    static func prepared(_ path: String) throws(StoreError) -> String {
        let file = try absolute(path)
        do {
            try make(file)
        } catch let error as Errno where error == .fileExists {
            try examine(file)
        } catch {
            throw StoreError(.unavailable, "the file of accounts cannot be made: \(error)")
        }
        // SQLite makes them as it finds the file, but somebody may have copied or put them there.
        for suffix in ["-wal", "-shm"] {
            // They go when the last process closes the file, which may be just now.
            guard let stat = try? FilePath(file.string + suffix).stat(followTargetSymlink: false) else { continue }
            try check(stat, "the file of accounts that ends in \(suffix)")
        }
        return file.string
    }

    /// Makes a file that did not exist.
    ///
    /// - Returns: Its path, absolute.
    static func new(_ path: String) throws(StoreError) -> String {
        let file = try absolute(path)
        do {
            try make(file)
        } catch let error as Errno {
            throw StoreError(.unavailable, "the copy cannot be made: \(error)")
        } catch {
            throw StoreError(.unavailable, "the copy cannot be made")
        }
        return file.string
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// An absolute path is never taken for a name that means something to SQLite, as `:memory:` or `file:` do.
    private static func absolute(_ path: String) throws(StoreError) -> FilePath {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw StoreError(.unavailable, "not a path") }
        let file = FilePath(path)
        return file.isAbsolute ? file : FilePath(FileManager.default.currentDirectoryPath).pushing(file)
    }

    private static func make(_ file: FilePath) throws {
        try Descriptor.open(
            file,
            .readWrite,
            options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: .ownerReadWrite
        ).close()
    }

    private static func examine(_ file: FilePath) throws(StoreError) {
        let stat: Stat
        do {
            stat = try file.stat(followTargetSymlink: false)
        } catch {
            throw StoreError(.unavailable, "the file of accounts cannot be opened: \(error)")
        }
        try check(stat, "the file of accounts")
    }

    /// Refuses a file that others could have written, or can read.
    private static func check(_ stat: Stat, _ name: String) throws(StoreError) {
        guard stat.type != .symbolicLink else {
            throw StoreError(.unavailable, "\(name) is a symbolic link: give the path it leads to")
        }
        guard stat.type == .regular else { throw StoreError(.unavailable, "\(name) is no regular file") }
        guard stat.userID.rawValue == geteuid() else {
            throw StoreError(.unavailable, "\(name) belongs to another user: run chown on it")
        }
        guard stat.permissions.rawValue & 0o077 == 0 else {
            throw StoreError(.unavailable, "\(name) is open to others: run chmod 600 on it")
        }
    }
}
#endif
