// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOCore
internal import NIOPosix
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

/// A file descriptor; NIO declares a protocol named `FileDescriptor`.
private typealias Descriptor = SystemPackage.FileDescriptor

/// The files of a private directory, which are read completely and replaced atomically.
///
/// Blocking calls run on a thread pool. They are not cancelled halfway: a file is either finished or removed.
struct KeyDirectoryFiles {
    private let directory: FilePath
    private let pool = NIOThreadPool.singleton
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()

    private var io: NonBlockingFileIO { NonBlockingFileIO(threadPool: pool) }

    /// Creates the access to a directory.
    ///
    /// - Throws: ``KeyStoreError`` if the path is empty or contains a null byte.
    init(_ path: String) throws(KeyStoreError) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw KeyStoreError("the path is empty, or contains a NUL") }
        // `FilePath` removes a trailing slash, which would follow a symbolic link.
        directory = FilePath(path)
    }

    /// Creates the directory if it does not exist.
    func prepare() async throws {
        do {
            try await io.createDirectory(path: directory.string, mode: 0o700, eventLoop: eventLoop).get()
        } catch let error as IOError where error.errnoCode == EEXIST {
            // An existing directory is examined before each use.
        }
    }

    /// Examines the directory if it exists.
    func check() async throws {
        let directory = directory
        try await onPool {
            do {
                try Self.examine(directory)
            } catch let error as Errno where error == .noSuchFileOrDirectory {
                return
            }
        }
    }

    /// Returns the content of a file.
    ///
    /// - Returns: The content; nil if the file or the directory does not exist.
    func read(_ name: String) async throws -> [UInt8]? {
        let directory = directory
        let opened = try await onPool { try Self.open(name, in: directory) }
        guard let opened else { return nil }
        let handle = NIOFileHandle(_deprecatedTakingOwnershipOfDescriptor: opened.descriptor.rawValue)
        let content = await result(
            // One byte more than the size detects a file that grows.
            of: io.read(
                fileHandle: handle,
                fromOffset: 0,
                byteCount: opened.size + 1,
                allocator: ByteBufferAllocator(),
                eventLoop: eventLoop
            )
        )
        try handle.close()
        let bytes = try Array(content.get().readableBytesView)
        guard bytes.count == opened.size else { throw KeyStoreError("it changed while it was read") }
        return bytes
    }

    /// Writes a temporary file, and renames it to the final name when its content is on disk.
    func replace(_ name: String, with content: [UInt8]) async throws {
        let directory = directory
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        let temporary = directory.appending(".\(name).\(random)\(Self.leftoverSuffix)")
        try await onPool {
            try Self.examine(directory)
            try Self.write(content, to: temporary)
        }
        do {
            try await io.rename(path: temporary.string, newName: directory.appending(name).string, eventLoop: eventLoop)
                .get()
        } catch {
            await remove(temporary)
            throw error
        }
        // A rename is durable only when the directory is on disk too.
        try await onPool {
            let descriptor = try Descriptor.open(
                directory,
                .readOnly,
                options: [.directory, .noFollow, .closeOnExec]
            )
            try descriptor.closeAfter { try Self.synchronize(descriptor) }
        }
    }

    /// Removes the temporary files of killed processes, as far as possible.
    func removeLeftovers(olderThan limit: Date) async {
        let directory = directory
        let names = try? await onPool {
            try Self.examine(directory)
            return try FileManager.default.contentsOfDirectory(atPath: directory.string).filter { name in
                guard Self.isLeftover(name) else { return false }
                let stat = try directory.appending(name).stat(followTargetSymlink: false)
                return Double(stat.st_mtim.tv_sec) < limit.timeIntervalSince1970
            }
        }
        for name in names ?? [] { await remove(directory.appending(name)) }
    }

    private static let leftoverSuffix = ".tmp"

    /// Returns whether a name is that of a temporary file of ``replace(_:with:)``.
    ///
    /// It consists of `.`, the name of the file, and a random number before the suffix.
    private static func isLeftover(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[2] == "json", "." + parts[4] == leftoverSuffix else {
            return false
        }
        let isHexadecimal = (parts[1] + parts[3]).utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
        }
        return isHexadecimal && parts[1].utf8.count == 64 && (1...16).contains(parts[3].utf8.count)
    }

    private func remove(_ path: FilePath) async {
        _ = await result(of: io.unlink(path: path.string, eventLoop: eventLoop))
    }

    private func onPool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await pool.runIfActive(eventLoop: eventLoop, body).get()
    }

    private func result<Value: Sendable>(of future: EventLoopFuture<Value>) async -> Result<Value, any Error> {
        do {
            return .success(try await future.get())
        } catch {
            return .failure(error)
        }
    }
}

