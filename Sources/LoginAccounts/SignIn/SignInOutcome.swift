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
                "the e-mail address of the login is another account's",
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
