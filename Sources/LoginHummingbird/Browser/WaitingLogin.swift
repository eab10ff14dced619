// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// What a browser keeps while somebody is at a provider.
package struct WaitingLogin: Sendable, Codable, Hashable {
    /// The attempt that was begun.
    package let token: String

    /// What it is for.
    package let purpose: Purpose

    /// What somebody is sent to a provider for.
    package enum Purpose: String, Sendable, Codable {
        case signIn, link, reauthenticate
    }

    /// Where it is kept.
    package static let cookie = SealedCookie<Self>(name: "__Host-login", purpose: "login that waits in a browser")
}

extension WaitingLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What waits, and nothing of it.
    package var description: String { "login that waits (\(purpose.rawValue))" }
    /// As ``description``.
    package var debugDescription: String { description }
    /// No children: a dump must not show the token.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