extension KeyDirectoryFiles {
    /// Opens a file, and verifies that only this user can have written it; nil if it does not exist.
    private static func open(_ name: String, in directory: FilePath) throws -> (descriptor: Descriptor, size: Int)? {
        let descriptor: Descriptor
        do {
            try examine(directory)
            // Without `nonBlocking`, opening a FIFO would wait for a writer.
            let options: Descriptor.OpenOptions = [.noFollow, .nonBlocking, .closeOnExec]
            descriptor = try Descriptor.open(directory.appending(name), .readOnly, options: options)
        } catch let error as Errno where error == .noSuchFileOrDirectory {
            return nil
        } catch let error as Errno where error == .tooManySymbolicLinkLevels {
            throw KeyStoreError("it is a symbolic link: remove it")
        }
        do {
            return (descriptor, try size(of: descriptor))
        } catch {
            try descriptor.close()
            throw error
        }
    }

    /// Returns the size of a file, and verifies that only this user can have written it.
    private static func size(of descriptor: Descriptor) throws -> Int {
        let stat = try descriptor.stat()
        guard stat.type == .regular else { throw KeyStoreError("it is not a regular file: remove it") }
        try examineOwner(of: stat, mode: "600")
        // A file that was replaced after it was opened has no links, and is still complete.
        guard stat.linkCount <= 1 else { throw KeyStoreError("it has another hard link: remove it") }
        guard stat.size <= KeyDirectoryEntry.bytes else {
            throw KeyStoreError("it has more than \(KeyDirectoryEntry.bytes) bytes")
        }
        return Int(stat.size)
    }

    /// Throws an error if other users can access the directory, or own it.
    private static func examine(_ directory: FilePath) throws {
        let stat = try directory.stat(followTargetSymlink: false)
        guard stat.type != .symbolicLink else {
            throw KeyStoreError("the directory is a symbolic link: specify its target instead")
        }
        guard stat.type == .directory else { throw KeyStoreError("its parent is not a directory") }
        try examineOwner(of: stat, mode: "700")
    }

    private static func examineOwner(of stat: Stat, mode: String) throws {
        let subject = stat.type == .directory ? "the directory" : "it"
        guard stat.userID.rawValue == geteuid() else {
            throw KeyStoreError(
                "\(subject) belongs to user \(stat.userID.rawValue), not to user \(geteuid()): run chown on it"
            )
        }
        guard stat.permissions.rawValue & 0o077 == 0 else {
            let permissions = String(stat.permissions.rawValue & 0o777, radix: 8)
            throw KeyStoreError(
                "\(subject) is accessible to other users (mode \(permissions)): run chmod \(mode) on it"
            )
        }
    }

    private static func write(_ content: [UInt8], to path: FilePath) throws {
        let descriptor = try Descriptor.open(
            path,
            .writeOnly,
            options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
            permissions: [.ownerRead, .ownerWrite]
        )
        do {
            try descriptor.closeAfter {
                try descriptor.writeAll(content)
                try synchronize(descriptor)
            }
        } catch {
            try FileManager.default.removeItem(atPath: path.string)
            throw error
        }
    }

    /// Flushes the written data to disk.
    private static func synchronize(_ descriptor: Descriptor) throws {
        while fsync(descriptor.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}
#endif
