// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP
internal import LoginTokens

/// The part of a pending attempt that the browser stores while the user is at the provider.
struct PendingLogin: Sendable, Codable, Hashable {
    /// The secret of the attempt.
    let secret: String

    /// The purpose of the attempt.
    let purpose: Purpose

    /// The body of the callback that the provider had the browser post; nil before that.
    ///
    /// It is stored here, and not in a URL, until the request with the session's cookie.
    var callback: String?

    /// The maximum length of ``callback`` in bytes.
    ///
    /// Browsers limit cookies to 4,096 bytes, encrypted and encoded.
    static let longestCallback = 2_800

    /// The purposes of a browser login.
    enum Purpose: Sendable, Codable, Hashable {
        case signIn, link, reauthenticate
        /// A change of the permissions of the signed-in user.
        case permissions(PermissionChange)
    }

    /// The cookie that stores it.
    static let cookie = SealedCookie<Self>(name: SessionCookies.loginName, purpose: "login that waits in a browser")
}

extension PendingLogin: Redacted {
    /// The purpose, without the secret.
    var description: String { "pending login (\(purpose))" }
}
#endif
