// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The result of linking a login to an account that does not have it, decided from the rows before anything is written.
enum LinkDecision: Sendable, Hashable {
    /// The account has as many logins of the provider as it may have.
    case providerAlreadyLinked
    /// Another account has the login.
    case loginTaken(AccountID)
    /// Another account has verified the address of the login.
    case emailTaken(AccountID)
    /// The login is linked.
    case link

    /// Decides.
    ///
    /// - Parameters:
    ///   - provider: The provider of the login.
    ///   - logins: The providers of the logins of the account.
    ///   - holder: Another account that has the login; nil if none has.
    ///   - owner: Another account that has verified the address of the login; nil if none has.
    ///   - policy: The policy.
    /// - Returns: The decision.
    static func decide(
        _ provider: ProviderID,
        having logins: [ProviderID],
        holder: AccountID?,
        owner: AccountID?,
        policy: LinkPolicy
    ) -> Self {
        let count = logins.count { $0 == provider }
        guard count < policy.identitiesPerProvider.maximum else { return .providerAlreadyLinked }
        if let holder { return .loginTaken(holder) }
        if policy.oneAccountPerEmail, let owner { return .emailTaken(owner) }
        return .link
    }
}

/// The identity that is unlinked from an account.
enum UnlinkDecision: Sendable, Hashable {
    /// The identity with this ID.
    case unlink(String)
    /// None: the account has no such identity.
    case noSuchProvider
    /// None: the account has several identities of the provider, and the request does not name one of them.
    case ambiguous(Int)
    /// None: no other login can sign in to the account.
    case lastProvider

    /// Decides.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - named: The ID of the identity that the request names; nil if it names only the provider.
    ///   - identities: The identities of the account: their IDs, their providers, and whether they can sign in.
    ///   - evenIfLast: Whether the last identity that can sign in is unlinked too.
    /// - Returns: The decision.
    static func decide(
        _ provider: ProviderID,
        named: String??,
        among identities: [(id: String, provider: ProviderID, isUsable: Bool)],
        evenIfLast: Bool = false
    ) -> Self {
        var candidates = identities.filter { isEqual($0.provider.rawValue, provider.rawValue) }
        if let named { candidates = candidates.filter { $0.id == named } }
        guard let first = candidates.first else { return .noSuchProvider }
        guard candidates.count == 1 else { return .ambiguous(candidates.count) }
        guard evenIfLast || identities.contains(where: { $0.id != first.id && $0.isUsable }) else {
            return .lastProvider
        }
        return .unlink(first.id)
    }
}
