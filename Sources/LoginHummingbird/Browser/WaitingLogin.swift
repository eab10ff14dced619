// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// The part of an attempt that the browser keeps while the user is at the provider.
struct WaitingLogin: Sendable, Codable, Hashable {
    /// The secret of the attempt.
    let secret: String

    /// The purpose of the attempt.
    let purpose: Purpose

    /// The purposes of a browser login.
    enum Purpose: String, Sendable, Codable {
        case signIn, link, reauthenticate
    }

    /// The cookie that holds it.
    static let cookie = SealedCookie<Self>(name: "__Host-login", purpose: "login that waits in a browser")
}

extension WaitingLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The purpose, without the secret.
    var description: String { "login that waits (\(purpose.rawValue))" }
    /// As ``description``.
    var debugDescription: String { description }
    /// No children: a dump must not show the secret.
    var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
