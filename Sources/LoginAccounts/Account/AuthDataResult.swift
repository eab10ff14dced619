// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// The result of a sign-in, a link or a merge.
public struct AuthDataResult: Sendable {
    /// The effect of an operation.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// A known user signed in.
        case signedIn
        /// A new account was created.
        case created
        /// An identity was linked.
        case linked
        /// The identity was linked already, and nothing changed.
        case alreadyLinked
        /// An anonymous account got its first identity.
        case upgraded
        /// An identity was unlinked.
        case unlinked
        /// Two accounts were merged.
        case merged
        /// The user was authenticated again.
        case reauthenticated
        /// A property of the account was changed, and the session has new tokens.
        case changed
    }

    /// The account.
    public let account: Account

    /// The session.
    public let session: Session

    /// The tokens of the session, for the client.
    ///
    /// They are not stored, and cannot be requested again.
    public let tokens: SessionTokens

    /// The effect of the operation.
    public let outcome: Outcome

    /// The verified identity from the provider, with its claims and permissions; nil if the credential was local, or
    /// there was none.
    public var identity: VerifiedIdentity?

    /// Returns the result with the identity of the credential that was presented.
    func proven(by credential: VerifiedCredential) -> Self {
        var result = self
        result.identity = credential.identity?.identity
        return result
    }

    /// Whether the account is new.
    public var isNewUser: Bool { outcome == .created }
}
