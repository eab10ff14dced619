// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The reason why a ``TokenFile`` cannot be used.
public struct TokenFileError: Error, Sendable, Hashable {
    /// A stable name for the reason.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name, for example `not-private`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read.
        public static let unreadable = Self(rawValue: "unreadable")
        /// The file cannot be created, replaced or deleted.
        public static let unwritable = Self(rawValue: "unwritable")
        /// The file is not a regular file, belongs to another user, or other users have access to it.
        public static let notPrivate = Self(rawValue: "not-private")
        /// The directory of the file belongs to another user, or other users can replace files in it.
        public static let directoryNotPrivate = Self(rawValue: "directory-not-private")
        /// The file has more than 320 KiB.
        public static let tooLong = Self(rawValue: "too-long")
        /// The file contains no tokens: it is empty, or has another content.
        ///
        /// ``TokenFile/clear()`` deletes it.
        public static let invalidContent = Self(rawValue: "invalid-content")
    }

    /// The reason.
    public let code: Code

    /// Creates an error.
    ///
    /// - Parameter code: The reason.
    public init(_ code: Code) { self.code = code }
}

extension TokenFileError: CustomStringConvertible {
    /// The reason, in words.
    public var description: String {
        switch code {
        case .unreadable: "it cannot be read"
        case .unwritable: "it cannot be created, replaced or deleted"
        case .notPrivate: "it must be a regular file of this user with mode 0600"
        case .directoryNotPrivate: "its directory must belong to this user, and only this user may write to it"
        case .tooLong: "it is too long"
        case .invalidContent: "it contains no session; if you do not need it, delete it, and sign in again"
        default: code.rawValue
        }
    }
}
