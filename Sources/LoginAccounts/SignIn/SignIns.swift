// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps that find or create the account of a login, and open a session.
struct SignIns {
    let accounts: Accounts
    let identities: Identities
    let emails: EmailOwnership
    let reader: AccountReader
    let sessions: Sessions
    let pendingSignIns: PendingSignIns
    let pendingCredentials: PendingCredentials
    let pending: PendingOperations
    let eviction: Eviction
    let audit: AuditTrail
    let hooks: BoundHooks
    let context: TransactionContext

    private var policy: LinkPolicy { context.policy.linking }
    private var now: StoreTime { context.now }

    /// Finds or creates the account of a login, and signs in to it.
    ///
    /// The rows that decide are read again after the account is locked. If they have changed meanwhile, the whole
    /// transaction runs again, so that no account without a login is left behind.
    func signIn(_ credential: VerifiedCredential) throws -> SignInOutcome {
        if let found = try identities.find(credential) {
            let facts = try reader.facts(of: accounts.lockFound(found.accountID))
            guard let identity = facts.identities.first(where: { $0.id == found.id }),
                try leads(credential.subject, to: identity)
            else { throw StoreError(.busy, "the identity or its subject changed meanwhile") }
            return try signIn(to: facts, as: identity, PendingSignIn(credential: credential, joins: false))
        }
        let owner = try emails.owner(of: credential)
        context.pause(at: .signInBeforeAccount)
        if let owner { return try signIn(credential, meeting: owner) }
        return .signedIn(try takeOver(by: credential) ?? signUp(credential))
    }

    /// Whether a subject identifies an identity, whose account is locked.
    ///
    /// The subject in the identity's own row always does: both change together, under the lock of the account.
    private func leads(_ subject: String, to identity: IdentityRecord) throws(StoreError) -> Bool {
        if isEqual(subject, identity.subject) { return true }
        return try identities.find(identity.providerID, subject)?.id == identity.id
    }

    /// Signs in with a new login whose address another account has verified.
    private func signIn(_ credential: VerifiedCredential, meeting owner: AccountID) throws -> SignInOutcome {
        var facts: AccountFacts?
        if SignInDecision.mayJoin(credential, having: [], policy: policy) {
            facts = try reader.facts(of: accounts.lockFound(owner))
            guard try emails.owner(of: credential) == owner else {
                throw StoreError(.busy, "another account has taken the address meanwhile")
            }
        }
        let logins = facts?.identities.map(\.providerID) ?? []
        switch SignInDecision.decide(for: credential, owner: owner, having: logins, policy: policy) {
        case .create:
            return .signedIn(try signUp(credential))
        case .join:
            guard let facts else { throw StoreError(.damaged, "an account must be locked before a login joins it") }
            let known = try identities.find(credential)
            return try signIn(to: facts, as: known, PendingSignIn(credential: credential, joins: true))
        case .conflict:
            return try conflict(of: credential, with: owner)
        }
    }

    /// Keeps the credential of a login whose address another account has verified.
    private func conflict(of credential: VerifiedCredential, with owner: AccountID) throws -> SignInOutcome {
        // A concurrent sign-in with the same login may have created the owner of the address.
        guard try identities.find(credential) == nil else {
            throw StoreError(.busy, "another request signed in with the same login meanwhile")
        }
        let held = try pendingCredentials.hold(credential, of: owner, in: nil, email: credential.email)
        // A pending credential has caused, and recorded, the conflict before.
        if credential.wait == nil {
            let subject = audit.subject(credential.providerID, credential.subject)
            try audit.record(.identityConflict, account: owner, subject: subject)
        }
        let methods = try reader.signInMethods(of: identities.of(owner))
        return .accountExists(AccountConflict(pendingCredential: held, ownerID: owner, methods: methods))
    }

    /// Gives an account to the login that has its address verified, if the policy permits it and the account has only a
    /// password with that unverified address.
    ///
    /// Everything else that belonged to the account's creator is removed.
    ///
    /// - Returns: The result; nil if there is no such account, if it has other logins or second factors, or if it is
    ///   disabled.
    private func takeOver(by credential: VerifiedCredential) throws -> AuthDataResult? {
        guard policy.emailMatching == .evictUnverified, credential.provesEmail,
            let email = credential.email, let named = try identities.find(.password, email)
        else { return nil }
        let account = try accounts.lockFound(named.accountID)
        guard try identities.find(.password, email)?.accountID == account.id,
            try emails.owner(of: credential) == nil
        else { throw StoreError(.busy, "another account has taken the address meanwhile") }
        guard SignInDecision.mayTakeOver(try reader.facts(of: account)) else { return nil }
        try eviction.evict(account)
        guard let identity = try identities.add(credential, to: account) else {
            throw StoreError(.busy, "another request signed in with the same login meanwhile")
        }
        try audit.record(.identityLinked, account: account.id, actor: .user, subject: audit.subject(identity))
        return try open(account, withFirst: identity, credential, outcome: .linked)
    }

    /// Creates an account and its first identity.
    private func signUp(_ credential: VerifiedCredential) throws -> AuthDataResult {
        let account = try accounts.create(isAnonymous: false, by: credential.providerID)
        guard let identity = try identities.add(credential, to: account) else {
            throw StoreError(.busy, "another request signed in with the same login meanwhile")
        }
        return try open(account, withFirst: identity, credential, outcome: .created)
    }

