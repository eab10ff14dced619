// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Tokens in a file that only its user can open, and only with a key: AES-256-GCM, mode 0600.
///
/// It stands alone in a directory of mode 0700, since a file that replaces another is open to others for a moment. It is
/// replaced as a whole, so that a process that ends meanwhile leaves the tokens before.
public struct TokenFile: TokenCachingStrategy {
    private let directory: String
    private let path: String
    private let key: SealingKey

    /// A file.
    ///
    /// - Parameters:
    ///   - directory: The directory that it stands in, which is made where it is missing. It is open to nobody else.
    ///   - key: 32 random bytes, which are kept elsewhere.
    public init(directory: String, key: [UInt8]) {
        self.directory = directory
        path = directory + "/session-tokens"
        self.key = SealingKey(key)
    }

    /// Keeps tokens.
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

    /// The tokens that were kept last; nil where there are none, or what is there was closed with another key.
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

    /// Removes the file.
    public func clear() async throws {
        guard try isThere() else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// Whether there is a file, and one as it was written here, in a directory that is open to nobody else.
    private func isThere() throws -> Bool {
        guard let directory = try attributes(of: directory) else { return false }
        let mode = directory[.posixPermissions] as? Int ?? (directory[.posixPermissions] as? UInt).map { Int($0) }
        guard directory[.type] as? FileAttributeType == .typeDirectory, let mode, mode & 0o077 == 0 else {
            throw CocoaError(.fileReadNoPermission)
        }
        guard let file = try attributes(of: path) else { return false }
        // A link may lead to what is not ours, and no tokens are longer than this.
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
    public var description: String { "file of tokens" }
}
