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

/// The preparation of the file before SQLite opens it: SQLite would apply the umask to a new file, and follow a
/// symbolic link.
enum SQLiteFile {
    private typealias Descriptor = SystemPackage.FileDescriptor

    /// The suffixes of the files that SQLite keeps beside an open one: the log, and its index, which is also where
    /// processes lock.
    static let companions = ["-wal", "-shm"]

    /// Creates the file if it does not exist, and checks it if it does.
    ///
    /// - Returns: Its absolute path.
    static func prepared(_ path: String) throws(StoreError) -> String {
        let file = try absolute(path)
        do {
            try make(file)
        } catch let error as Errno where error == .fileExists {
            try examine(file)
        } catch {
            throw StoreError(.unavailable, "the account database cannot be created: \(error)")
        }
        // SQLite creates them with the permissions of the file, but another program may have put them there.
        for suffix in companions {
            // They are deleted when the last process closes the file, which may happen concurrently.
            guard let stat = try? FilePath(file.string + suffix).stat(followTargetSymlink: false) else { continue }
            try check(stat, "the file of accounts that ends in \(suffix)")
        }
        return file.string
    }

    /// Creates a file, which must not exist.
    ///
    /// - Returns: Its absolute path.
    static func new(_ path: String) throws(StoreError) -> String {
        let file = try absolute(path)
        do {
            try make(file)
        } catch let error as Errno {
            throw StoreError(.unavailable, "the copy cannot be created: \(error)")
        } catch {
            throw StoreError(.unavailable, "the copy cannot be created")
        }
        return file.string
    }

    /// The file at a path, whatever its name: its device and inode.
    struct Identity: Hashable {
        private let device: DeviceID
        private let inode: Inode

        /// Returns nil if there is no file, or an empty one, in which SQLite stores nothing.
        init?(ofFileAt path: String) {
            self.init(path, isAnySize: false)
        }

        /// Returns nil if the database has no file with a suffix, `-wal` or `-shm`.
        ///
        /// SQLite may empty such a file, but does not delete it before the last connection closes.
        init?(of suffix: String, besideFileAt path: String) {
            self.init(path + suffix, isAnySize: true)
        }

        private init?(_ path: String, isAnySize: Bool) {
            guard let stat = try? FilePath(path).stat(followTargetSymlink: false), isAnySize || stat.size > 0 else {
                return nil
            }
            (device, inode) = (stat.deviceID, stat.inode)
        }
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Returns the absolute path, which is never one of SQLite's special names, such as `:memory:` or `file:`.
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

    /// Refuses a file that other users could have written, or can read.
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
