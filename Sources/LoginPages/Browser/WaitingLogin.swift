// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// What a browser keeps while somebody is at a provider.
struct WaitingLogin: Sendable, Codable, Hashable {
    /// The attempt that was begun.
    let token: String

    /// What it is for.
    let purpose: Purpose

    /// What somebody is sent to a provider for.
    enum Purpose: String, Sendable, Codable {
        case signIn, link, reauthenticate
    }

    /// Where it is kept.
    static let cookie = SealedCookie<Self>(name: "__Host-login", purpose: "login that waits in a browser")
}

extension WaitingLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What waits, and nothing of it.
    var description: String { "login that waits (\(purpose.rawValue))" }
    /// As ``description``.
    var debugDescription: String { description }
    /// No children: a dump must not show the token.
    var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
