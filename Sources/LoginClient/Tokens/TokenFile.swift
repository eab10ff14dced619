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
/// The file is replaced atomically, so that an interrupted write leaves the previous tokens intact. A file that belongs
/// to another user, that others can read or write, or that is too long is refused, and so is a symbolic link. Put it
/// into a directory in which only its owner can create files, for example a directory of your tool in `.config` of the
/// home directory.
public struct TokenFile: TokenCachingStrategy {
    private let path: String

    /// Creates a token cache on a file.
    ///
    /// - Parameter path: The path of the file, which is used exactly as given: `~` is not expanded, and a relative path
    ///   begins at the working directory. The file is created with the first tokens. A missing directory is created
    ///   when a sign-in begins; its parent directory must exist.
    public init(path: String) { self.path = path }

    /// Creates the directory of the file if it is missing, and checks that tokens can be stored.
    ///
    /// The directory gets mode 0700. The mode of an existing directory is not checked.
    ///
    /// - Throws: `CocoaError` if the file is refused, or if no file can be created in the directory.
    public func prepare() async throws {
        // A `~` that was not expanded must not become the name of a directory.
        if let slash = path.lastIndex(of: "/"), path[..<slash] != "~" {
            // If this fails, so does the creation of the temporary file, unless the directory exists.
            _ = unsafe mkdir(String(path[..<slash]), 0o700)
        }
        _ = try opened()
        let temporary = try temporaryFile().path
        guard unsafe unlink(temporary) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Stores tokens.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: `CocoaError` if the file is refused or cannot be written.
    public func cache(_ tokens: CachedTokens) async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        let content = try encoder.encode(tokens)
        _ = try opened()
        let (file, temporary) = try temporaryFile()
        defer { _ = unsafe unlink(temporary) }
        try file.write(contentsOf: content)
        try file.close()
        // FileManager cannot replace a file atomically on Linux.
        guard unsafe rename(temporary, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens; nil if there is no file.
    /// - Throws: `CocoaError` if the file is refused or cannot be read; `DecodingError` if it contains something else.
    public func fetch() async throws -> CachedTokens? {
        guard let file = try opened() else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(CachedTokens.self, from: file.readToEnd() ?? Data())
    }

    /// Deletes the file.
    ///
    /// - Throws: `CocoaError` if the file is refused or cannot be deleted.
    public func clear() async throws {
        guard try opened() != nil else { return }
        // Unlike FileManager, it deletes no directory that has taken the place of the file.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw CocoaError(.fileWriteUnknown) }
    }

    /// Creates an empty file in the same directory, which only its owner can read: it is private before it has content.
    ///
    /// - Returns: The file and its path.
    /// - Throws: `CocoaError` if the file cannot be created.
    private func temporaryFile() throws -> (file: FileHandle, path: String) {
        let temporary = "\(path).\(UUID().uuidString)"
        let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw CocoaError(errno == ENOENT ? .fileNoSuchFile : .fileWriteNoPermission) }
        return (FileHandle(fileDescriptor: number, closeOnDealloc: true), temporary)
    }

    /// Opens the file for reading, and checks its type, owner, mode and size.
    ///
    /// What is checked is the file that was opened, whatever has the path by then.
    ///
    /// - Returns: The file; nil if there is none.
    /// - Throws: `CocoaError` if the file is refused or cannot be opened.
    private func opened() throws -> FileHandle? {
        // A pipe without a writer must not block.
        let number = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw CocoaError(errno == ELOOP || errno == EACCES ? .fileReadNoPermission : .fileReadUnknown)
        }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw CocoaError(.fileReadNoPermission) }
        guard status.st_size <= Self.maximumSize else { throw CocoaError(.fileReadTooLarge) }
        return file
    }

    /// Two tokens of 100 characters, three times, and up to a thousand names of permissions.
    private static let maximumSize = 65_536
}
