// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import NIOCore
internal import NIOPosix
internal import SystemPackage

public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A key store that saves key sets in files of a private directory.
///
/// Anyone who can write to the directory decides whose tokens are accepted. Therefore the directory and each file must
/// belong to the user of the process, be inaccessible to others (modes `0700` and `0600`), and not be a symbolic link.
/// Anything else is rejected with an error that names the fix. A missing directory is created. Its parent directory
/// must exist and is not checked: choose one to which no other user can write.
///
/// Several processes of one user can share a directory: files are replaced atomically, never written in place.
public struct KeyDirectory: KeyStore {
    /// The path, as passed to the initializer.
    public let path: String

    private let wallClock: any WallClock

    /// Creates a store, without reading or writing anything.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - wallClock: The clock for the check that stored keys are not from the future.
    public init(path: String, wallClock: any WallClock = .system) {
        self.path = path
        self.wallClock = wallClock
    }

    /// Returns the stored key set of an issuer.
    ///
    /// - Parameter issuer: The issuer, as passed to the cache.
    /// - Returns: The key set; nil if the file or the directory does not exist.
    /// - Throws: ``KeyStoreError`` if the directory or the file is accessible to others or belongs to another user; if
    ///   the file is malformed, belongs to another issuer, or is from the future.
    public func load(_ issuer: String) async throws(KeyStoreError) -> KeptKeySet? {
        let name = KeyDirectoryEntry.fileName(of: issuer)
        do {
            let files = try KeyDirectoryFiles(path)
            guard let content = try await files.read(name) else { return nil }
            return try KeyDirectoryEntry.decode(content, issuer: issuer, now: wallClock.now)
        } catch {
            throw Self.error(error, path + "/" + name)
        }
    }

    /// Stores the key set of an issuer, in place of an earlier one.
    ///
    /// The replacement is atomic: after a crash, the next load returns the old key set or the new one.
    ///
    /// - Parameter kept: The key set, with the URL and the time of its fetch.
    /// - Throws: ``KeyStoreError`` if the directory is accessible to others or belongs to another user, or if the file
    ///   cannot be written.
    public func save(_ kept: KeptKeySet) async throws(KeyStoreError) {
        let name = KeyDirectoryEntry.fileName(of: kept.issuer)
        do {
            let files = try KeyDirectoryFiles(path)
            let content = try KeyDirectoryEntry.encode(kept)
            try await files.prepare()
            await files.removeLeftovers(olderThan: wallClock.now.addingTimeInterval(-3600))
            try await files.replace(name, with: content)
        } catch {
            throw Self.error(error, path + "/" + name)
        }
    }

    /// Throws an error if the directory exists and is not private.
    package func check() async throws(KeyStoreError) {
        do {
            try await KeyDirectoryFiles(path).check()
        } catch {
            throw Self.error(error, path)
        }
    }

    /// Returns an error that names the path, for the operator.
    private static func error(_ error: any Error, _ path: String) -> KeyStoreError {
        let reason =
            switch error {
            case let error as KeyStoreError: error.description
            case let error as Errno: error.description
            case let error as IOError: Errno(rawValue: error.errnoCode).description
            default: "\(type(of: error))"
            }
        return KeyStoreError(
            "\(oneLine(path, limit: Limits.urlBytes)): \(oneLine(reason, limit: 4 * Limits.quotedCharacters))"
        )
    }
}
#endif
