// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The purpose of a nonce.
///
/// A nonce issued for one purpose is not accepted for another: a user who was lured into signing in has not agreed to
/// link an account. All purposes except ``signIn`` also belong to a session of your server, so that an attempt begun in
/// one session cannot end in another. Pass the session of the *current* request, both when issuing and when verifying.
public struct NoncePurpose: Sendable, Hashable {
    /// The stable name of the purpose, without its session.
    public let name: String

    private let session: NonceBinding?

    /// Creates a custom purpose.
    ///
    /// - Parameters:
    ///   - name: A stable name of ASCII letters, digits and hyphens.
    ///   - session: The session identifier; only its SHA-256 is stored. An empty string never matches.
    public init(_ name: String, session: String? = nil) {
        let isName = name.utf8.allSatisfy { character in
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        precondition(isName && !name.isEmpty, "the name of a purpose consists of letters, digits and hyphens")
        self.name = name
        self.session = session.map { NonceBinding(secret: $0) }
    }

    /// Signing in, when there is no session yet.
    public static let signIn = Self("sign-in")

    /// Returns the purpose of linking another login to the account that is signed in.
    ///
    /// - Parameter session: The session identifier; only its SHA-256 is stored. An empty string never matches.
    /// - Returns: The purpose.
    public static func link(session: String) -> Self { Self("link", session: session) }

    /// Returns the purpose of reauthenticating the user before a sensitive operation.
    ///
    /// - Parameter session: The session identifier; only its SHA-256 is stored. An empty string never matches.
    /// - Returns: The purpose.
    public static func reauthenticate(session: String) -> Self { Self("reauthenticate", session: session) }

    /// Returns the purpose of merging two accounts.
    ///
    /// - Parameter session: The session identifier; only its SHA-256 is stored. An empty string never matches.
    /// - Returns: The purpose.
    public static func merge(session: String) -> Self { Self("merge", session: session) }

    /// A string for storage: two purposes are equal exactly if their storage keys are equal.
    ///
    /// It consists of the name and, if there is a session, a colon and the SHA-256 of the session identifier in
    /// hexadecimal.
    public var storageKey: String {
        session.map { "\(name):\(hexadecimal($0.bytes))" } ?? name
    }
}

extension NoncePurpose: Redacted {
    /// The name, without the session.
    public var description: String { name }
}
