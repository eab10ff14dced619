// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension AccountTransaction {
    /// Finds or creates the account of a login, and signs in to it.
    ///
    /// The rows that decide are read again after the account is locked. If they have changed meanwhile, the whole transaction runs
    /// again, so that no account without a login is left behind.
    func signIn(_ credential: VerifiedCredential) throws -> SignInOutcome {
        if let found = try findIdentity(credential.providerID, credential.subject) {
            let facts = try facts(of: lockFound(found.accountID))
            guard let identity = facts.identities.first(where: { $0.id == found.id }),
                try isName(credential.subject, of: identity)
            else { throw StoreError(.busy, "the identity has just left the account, or lost the name") }
            return try signIn(to: facts, as: identity, HeldSignIn(credential: credential, joins: false))
        }
        let owner = try emailOwner(of: credential)
        pause(at: .signInBeforeAccount)
        if let owner { return try signIn(credential, meeting: owner) }
        return .signedIn(try takeOver(by: credential) ?? signUp(credential))
    }

    /// Whether a subject leads to an identity, whose account is locked.
    ///
    /// The subject in the identity's own row always does: both change together, under the lock of the account.
    private func isName(_ subject: String, of identity: IdentityRecord) throws -> Bool {
        if isEqual(subject, identity.subject) { return true }
        return try findIdentity(identity.providerID, subject)?.id == identity.id
    }

    /// Signs in with a new login whose address another account has proven.
    private func signIn(_ credential: VerifiedCredential, meeting owner: AccountID) throws -> SignInOutcome {
        let policy = auth.policy.linking
        if policy.emailMatching != .never, credential.provesEmail {
            let facts = try facts(of: lockFound(owner))
            guard try emailOwner(of: credential) == owner else {
                throw StoreError(.busy, "the address has just become another account's")
            }
            if try mayJoin(credential, facts.account.id, having: facts.identities) {
                let known = try findIdentity(credential.providerID, credential.subject)
                return try signIn(to: facts, as: known, HeldSignIn(credential: credential, joins: true))
            }
        }
        guard policy.oneAccountPerEmail else { return .signedIn(try signUp(credential)) }
        // A concurrent sign-in with the same login may have created the owner of the address.
        guard try findIdentity(credential.providerID, credential.subject) == nil else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        let pending = try holdCredential(credential, of: owner, session: nil, email: credential.email)
        // A pending credential has met, and recorded, the conflict before.
        if credential.wait == nil {
            try record(
                .identityConflict,
                account: owner,
                subject: auditSubject(credential.providerID, credential.subject)
            )
        }
        let methods = try signInMethods(of: identities(of: owner))
        return .accountExists(AccountConflict(pendingCredential: pending, ownerID: owner, methods: methods))
    }

    /// Gives an account to the login that proves its address, if the policy says so and the account has nothing but a password with that
    /// unproven address.
    ///
    /// What the account had before is removed.
    ///
    /// - Returns: The result; nil if there is no such account, if it has other logins or second factors, or if it is disabled.
    private func takeOver(by credential: VerifiedCredential) throws -> AuthDataResult? {
        guard auth.policy.linking.emailMatching == .evictUnverified, credential.provesEmail,
            let email = credential.email, let named = try findIdentity(.password, email)
        else { return nil }
        let account = try lockFound(named.accountID)
        guard try findIdentity(.password, email)?.accountID == account.id, try emailOwner(of: credential) == nil else {
            throw StoreError(.busy, "the address has just become another account's")
        }
        guard account.disabledAt == nil, try isUnproven(facts(of: account)) else { return nil }
        try evict(account)
        guard let identity = try addIdentity(credential, to: account) else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        try record(.identityLinked, account: account.id, actor: .user, subject: auditSubject(identity))
        return try open(
            facts(of: account, withFirst: identity, claiming: credential),
            with: identity,
            credential,
            outcome: .linked,
            methods: [credential.proven(at: now)],
            level: 1
        )
    }

    /// Whether an account has nothing but passwords with unproven addresses.
    ///
    /// A login of a provider is not taken away, even if the provider does not vouch for the address.
    private func isUnproven(_ facts: AccountFacts) -> Bool {
        facts.factors.isEmpty && facts.identities.allSatisfy { $0.providerID == .password && !$0.emailVerified }
    }

    /// Whether a new login joins an account, because both have proven the same address.
    ///
    /// This is decided when the credential is shown, and again when it joins, which may be ten minutes later. An account with another
    /// login of the same provider is not joined: the provider may have given the address to another user, or the user has two logins,
    /// and the address does not say which.
    ///
    /// - Parameters:
    ///   - credential: The credential of the login.
    ///   - account: The account. It is locked.
    ///   - identities: The identities of the account.
    /// - Returns: Whether it joins.
    /// - Throws: ``StoreError``
    func mayJoin(_ credential: VerifiedCredential, _ account: AccountID, having identities: [IdentityRecord]) throws
        -> Bool
    {
        guard auth.policy.linking.emailMatching != .never, credential.provesEmail,
            try emailOwner(of: credential) == account
        else { return false }
        return identities.allSatisfy { $0.providerID != credential.providerID }
    }

    /// Creates an account and its first identity.
    private func signUp(_ credential: VerifiedCredential) throws -> AuthDataResult {
        let account = try makeAccount(isAnonymous: false, by: credential.providerID)
        guard let identity = try addIdentity(credential, to: account) else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        return try open(
            facts(of: account, withFirst: identity, claiming: credential),
            with: identity,
            credential,
            outcome: .created,
            methods: [credential.proven(at: now)],
            level: 1
        )
    }

    /// The rows of an account that has just got its only login, after its e-mail address was updated.
    private func facts(
        of account: AccountRecord,
        withFirst identity: IdentityRecord,
        claiming credential: VerifiedCredential
    ) throws -> AccountFacts {
        var facts = AccountFacts(account: account, identities: [identity], factors: [])
        facts.account = try updateEmail(of: account, having: facts.identities, claiming: credential)
        return facts
    }

    /// Signs in to an account, or asks for the second factor, before which nothing of the account changes.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account. It is locked.
    ///   - identity: The identity of the login, read after the account was locked; nil if no account has the login.
    ///   - held: The sign-in.
    /// - Returns: The result, or the resolver.
    /// - Throws: ``AuthError``, as ``completeSignIn(_:to:as:methods:level:isViaRecovery:)``.
    private func signIn(to facts: AccountFacts, as identity: IdentityRecord?, _ held: HeldSignIn) throws
        -> SignInOutcome
    {
        try checkUsable(facts.account)
        guard facts.factors.isEmpty else { return .secondFactorRequired(try holdSignIn(held, to: facts)) }
        return .signedIn(
            try completeSignIn(held, to: facts, as: identity, methods: [held.credential.proven(at: now)], level: 1)
        )
    }

    /// Completes a sign-in for which nothing more has to be proven: refreshes or adds the identity, and opens a session.
    ///
    /// - Parameters:
    ///   - held: The sign-in.
    ///   - facts: The rows of the account. It is locked.
    ///   - known: The identity of the login, read after the account was locked; nil if no account has the login.
    ///   - methods: The authentication methods, and when each was shown.
    ///   - level: 1, or 2 with a second factor.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The account and the session.
    /// - Throws: ``AuthError``: `user-disabled`; `operation-not-allowed` if the provider was switched off; `invalid-credential` if the identity
    ///   has left the account or is revoked, or if the
    ///   password has changed.
    func completeSignIn(
        _ held: HeldSignIn,
        to facts: AccountFacts,
        as known: IdentityRecord?,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        var facts = facts
        let account = facts.account
        try checkUsable(account)
        let credential = held.credential
        try auth.checkAllowed(credential)
        // The password was compared before the account was locked, perhaps minutes ago.
        guard try isCurrent(credential) else {
            throw AuthError(.invalidCredential, "the password has been changed since it was shown")
        }
        let identity: IdentityRecord
        if let known {
            guard known.accountID == account.id else {
                throw AuthError(.invalidCredential, "the login has become another account's")
            }
            identity = try refreshIdentity(known, with: credential)
            facts.identities = facts.identities.map { $0.id == identity.id ? identity : $0 }
        } else {
            guard held.joins, try mayJoin(credential, account.id, having: facts.identities) else {
                throw AuthError(.invalidCredential, "the login is the account's no longer")
            }
            guard let joined = try addIdentity(credential, to: account) else {
                throw StoreError(.busy, "somebody has just signed in with the same login")
            }
            // Pending operations began before the account had this login.
            try voidPending(of: account.id)
            try record(.identityLinked, account: account.id, actor: .user, subject: auditSubject(joined))
            identity = joined
            facts.identities = try identities(of: account.id)
        }
        facts.account = try updateEmail(of: account, having: facts.identities, isCurrent: true)
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

    /// Opens a session for an authenticated user, and takes over the name and the picture that the account lacks.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account, as ``updateEmail(of:having:isCurrent:claiming:)`` has left them.
    ///   - identity: The identity of the login.
    ///   - credential: The credential of the login.
    ///   - outcome: The outcome of the sign-in.
    ///   - methods: The authentication methods, and when each was shown.
    ///   - level: 1, or 2 with a second factor.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The account and the session.
    /// - Throws: ``StoreError``
    func open(
        _ facts: AccountFacts,
        with identity: IdentityRecord,
        _ credential: VerifiedCredential,
        outcome: AuthDataResult.Outcome,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        typealias Column = AccountRecord.Column
        var facts = facts
        // The user may have chosen a name and a picture: the provider's fill only empty columns.
        let updated: [AccountRecord] = try update(
            set: Column.lastSignInAt.becomes(now),
            Column.displayName.becomes(facts.account.displayName ?? credential.displayName),
            Column.photoURL.becomes(facts.account.photoURL ?? credential.photoURL),
            where: Column.id.equals(facts.account.id.rawValue)
        )
        guard let account = updated.first else { throw StoreError(.damaged, "an account that is locked is gone") }
        facts.account = account
        let opened = try openSession(
            for: account,
            identity: identity,
            methods: methods,
            level: level,
            authenticatedAt: credential.provenAt(now),
            isViaRecovery: isViaRecovery
        )
        let result = AuthDataResult(
            account: try describe(facts, email: account.email),
            session: Session(opened.record, auth: auth),
            tokens: opened.tokens,
            outcome: outcome,
            identity: credential.identity?.identity
        )
        try auth.hooks?.onSignIn(result, self)
        return result
    }

    /// - Throws: ``AuthError``: `user-disabled`.
    func checkUsable(_ account: AccountRecord) throws {
        guard account.disabledAt == nil else { throw AuthError(.userDisabled, "the account is disabled") }
    }

    /// Locks the account of an identity or an address that was found.
    ///
    /// If the account is no longer in use, the transaction runs again.
    func lockFound(_ id: AccountID) throws -> AccountRecord {
        do {
            return try lockAccount(id)
        } catch let error as AuthError where error.code == .accountMerged || error.code == .userNotFound {
            throw StoreError(.busy, "the account has just gone")
        }
    }
}
