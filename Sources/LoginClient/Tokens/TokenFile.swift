// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A token cache in a file that only its owner can read: JSON, mode 0600.
///
/// The file is replaced atomically, so that an interrupted write leaves the previous tokens intact. A file that others
/// can read or write, a symbolic link, and a file that is too long are refused. Put it into a directory in which only
/// its owner can create files, for example `~/.config/mytool`.
public struct TokenFile: TokenCachingStrategy {
    private let path: String

    /// Creates a token cache on a file.
    ///
    /// - Parameter path: The path of the file. Its directory must exist; the file is created with the first tokens.
    public init(path: String) { self.path = path }

    /// Stores tokens.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: `CocoaError` if the file is refused or cannot be written.
    public func cache(_ tokens: CachedTokens) async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        let content = try encoder.encode(tokens)
        let files = FileManager.default
        let temporary = "\(path).\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: temporary) }
        // The file is private before it has content.
        guard files.createFile(atPath: temporary, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteNoPermission)
        }
        try content.write(to: URL(filePath: temporary))
        _ = try isThere()
        // FileManager cannot replace a file atomically on Linux.
        guard unsafe rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens; nil if there is no file.
    /// - Throws: `CocoaError` if the file is refused or cannot be read; `DecodingError` if it contains something else.
    public func fetch() async throws -> CachedTokens? {
        guard try isThere() else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(CachedTokens.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Deletes the file.
    ///
    /// - Throws: `CocoaError` if the file is refused or cannot be deleted.
    public func clear() async throws {
        guard try isThere() else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Whether the file exists, after a check of its type, its mode and its size.
    private func isThere() throws -> Bool {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return false
        }
        let mode = attributes[.posixPermissions] as? Int ?? (attributes[.posixPermissions] as? UInt).map { Int($0) }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let mode, mode & 0o077 == 0 else {
            throw CocoaError(.fileReadNoPermission)
        }
        let size = attributes[.size] as? UInt64 ?? (attributes[.size] as? UInt).map { UInt64($0) }
        guard let size, size <= Self.maximumSize else { throw CocoaError(.fileReadTooLarge) }
        return true
    }

    /// Two tokens of 100 characters, three times, and up to a thousand names of permissions.
    private static let maximumSize: UInt64 = 65_536
}
