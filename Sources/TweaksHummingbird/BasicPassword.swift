// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import Foundation
internal import HTTPTypes
public import Hummingbird
internal import LoginCrypto
internal import LoginText
public import LoginTokens

/// A guard for a page without accounts: one password for all operators, with HTTP Basic authentication (RFC 7617).
///
/// The user name that an operator enters is the author of their changes. Browsers send the password with each request,
/// so use HTTPS, or a listener that only this machine reaches.
public struct BasicPassword: Sendable {
    /// The minimum length of the password, 16 bytes: wrong ones are not counted, so it must be impossible to guess.
    fileprivate static let minimumBytes = 16

    /// The maximum size of the file: 16 KiB.
    private static let maximumFileBytes = 16 * 1024

    private let hash: [UInt8]

    /// Reads the password from a file, without the line break at its end.
    ///
    /// `(umask 077; openssl rand -hex 16 > tweaks.password)` creates such a file.
    ///
    /// - Parameter path: The path of the file, of 16 KiB at most. It belongs to the user of this process, and only this
    ///   user has access. A symbolic link is resolved.
    /// - Throws: ``BasicPasswordError``: `unreadable`; `not-private` if the file is not a regular one of this user, or
    ///   other users have access to it; `malformed` if it is not one line without a blank at an end; `too-short` if the
    ///   password has fewer than 16 bytes.
    public init(contentsOf path: String) throws(BasicPasswordError) {
        // Secrets that are mounted into containers are symbolic links.
        let file = PrivateFile(URL(filePath: path).resolvingSymlinksInPath().path, limit: Self.maximumFileBytes)
        let content: [UInt8]?
        do throws(PrivateFile.Fault) {
            content = try file.contents()
        } catch {
            throw BasicPasswordError(error == .notPrivate ? .notPrivate : .unreadable)
        }
        guard let content, let text = String(validating: content, as: UTF8.self) else {
            throw BasicPasswordError(.unreadable)
        }
        let password: String
        do throws(SecretLine.Fault) {
            password = try SecretLine(text).text
        } catch {
            throw BasicPasswordError(error == .empty ? .tooShort : .malformed)
        }
        guard password.utf8.count >= Self.minimumBytes else { throw BasicPasswordError(.tooShort) }
        hash = Digest.sha256.hash(password.utf8)
    }

    /// Authenticates a request.
    ///
    /// - Parameter request: The request.
    /// - Returns: The operator with the user name of the request.
    /// - Throws: `HTTPError` with status 401, at which browsers ask for the password.
    public func check(_ request: Request) throws -> TweakOperator {
        guard let (name, password) = Self.credentials(of: request),
            constantTimeEquals(Digest.sha256.hash(password.utf8), hash)
        else {
            throw HTTPError(
                .unauthorized,
                headers: [.wwwAuthenticate: #"Basic realm="settings", charset="UTF-8""#]
            )
        }
        return TweakOperator(name: name.isEmpty ? "operator" : oneLine(name, limit: 40))
    }

    private static func credentials(of request: Request) -> (name: String, password: String)? {
        guard let field = request.headers[.authorization], field.utf8.count <= 1024 else { return nil }
        let parts = field.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic", let data = Data(base64Encoded: String(parts[1])),
            let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

extension BasicPassword: Redacted {
    /// The name of the type, without the password.
    public var description: String { "BasicPassword" }
}

/// The reason why a file cannot be the password of operators.
public struct BasicPasswordError: Error, Sendable, Hashable {
    /// A stable name for the reason.
    public struct Code: Sendable, Hashable {
        /// The name, for example `not-private`.
        public let rawValue: String

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The file does not exist, cannot be read, is too long, or is not UTF-8.
        public static let unreadable = Self("unreadable")
        /// The file is not a regular one of this user, or other users have access to it.
        public static let notPrivate = Self("not-private")
        /// The file is not one line, or has a control character, a byte order mark, or a blank at an end of the line.
        public static let malformed = Self("malformed")
        /// The password has fewer than 16 bytes.
        public static let tooShort = Self("too-short")
    }

    /// The reason.
    public let code: Code

    /// Creates an error.
    ///
    /// - Parameter code: The reason.
    public init(_ code: Code) { self.code = code }
}

extension BasicPasswordError: CustomStringConvertible {
    /// The reason, in words.
    public var description: String {
        switch code {
        case .notPrivate: "the password file must be a regular file of this user that others cannot access (mode 0600)"
        case .malformed: "the password must be one line without control characters, and without a blank at an end"
        case .tooShort: "the password must have at least \(BasicPassword.minimumBytes) bytes"
        default: "the password file cannot be read; create it with the mode 0600"
        }
    }
}
#endif
