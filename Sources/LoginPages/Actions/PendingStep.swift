// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginHTTP
internal import LoginProviders
internal import LoginTokens

/// The pending step that a browser stores in a cookie from one page to the next.
///
/// It is separate from ``PendingLogin``: a user who signs in to link a pending login has both while at a provider.
enum PendingStep: Sendable, Codable, Hashable {
    /// A sign-in whose second factor is missing.
    case secondFactor(resolver: String, then: Continuation)

    /// A login whose e-mail address belongs to another account.
    ///
    /// It is linked once the user has signed in to that account.
    case conflict(Conflict)

    /// A login that was to be linked, but belongs to another account.
    case otherAccount(Pending, of: AccountID)

    /// A merge: the session of the source account, and the target account.
    case merge(session: String, into: AccountID)

    /// The continuation after the second factor.
    enum Continuation: Sendable, Codable, Hashable {
        /// Redirects to the return path.
        case proceed(to: LocalPath)
        /// Links the pending login to the account.
        case link(Conflict)
        /// Continues with the merge into this account; the session is that of the source account.
        case merge(into: AccountID)
    }

    /// A login that is linked once its user has signed in to the account with its e-mail address.
    struct Conflict: Sendable, Codable, Hashable {
        /// The login.
        var pending: Pending
        /// The return path of the login.
        var returnTo: LocalPath
    }

    /// A login that could not be used yet.
    struct Pending: Sendable, Codable, Hashable {
        var token: String
        var provider: ProviderID
        var email: String?

        init(_ credential: PendingCredential) {
            (token, provider, email) = (credential.token, credential.providerID, credential.email)
        }

        var credential: AuthCredential { .pending(PendingCredential(token: token, providerID: provider)) }
    }

    /// The cookie that stores the step.
    static let cookie = SealedCookie<Self>(
        name: SessionCookies.stepName,
        purpose: "step of a page that waits in a browser"
    )
}

extension PendingStep: Redacted {
    /// The kind of step, without its secrets.
    var description: String {
        switch self {
        case .secondFactor: "sign-in without its second factor"
        case .conflict: "login to link after a sign-in"
        case .otherAccount: "login of another account"
        case .merge: "merge to confirm"
        }
    }
}
#endif
