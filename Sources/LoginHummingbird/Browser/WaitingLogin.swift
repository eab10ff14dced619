// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginTokens

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

extension WaitingLogin: Redacted {
    /// The purpose, without the token.
    var description: String { "login that waits (\(purpose.rawValue))" }
}
#endif
