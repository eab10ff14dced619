// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// What a nonce is for.
///
/// A nonce that was issued for one purpose does nothing for another: who is lured into signing in has not agreed to link
/// an account. All but ``signIn`` belong to a session of yours too, so that what began in one session cannot end in
/// another. Name the session that the *current* request belongs to, both when issuing and when verifying.
public struct NoncePurpose: Sendable, Hashable {
    /// The stable name of the purpose, without its session.
    public let name: String

    private let session: NonceBinding?

    /// A purpose of your own.
    ///
    /// - Parameters:
    ///   - name: A name that stays the same: letters of ASCII, digits and hyphens.
    ///   - session: What identifies the session; only its SHA-256 is kept. No session is called "".
    public init(_ name: String, session: String? = nil) {
        let isName = name.utf8.allSatisfy { character in
            switch character {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        precondition(isName && !name.isEmpty, "a purpose is called by letters, digits and hyphens")
        self.name = name
        self.session = session.map { NonceBinding(secret: $0) }
    }

    /// To sign in, where there is no session yet.
    public static let signIn = Self("sign-in")

    /// To link another account to the one that is signed in.
    ///
    /// - Parameter session: What identifies the session; only its SHA-256 is kept. No session is called "".
    /// - Returns: The purpose.
    public static func link(session: String) -> Self { Self("link", session: session) }

    /// To prove once more who is there, before something that matters.
    ///
    /// - Parameter session: What identifies the session; only its SHA-256 is kept. No session is called "".
    /// - Returns: The purpose.
    public static func reauthenticate(session: String) -> Self { Self("reauthenticate", session: session) }

    /// To make one account of two.
    ///
    /// - Parameter session: What identifies the session; only its SHA-256 is kept. No session is called "".
    /// - Returns: The purpose.
    public static func merge(session: String) -> Self { Self("merge", session: session) }

    /// The purpose as a store may keep it: two are the same exactly if these are.
    ///
    /// It is the name, and where there is a session a colon and the SHA-256 in hexadecimal.
    public var storageKey: String {
        session.map { "\(name):\(hexadecimal($0.bytes))" } ?? name
    }
}

extension NoncePurpose: Redacted {
    /// The name, without the session.
    public var description: String { name }
}
