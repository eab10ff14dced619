// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A token cache in a file that only its owner can read, and only with a key: AES-256-GCM, mode 0600.
///
/// The file has a directory of its own with mode 0700, because a file that replaces another is briefly readable by
/// others. It is replaced atomically, so that an interrupted write leaves the previous tokens intact.
public struct TokenFile: TokenCachingStrategy {
    private let directory: String
    private let path: String
    private let key: SealingKey

    /// Creates a token cache on a file.
    ///
    /// - Parameters:
    ///   - directory: The directory of the file. It is created if it is missing, and must be accessible only to its
    ///     owner.
    ///   - key: 32 random bytes. Keep them elsewhere.
    public init(directory: String, key: [UInt8]) {
        self.directory = directory
        path = directory + "/session-tokens"
        self.key = SealingKey(key)
    }

    /// Encrypts and stores tokens.
    public func cache(_ tokens: SessionTokens) async throws {
        let milliseconds = StoreTime(tokens.expiresAt).milliseconds
        let lines = [tokens.sessionToken, tokens.refreshToken, "\(milliseconds)"]
        let sealed = key.seal(Array(lines.joined(separator: "\n").utf8), context: Self.context)
        let files = FileManager.default
        if try attributes(of: directory) == nil {
            try files.createDirectory(
                at: URL(filePath: directory),
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        _ = try isThere()
        try Data(sealed).write(to: URL(filePath: path), options: .atomic)
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Returns the stored tokens; nil if there are none, or if they were encrypted with another key.
    public func fetch() async throws -> SessionTokens? {
        guard try isThere() else { return nil }
        let sealed = Array(try Data(contentsOf: URL(filePath: path)))
        guard let opened = key.open(sealed, context: Self.context) else { return nil }
        let lines = opened.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
        guard lines.count == 3, let milliseconds = Int64(lines[2]) else { return nil }
        return SessionTokens(
            sessionToken: lines[0],
            refreshToken: lines[1],
            expiresAt: StoreTime(milliseconds: milliseconds).date
        )
    }

    /// Deletes the file.
    public func clear() async throws {
        guard try isThere() else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Whether the file exists.
    ///
    /// It first checks the type and the mode of the directory, and the type and the size of the file.
    private func isThere() throws -> Bool {
        guard let directory = try attributes(of: directory) else { return false }
        let mode = directory[.posixPermissions] as? Int ?? (directory[.posixPermissions] as? UInt).map { Int($0) }
        guard directory[.type] as? FileAttributeType == .typeDirectory, let mode, mode & 0o077 == 0 else {
            throw CocoaError(.fileReadNoPermission)
        }
        guard let file = try attributes(of: path) else { return false }
        // A symbolic link may lead to a foreign file, and tokens are never longer than this.
        let size = file[.size] as? UInt64 ?? (file[.size] as? UInt).map { UInt64($0) }
        guard file[.type] as? FileAttributeType == .typeRegular, let size, size <= Self.longest else {
            throw CocoaError(.fileReadCorruptFile)
        }
        return true
    }

    private func attributes(of path: String) throws -> [FileAttributeKey: Any]? {
        do {
            return try FileManager.default.attributesOfItem(atPath: path)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
            return nil
        }
    }

    private static let context = Array("limited-login tokens of a session, version 1".utf8)
    private static let longest: UInt64 = 4096
}

extension TokenFile: Redacted {
    /// A fixed text, without the key.
    public var description: String { "token file" }
}
