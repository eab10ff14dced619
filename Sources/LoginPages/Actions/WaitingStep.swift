// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts
internal import LoginProviders
internal import LoginTokens

/// What a browser keeps from one page to the next.
///
/// It is beside ``WaitingLogin``, and not in its place: whoever signs in as before, so that a login that waits can be linked, is on the
/// way to a provider meanwhile.
enum WaitingStep: Sendable, Codable, Hashable {
    /// The first factor was right; the second is missing.
    case secondFactor(resolver: String, then: Continuation)

    /// The address of a login is another account's: once its user has signed in to that account, the login is linked.
    case conflict(Conflict)

    /// The login that was to be linked is another account's.
    case otherAccount(Pending, of: AccountID)

    /// The session of the account that is to become part of the one that is signed in.
    case merge(session: String, into: AccountID)

    /// What follows the second factor.
    enum Continuation: Sendable, Codable, Hashable {
        /// The user goes to the path that they came for.
        case proceed(to: LocalPath)
        /// The login that waits is linked to the account.
        case link(Conflict)
        /// The session becomes the other one of a merge.
        case merge
    }

    /// A login that waits for its user to sign in to the account that has its address.
    struct Conflict: Sendable, Codable, Hashable {
        /// The login.
        var pending: Pending
        /// The path that the user came for.
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

    /// Where it is kept.
    static let cookie = SealedCookie<Self>(name: "__Host-step", purpose: "step of a page that waits in a browser")
}

extension WaitingStep: Redacted {
    /// The kind of step, without its secrets.
    var description: String {
        switch self {
        case .secondFactor: "sign-in that waits for a second factor"
        case .conflict: "login that waits for its account"
        case .otherAccount: "login of another account"
        case .merge: "merge that waits to be confirmed"
        }
    }
}
#endif
