// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A token cache in a file that only its owner can read: JSON, mode 0600.
///
/// The file is replaced atomically, so that an interrupted write leaves the previous tokens intact. A file that belongs
/// to another user, that others can read or write, or that is too long is refused, and so is a symbolic link. Put it
/// into a directory to which only its owner can write, for example a directory of your tool in `.config` of the home
/// directory.
public struct TokenFile: TokenCachingStrategy {
    private let file: PrivateFile

    /// Creates a token cache on a file.
    ///
    /// - Parameter path: The path of the file, which is used exactly as given: `~` is not expanded, and a relative path
    ///   begins at the working directory. The file is created with the first tokens. A missing directory is created
    ///   when a sign-in begins; its parent directory must exist.
    public init(path: String) { file = PrivateFile(path, limit: Self.maximumSize) }

    /// Creates the directory of the file if it is missing, and checks that tokens can be stored.
    ///
    /// The directory gets mode 0700. An existing directory is refused if other users could replace the file: it must
    /// belong to this user or to root, and others may write to it only if it has the sticky bit, like `/tmp`.
    ///
    /// - Throws: ``TokenFileError``: `directory-not-private`, `not-private`, `too-long`, `unreadable`; `unwritable` if
    ///   the path is empty, or no file can be created in the directory.
    public func prepare() async throws(TokenFileError) {
        do throws(PrivateFile.Fault) { try file.prepareDirectory() } catch { throw TokenFileError(error) }
    }

    /// Stores tokens.
    ///
    /// - Parameter tokens: The tokens.
    /// - Throws: ``TokenFileError``: `not-private`, `too-long`, `unreadable`, `unwritable`.
    public func cache(_ tokens: CachedTokens) async throws(TokenFileError) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let content = try? encoder.encode(tokens) else { throw TokenFileError(TokenFileError.Code.unwritable) }
        do throws(PrivateFile.Fault) {
            try file.check()
            try file.replace(with: Array(content))
        } catch {
            throw TokenFileError(error)
        }
    }

    /// Returns the stored tokens.
    ///
    /// - Returns: The tokens; nil if there is no file.
    /// - Throws: ``TokenFileError``: `not-private`, `too-long`, `unreadable`, `invalid-content`.
    public func fetch() async throws(TokenFileError) -> CachedTokens? {
        let content: [UInt8]?
        do throws(PrivateFile.Fault) { content = try file.contents() } catch { throw TokenFileError(error) }
        guard let content else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let tokens = try? decoder.decode(CachedTokens.self, from: Data(content)) else {
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
        do throws(PrivateFile.Fault) { try file.remove() } catch { throw TokenFileError(error) }
    }

    /// The maximum size of the file: 320 KiB.
    ///
    /// Eight tokens of providers of 16 KiB take 256 KiB if each character is escaped. The other 64 KiB hold the tokens
    /// of the session, the URL of the service (2 KiB at most), the IDs, the times, and 900 permissions of 64 bytes. A
    /// login requests 64 at most.
    private static let maximumSize = 327_680
}

extension TokenFileError {
    fileprivate init(_ fault: PrivateFile.Fault) {
        let code: Code =
            switch fault {
            case .directoryNotPrivate: .directoryNotPrivate
            case .notPrivate: .notPrivate
            case .tooLong: .tooLong
            case .unreadable: .unreadable
            case .unwritable: .unwritable
            }
        self.init(code)
    }
}