    /// Opens a session of an account that has just got its only login.
    private func open(
        _ account: AccountRecord,
        withFirst identity: IdentityRecord,
        _ credential: VerifiedCredential,
        outcome: AuthDataResult.Outcome
    ) throws -> AuthDataResult {
        var facts = AccountFacts(account: account, identities: [identity], factors: [])
        facts.account = try emails.update(account, having: facts.identities, claiming: credential)
        return try open(
            facts,
            with: identity,
            credential,
            outcome: outcome,
            methods: [credential.proven(at: now)],
            level: 1
        )
    }

    /// Signs in to an account, or requires the second factor.
    ///
    /// Nothing of the account changes before that is verified.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account. It is locked.
    ///   - identity: The identity of the login, read after the account was locked; nil if no account has the login.
    ///   - signIn: The sign-in.
    /// - Returns: The result, or the resolver.
    /// - Throws: ``AuthError``: the errors of ``complete(_:to:as:methods:level:isViaRecovery:)``.
    private func signIn(to facts: AccountFacts, as identity: IdentityRecord?, _ signIn: PendingSignIn) throws
        -> SignInOutcome
    {
        try facts.account.checkUsable()
        guard facts.factors.isEmpty else { return .secondFactorRequired(try pendingSignIns.add(signIn, to: facts)) }
        return .signedIn(
            try complete(signIn, to: facts, as: identity, methods: [signIn.credential.proven(at: now)], level: 1)
        )
    }

    /// Completes a sign-in after all authentication: refreshes or adds the identity, and opens a session.
    ///
    /// Whether a login joins is decided again, because the second factor may have taken ten minutes.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - facts: The rows of the account. It is locked.
    ///   - known: The identity of the login, read after the account was locked; nil if no account has the login.
    ///   - methods: The authentication methods, and the time of each.
    ///   - level: 1, or 2 with a second factor.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The account and the session.
    /// - Throws: ``AuthError``: `user-disabled`; `operation-not-allowed` if the provider was switched off;
    ///   `invalid-credential` if the identity has left the account or is revoked, or if the password has changed.
    func complete(
        _ signIn: PendingSignIn,
        to facts: AccountFacts,
        as known: IdentityRecord?,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        var facts = facts
        let account = facts.account
        try account.checkUsable()
        let credential = signIn.credential
        try context.auth.checkAllowed(credential)
        // The password was compared before the account was locked, perhaps minutes ago.
        guard try pendingCredentials.isCurrent(credential) else {
            throw AuthError(.invalidCredential, "the password was changed after it was verified")
        }
        let identity: IdentityRecord
        if let known {
            guard known.accountID == account.id else {
                throw AuthError(.invalidCredential, "the login now belongs to another account")
            }
            identity = try identities.refresh(known, with: credential)
            facts.identities = facts.identities.map { $0.id == identity.id ? identity : $0 }
        } else {
            let logins = facts.identities.map(\.providerID)
            guard signIn.joins, SignInDecision.mayJoin(credential, having: logins, policy: policy),
                try emails.owner(of: credential) == account.id
            else { throw AuthError(.invalidCredential, "the login no longer belongs to the account") }
            guard let joined = try identities.add(credential, to: account) else {
                throw StoreError(.busy, "another request signed in with the same login meanwhile")
            }
            // Pending operations began before the account had this login.
            try pending.void(of: account.id)
            try audit.record(.identityLinked, account: account.id, actor: .user, subject: audit.subject(joined))
            identity = joined
            facts.identities = try identities.of(account.id)
        }
        facts.account = try emails.update(account, having: facts.identities, isCurrent: true)
        return try open(
            facts,
            with: identity,
            credential,
            outcome: known == nil ? .linked : .signedIn,
            methods: methods,
            level: level,
            isViaRecovery: isViaRecovery
        )
    }

    /// Opens a session for an authenticated user, and takes over the name and the picture of the login.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account, as ``EmailOwnership/update(_:having:isCurrent:claiming:)`` has left them.
    ///   - identity: The identity of the login.
    ///   - credential: The credential of the login.
    ///   - outcome: The outcome of the sign-in.
    ///   - methods: The authentication methods, and the time of each.
    ///   - level: 1, or 2 with a second factor.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The account and the session.
    /// - Throws: ``AuthError`` of the hook; ``StoreError``
    func open(
        _ facts: AccountFacts,
        with identity: IdentityRecord,
        _ credential: VerifiedCredential,
        outcome: AuthDataResult.Outcome,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        var facts = facts
        facts.account = try accounts.recordSignIn(to: facts, with: identity)
        let opened = try sessions.open(
            for: facts.account,
            identity: identity,
            methods: methods,
            level: level,
            authenticatedAt: credential.provenAt(now),
            isViaRecovery: isViaRecovery
        )
        let result = AuthDataResult(
            account: try reader.describe(facts, email: facts.account.email),
            session: Session(opened.record, auth: context.auth),
            tokens: opened.tokens,
            outcome: outcome,
            identity: credential.identity?.identity
        )
        try hooks.run(.signIn(result))
        return result
    }
}

/// A sign-in that is completed at once, or after the second factor.
struct PendingSignIn: Sendable, Codable {
    /// The verified credential.
    var credential: VerifiedCredential

    /// Whether the identity joins the account, because both have verified the same e-mail address.
    var joins: Bool
}
