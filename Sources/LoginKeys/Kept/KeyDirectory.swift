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

/// Keeps keys in files of a directory that nobody else may enter.
///
/// Whoever can write there decides whose tokens are accepted. Therefore the directory and each file must belong to the user
/// that the process runs as, be open to nobody else (modes `0700` and `0600`), and be no symbolic link; anything else is
/// refused, and the error says how to mend it. A directory that does not exist is made. The one above it must exist, and
/// is not looked at: choose one that nobody else may write to.
///
/// Several processes of one user can share a directory: a file is replaced as a whole, never written in place.
public struct KeyDirectory: KeyStore {
    /// The path, as it was given.
    public let path: String

    private let wallClock: any WallClock

    /// A directory; nothing is read or written yet.
    ///
    /// - Parameters:
    ///   - path: The path of the directory.
    ///   - wallClock: Tells the time. Keys from the future are refused.
    public init(path: String, wallClock: any WallClock = .system) {
        self.path = path
        self.wallClock = wallClock
    }

    /// What was kept for an issuer.
    ///
    /// - Parameter issuer: The issuer, as it was given to the cache.
    /// - Returns: What was kept; nil if there is no file, or no directory.
    /// - Throws: ``KeyStoreError`` if the directory or the file is open to others, belongs to another user, or is not what this
    ///   type writes; if the file is another issuer's, or from the future.
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

    /// Keeps the keys of an issuer, in place of those kept before.
    ///
    /// Whatever happens half-way, the next load gives the old ones or the new.
    ///
    /// - Parameter kept: The keys, and where and when they were fetched.
    /// - Throws: ``KeyStoreError`` if the directory is open to others, or belongs to another user, or the file cannot be written.
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

    /// Finds out whether the directory can be trusted, where there is one: before anybody relies on it.
    package func check() async throws(KeyStoreError) {
        do {
            try await KeyDirectoryFiles(path).check()
        } catch {
            throw Self.error(error, path)
        }
    }

    /// An error with the path it is about, for the operator.
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
