// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginTokens

/// The part of a pending attempt that the browser stores while the user is at the provider.
struct PendingLogin: Sendable, Codable, Hashable {
    /// The secret of the attempt.
    let secret: String

    /// The purpose of the attempt.
    let purpose: Purpose

    /// The path for another login if this one ends without a result; nil for the account page.
    ///
    /// The attempt in the store has the path for this login, which can be longer.
    let returnTo: LocalPath?

    /// The body of the callback that the provider had the browser post; nil before that.
    ///
    /// It is stored here, and not in a URL, until the request with the session's cookie.
    var callback: String?

    /// The maximum length of ``callback`` in bytes.
    ///
    /// Browsers limit cookies to 4,096 bytes, encrypted and encoded.
    static let longestCallback = 2_500

    /// The maximum length of ``returnTo`` in bytes: three logins fit into ``PendingLogins/longest``.
    static let longestPath = 512

    /// The purposes of a browser login.
    enum Purpose: Sendable, Codable, Hashable {
        case signIn, link, reauthenticate
        /// A change of the permissions of the signed-in user.
        case permissions(PermissionChange)
    }

    /// Creates the content of a cookie.
    ///
    /// - Parameters:
    ///   - secret: The secret of the attempt.
    ///   - purpose: The purpose of the attempt.
    ///   - returnTo: The return path, which is dropped if it is too long; nil for the account page.
    ///   - callback: The posted callback; nil for none.
    init(secret: String, purpose: Purpose, returnTo: LocalPath? = nil, callback: String? = nil) {
        (self.secret, self.purpose, self.callback) = (secret, purpose, callback)
        self.returnTo = returnTo.flatMap { $0.text.utf8.count <= Self.longestPath ? $0 : nil }
    }

    /// Returns the login with the callback that the provider had the browser post, instead of the return path: a cookie
    /// has no space for both.
    ///
    /// - Parameter form: The body of the callback.
    /// - Returns: The login; nil if the callback is too long for a cookie.
    func storing(_ form: [UInt8]) -> Self? {
        guard form.count <= Self.longestCallback else { return nil }
        return Self(secret: secret, purpose: purpose, callback: String(decoding: form, as: UTF8.self))
    }
}

extension PendingLogin: Redacted {
    /// The purpose, without the secret.
    var description: String { "pending login (\(purpose))" }
}

/// A login that a callback has ended, as the browser stores it: the same callback may arrive again.
struct FinishedLogin: Sendable, Codable, Hashable {
    /// The session that the login opened or used; nil if it was cancelled, has failed, or lacks a further step.
    let session: SessionID?

    /// The path to which the login led, or which it was for; nil for the account page.
    let returnTo: LocalPath?

    /// Creates the content of a cookie.
    ///
    /// - Parameters:
    ///   - session: The session; nil for none.
    ///   - returnTo: The return path, which is dropped if it is too long; nil for the account page.
    init(session: SessionID?, returnTo: LocalPath?) {
        self.session = session
        self.returnTo = returnTo.flatMap { $0.text.utf8.count <= PendingLogin.longestPath ? $0 : nil }
    }
}

/// The meaning of a callback for the browser that delivers it.
enum CallbackMeaning: Sendable, Hashable {
    /// The browser began the login, and has received no response to a callback.
    case continues(PendingLogin)

    /// The session of the request finished the login before, so the user is led on.
    case finishedHere(returnTo: LocalPath)

    /// The browser finished the login before, without a session, or with one that it no longer has.
    case finishedBefore(returnTo: LocalPath)

    /// The browser has no cookie of the login: the login began in another browser or too long ago, or was made up.
    case unknown

    /// Creates the meaning.
    ///
    /// - Parameters:
    ///   - login: The content of the login's cookie; nil if there is none.
    ///   - session: The session of the request; nil if nobody is signed in.
    init(of login: PendingLogins.Login?, in session: SessionID?) {
        switch login {
        case .pending(let login): self = .continues(login)
        case .finished(let login):
            let path = login.returnTo ?? .home
            self =
                login.session != nil && login.session == session
                ? .finishedHere(returnTo: path) : .finishedBefore(returnTo: path)
        case nil: self = .unknown
        }
    }
}
#endif
