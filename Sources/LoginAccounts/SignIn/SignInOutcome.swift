// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// The outcome of a sign-in whose credential was accepted.
///
/// ```swift
/// switch try await auth.signIn(with: credential) {
/// case .signedIn(let result): return answer(result.tokens)
/// case .secondFactorRequired(let resolver): return ask(resolver.hints, resolver.token)
/// case .accountExists(let conflict): return offer(conflict.pendingCredential)
/// }
/// ```
public enum SignInOutcome: Sendable {
    /// The user is signed in.
    case signedIn(AuthDataResult)

    /// The account has a second factor, and the resolver completes the sign-in with it. There is no session yet.
    case secondFactorRequired(MultiFactorResolver)

    /// No account has the login, and its e-mail address belongs to an existing account. There is no session.
    case accountExists(AccountConflict)

    /// Returns the result of a completed sign-in, for applications without second factors in which every other outcome
    /// is an error.
    ///
    /// - Returns: The account, and a new session.
    /// - Throws: ``AuthError``: `second-factor-required`, `account-exists-with-different-credential`.
    public func get() throws(AuthError) -> AuthDataResult {
        switch self {
        case .signedIn(let result): return result
        case .secondFactorRequired:
            throw AuthError(.secondFactorRequired, "the account has a second factor")
        case .accountExists(let conflict):
            throw AuthError(
                .accountExistsWithDifferentCredential,
                "the e-mail address of the login belongs to another account",
                provider: conflict.pendingCredential.providerID
            )
        }
    }
}

/// A new login whose e-mail address belongs to an existing account.
///
/// The user signs in to that account with a login it has, and then links this one with ``pendingCredential``:
///
/// ```swift
/// let owner = try await auth.signIn(with: .password(email: email, password: password)).get()
/// try await owner.session.link(with: .pending(conflict.pendingCredential))
/// ```
public struct AccountConflict: Sendable {
    /// The credential that links the login later, so that the user need not go to its provider again.
    public let pendingCredential: PendingCredential

    /// The existing account, for the application's own code and never for a client.
    public let ownerID: AccountID

    /// The providers of the existing account's logins, each once, in the order in which they were linked.
    ///
    /// Do not send them to a client by default. The client has not authenticated for the existing account, so they
    /// reveal to a stranger how its holder signs in. Providers that reuse an address, or that let users claim one, make
    /// that stranger an attacker.
    public let providers: [ProviderID]

    /// The e-mail address that both have.
    public var email: String? { pendingCredential.email }

    init(pendingCredential: PendingCredential, ownerID: AccountID, methods: [SignInMethod]) {
        self.pendingCredential = pendingCredential
        self.ownerID = ownerID
        var providers: [ProviderID] = []
        for method in methods where method.obstacle != .withoutPassword && !providers.contains(method.providerID) {
            providers.append(method.providerID)
        }
        self.providers = providers
    }
}

extension AccountConflict: Redacted {
    /// The provider of the login, without personal data.
    public var description: String { "conflict of a login of \(pendingCredential.providerID)" }
}

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
        /// The user was authenticated again, or granted a permission that was requested in the session.
        case reauthenticated
        /// The user declined the permissions that were requested in the session, which stays as it was.
        case permissionsDeclined
        /// The provider does not state whether the user granted the permissions that were requested in the session,
        /// which stays as it was.
        ///
        /// After a Limited Login, a permission is known to be granted only by its claim, which the user may have no
        /// value for, and some permissions have none.
        case permissionsUnknown
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
