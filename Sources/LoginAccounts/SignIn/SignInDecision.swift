// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The account for a login that no account has, decided from the rows before anything is written.
enum SignInDecision: Sendable, Hashable {
    /// A new account.
    case create
    /// The account that has verified the same address: the login joins it.
    case join(AccountID)
    /// No account: another has verified the same address, and the user has to link the login.
    case conflict(AccountID)

    /// Decides.
    ///
    /// - Parameters:
    ///   - credential: The credential of the login.
    ///   - owner: The account that has verified the address of the credential; nil if none has.
    ///   - logins: The providers of the logins of that account.
    ///   - policy: The policy.
    /// - Returns: The decision.
    static func decide(
        for credential: VerifiedCredential,
        owner: AccountID?,
        having logins: [ProviderID],
        policy: LinkPolicy
    ) -> Self {
        guard let owner else { return .create }
        if mayJoin(credential, having: logins, policy: policy) { return .join(owner) }
        return policy.oneAccountPerEmail ? .conflict(owner) : .create
    }

    /// Whether a login joins the account that has verified the same address.
    ///
    /// It does not join an account with another login of the same provider: either the provider has given the address
    /// to another user, or the user has two logins, and the address does not identify one of them.
    static func mayJoin(_ credential: VerifiedCredential, having logins: [ProviderID], policy: LinkPolicy) -> Bool {
        policy.emailMatching != .never && credential.provesEmail && !logins.contains(credential.providerID)
    }

    /// Whether a login takes over an account without a verified owner, one that has only passwords with unverified
    /// addresses.
    ///
    /// A provider's login is never removed, even if the provider has not verified the address.
    static func mayTakeOver(_ facts: AccountFacts) -> Bool {
        facts.account.disabledAt == nil && facts.factors.isEmpty
            && facts.identities.allSatisfy { $0.providerID == .password && !$0.emailVerified }
    }
}
