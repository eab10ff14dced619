// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// What came of signing in, linking or merging.
public struct AuthDataResult: Sendable {
    /// What happened.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// Somebody who is known signed in.
        case signedIn
        /// A new account was made.
        case created
        /// An identity was linked.
        case linked
        /// The identity was there already: nothing changed.
        case alreadyLinked
        /// An anonymous account has got its first identity.
        case upgraded
        /// An identity was unlinked.
        case unlinked
        /// Two accounts have become one.
        case merged
        /// The same person was proven once more.
        case reauthenticated
        /// Something of the account was changed, and the session has new secrets.
        case changed
    }

    /// The account.
    public let account: Account

    /// The session: what one may do with the account.
    public let session: Session

    /// The secrets of the session, for the client: they are nowhere else, and cannot be had again.
    public let tokens: SessionTokens

    /// What happened.
    public let outcome: Outcome

    /// The identity at the provider that proved the user, with claims and permissions; nil where a credential was checked here, or no
    /// credential was shown.
    public var identity: VerifiedIdentity?

    /// Returns the same result with the identity of the credential that was shown.
    func proven(by credential: VerifiedCredential) -> Self {
        var result = self
        result.identity = credential.identity?.identity
        return result
    }

    /// Whether the account is new.
    public var isNewUser: Bool { outcome == .created }
}
