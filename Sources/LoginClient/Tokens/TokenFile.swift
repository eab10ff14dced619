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
/// into a directory to which only its owner can write, for example a directory of your tool in `.config` of the home
/// directory.
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
    /// The directory gets mode 0700. An existing directory is refused if other users could replace the file: it must
    /// belong to this user or to root, and others may write to it only if it has the sticky bit, like `/tmp`.
    ///
    /// - Throws: ``TokenFileError``: `directory-not-private`, `not-private`, `too-long`, `unreadable`; `unwritable` if
    ///   the path is empty, or no file can be created in the directory.
    public func prepare() async throws(TokenFileError) {
        guard !path.isEmpty else { throw TokenFileError(.unwritable) }
        // A `~` that was not expanded must not become the name of a directory. If the creation fails, the directory
        // exists, or the next check fails.
        if directory != "~" { _ = unsafe mkdir(directory, 0o700) }
        try checkDirectory()
        try check()
        let temporary = try temporaryFile().path
        guard unsafe unlink(temporary) == 0 else { throw TokenFileError(.unwritable) }
    }

    /// Stores tokens.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: ``TokenFileError``: `not-private`, `too-long`, `unreadable`, `unwritable`.
    public func cache(_ tokens: CachedTokens) async throws(TokenFileError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        try check()
        let (file, temporary) = try temporaryFile()
        defer { _ = unsafe unlink(temporary) }
        let content: Data
        do {
            content = try encoder.encode(tokens)
        } catch {
            throw TokenFileError(.unwritable)
        }
        guard content.count <= Self.maximumSize else { throw TokenFileError(.tooLong) }
        do {
            try file.write(contentsOf: content)
            // A power loss must not leave an empty file.
            try file.synchronize()
            try file.close()
        } catch {
            throw TokenFileError(.unwritable)
        }
        // FileManager cannot replace a file atomically on Linux.
        guard unsafe rename(temporary, path) == 0 else { throw TokenFileError(.unwritable) }
    }

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens; nil if there is no file.
    /// - Throws: ``TokenFileError``: `not-private`, `too-long`, `unreadable`, `invalid-content`.
    public func fetch() async throws(TokenFileError) -> CachedTokens? {
        guard let file = try openFile() else { return nil }
        let content: Data?
        do {
            content = try file.readToEnd()
        } catch {
            throw TokenFileError(.unreadable)
        }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let tokens = try? decoder.decode(CachedTokens.self, from: content ?? Data()) else {
            throw TokenFileError(.invalidContent)
        }
        return tokens
    }

    /// Deletes the file, whatever it contains.
    ///
    /// It is the remedy for `invalid-content`. ``ClientSession/signOut()`` reads the tokens first, and leaves a file
    /// without tokens alone: it may be another file of the user.
    ///
    /// - Throws: ``TokenFileError``: `not-private`, `too-long`, `unreadable`, `unwritable`.
    public func clear() async throws(TokenFileError) {
        try check()
        // Unlike FileManager, it deletes no directory that has taken the place of the file.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw TokenFileError(.unwritable) }
    }

    /// The directory of the file.
    private var directory: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates an empty file in the same directory, which only its owner can read: it is private before it has content.
    ///
    /// - Returns: The file and its path.
    private func temporaryFile() throws(TokenFileError) -> (file: FileHandle, path: String) {
        let temporary = "\(path).\(UUID().uuidString)"
        let number = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw TokenFileError(.unwritable) }
        return (FileHandle(fileDescriptor: number, closeOnDealloc: true), temporary)
    }

    /// Opens the file for reading, and checks it.
    ///
    /// The opened file is checked, not the path, which may lead to another file by then.
    ///
    /// - Returns: The file; nil if there is none.
    private func openFile() throws(TokenFileError) -> FileHandle? {
        // A pipe without a writer must not block.
        let number = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw TokenFileError(errno == ELOOP ? .notPrivate : .unreadable)
        }
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
        var status = stat()
        guard unsafe fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw TokenFileError(.notPrivate) }
        guard status.st_size <= Self.maximumSize else { throw TokenFileError(.tooLong) }
        return file
    }

    /// Checks the file if there is one.
    private func check() throws(TokenFileError) { _ = try openFile() }

    /// Checks that no other user except root can replace the file.
    private func checkDirectory() throws(TokenFileError) {
        var status = stat()
        guard unsafe stat(directory, &status) == 0 else { throw TokenFileError(.unwritable) }
        // With the sticky bit, a file can only be replaced by its owner, and by the owner of the directory.
        guard status.st_uid == geteuid() || status.st_uid == 0,
            status.st_mode & 0o022 == 0 || status.st_mode & 0o1000 != 0
        else { throw TokenFileError(.directoryNotPrivate) }
    }

    /// The maximum size of the file: 64 KiB.
    ///
    /// The tokens, the URL of the service (2 KiB at most), the IDs, the time and the names of the members take less
    /// than 4 KiB. The other 61,440 bytes hold 900 permissions of 64 bytes, each with quotes and a comma: 60,300 bytes.
    /// A login requests 64 at most.
    private static let maximumSize = 65_536
}
