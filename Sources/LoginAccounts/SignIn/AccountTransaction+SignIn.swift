// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension AccountTransaction {
    /// Decides whose account a login leads to.
    ///
    /// What is decided on is looked up again once the account is locked. Where somebody was faster, the whole transaction is run
    /// again, so that no account is left that nobody has.
    func signIn(_ credential: VerifiedCredential) throws -> Result<AuthDataResult, AuthError> {
        if let identity = try findIdentity(credential.providerID, credential.subject) {
            let account = try lockFound(identity.accountID)
            guard try findIdentity(credential.providerID, credential.subject)?.accountID == account.id else {
                throw StoreError(.busy, "the identity has just left the account")
            }
            return try signIn(to: account, HeldSignIn(credential: credential, joins: false))
        }
        let owner = try emailOwner(of: credential)
        pause(at: .signInBeforeAccount)
        if let owner { return try signIn(credential, meeting: owner) }
        return .success(try takeOver(by: credential) ?? signUp(credential))
    }

    /// The login is new, and another account has proven its address.
    private func signIn(_ credential: VerifiedCredential, meeting owner: AccountID) throws
        -> Result<AuthDataResult, AuthError>
    {
        let policy = auth.policy.linking
        if policy.emailMatching != .never, credential.provesEmail {
            let account = try lockFound(owner)
            guard try emailOwner(of: credential) == owner else {
                throw StoreError(.busy, "the address has just become another account's")
            }
            if try mayJoin(credential, account) {
                return try signIn(to: account, HeldSignIn(credential: credential, joins: true))
            }
        }
        guard policy.oneAccountPerEmail else { return .success(try signUp(credential)) }
        // Somebody who has made the account with this very login since it was looked for has made its address the account's too.
        guard try findIdentity(credential.providerID, credential.subject) == nil else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        let pending = try holdCredential(credential, of: owner, session: nil, email: credential.email)
        // What has waited met this before.
        if credential.wait == nil {
            try record(
                .identityConflict,
                account: owner,
                subject: auditSubject(credential.providerID, credential.subject)
            )
        }
        return .failure(
            AuthError(
                .accountExistsWithDifferentCredential,
                "the e-mail address of the login is another account's",
                pendingCredential: pending,
                ownerID: owner
            )
        )
    }

    /// Gives an account to the login that proves its address, where the policy says so and the account has nothing but a password with that
    /// address, which was never proven; what was there before goes.
    ///
    /// - Returns: Nil where there is no such account, or more to it, so that it may well be somebody else's; or where it is disabled.
    private func takeOver(by credential: VerifiedCredential) throws -> AuthDataResult? {
        guard auth.policy.linking.emailMatching == .evictUnverified, credential.provesEmail,
            let email = credential.email, let named = try findIdentity(.password, email)
        else { return nil }
        let account = try lockFound(named.accountID)
        guard try findIdentity(.password, email)?.accountID == account.id, try emailOwner(of: credential) == nil else {
            throw StoreError(.busy, "the address has just become another account's")
        }
        guard account.disabledAt == nil, try isUnproven(account) else { return nil }
        try evict(account)
        guard let identity = try addIdentity(credential, to: account) else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        try record(.identityLinked, account: account.id, actor: .user, subject: auditSubject(identity))
        let updated = try updateEmail(of: account, claiming: credential)
        return try open(
            updated,
            with: identity,
            credential,
            outcome: .linked,
            methods: [credential.proven(at: now)],
            level: 1
        )
    }

    /// Whether nobody has ever proven to be the account's person: its address has a password, and that is all.
    ///
    /// An address that a provider named without vouching for it is not enough to take away the login that named it.
    private func isUnproven(_ account: AccountRecord) throws -> Bool {
        guard try confirmedFactors(of: account.id).isEmpty else { return false }
        return try identities(of: account.id).allSatisfy { $0.providerID == .password && !$0.emailVerified }
    }

    /// Whether a login that is new joins an account, because both have proven the same address.
    ///
    /// It is asked when the login is shown, and again when it joins, which may be ten minutes later.
    func mayJoin(_ credential: VerifiedCredential, _ account: AccountRecord) throws -> Bool {
        guard auth.policy.linking.emailMatching != .never, credential.provesEmail,
            try emailOwner(of: credential) == account.id
        else { return false }
        return try !isStranger(credential, to: account)
    }

    /// Whether the account has another login of the same provider: the provider has then given the address to somebody else, or the
    /// person has two, and an address does not say which.
    private func isStranger(_ credential: VerifiedCredential, to account: AccountRecord) throws -> Bool {
        try identities(of: account.id).contains { $0.providerID == credential.providerID }
    }

    /// A new account, and its first identity.
    private func signUp(_ credential: VerifiedCredential) throws -> AuthDataResult {
        let account = try makeAccount(isAnonymous: false, by: credential.providerID)
        guard let identity = try addIdentity(credential, to: account) else {
            throw StoreError(.busy, "somebody has just signed in with the same login")
        }
        let updated = try updateEmail(of: account, claiming: credential)
        return try open(
            updated,
            with: identity,
            credential,
            outcome: .created,
            methods: [credential.proven(at: now)],
            level: 1
        )
    }

    /// Signs in to an account that is locked, or asks for the second factor.
    ///
    /// Before the second factor nothing of the account changes.
    func signIn(to account: AccountRecord, _ held: HeldSignIn) throws -> Result<AuthDataResult, AuthError> {
        try checkUsable(account)
        guard try confirmedFactors(of: account.id).isEmpty else {
            let resolver = try holdSignIn(held, to: account)
            return .failure(
                AuthError(.secondFactorRequired, "the account has a second factor", resolver: resolver)
            )
        }
        return .success(
            try completeSignIn(held, to: account, methods: [held.credential.proven(at: now)], level: 1)
        )
    }

    /// Signs in once everything is proven: the identity is refreshed or joins, and a session opens.
    ///
    /// - Parameters:
    ///   - held: What was proven, and what happens then.
    ///   - account: The account. It is locked.
    ///   - methods: How the person was proven, and when.
    ///   - level: 1, or 2 with a second factor.
    ///   - isViaRecovery: Whether a recovery code was the second factor.
    /// - Returns: The account and the session.
    /// - Throws: ``AuthError``: `user-disabled`; `invalid-credential` where the identity is the account's no longer, or revoked, or the
    ///   password another.
    func completeSignIn(
        _ held: HeldSignIn,
        to account: AccountRecord,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        try checkUsable(account)
        let credential = held.credential
        // It was compared before the account was locked, and may have waited for the second factor.
        guard try isCurrent(credential) else {
            throw AuthError(.invalidCredential, "the password has been changed since it was shown")
        }
        let known = try findIdentity(credential.providerID, credential.subject)
        let identity: IdentityRecord
        if let known {
            guard known.accountID == account.id else {
                throw AuthError(.invalidCredential, "the login has become another account's")
            }
            identity = try refreshIdentity(known, with: credential)
        } else {
            guard held.joins, try mayJoin(credential, account) else {
                throw AuthError(.invalidCredential, "the login is the account's no longer")
            }
            guard let joined = try addIdentity(credential, to: account) else {
                throw StoreError(.busy, "somebody has just signed in with the same login")
            }
            // What waits was begun when the account could be reached otherwise than now.
            try voidPending(of: account.id)
            try record(.identityLinked, account: account.id, actor: .user, subject: auditSubject(joined))
            identity = joined
        }
        let updated = try updateEmail(of: account, isCurrent: true)
        return try open(
            updated,
            with: identity,
            credential,
            outcome: known == nil ? .linked : .signedIn,
            methods: methods,
            level: level,
            isViaRecovery: isViaRecovery
        )
    }

    /// Opens a session for who is proven, and fills in what the account does not say of them yet.
    func open(
        _ account: AccountRecord,
        with identity: IdentityRecord,
        _ credential: VerifiedCredential,
        outcome: AuthDataResult.Outcome,
        methods: [ProvenMethod],
        level: Int64,
        isViaRecovery: Bool = false
    ) throws -> AuthDataResult {
        typealias Column = AccountRecord.Column
        // The person may have chosen others since: what a provider says fills only what is empty.
        try update(
            AccountRecord.self,
            set: Column.lastSignInAt.becomes(now),
            Column.displayName.becomes(account.displayName ?? credential.displayName),
            Column.photoURL.becomes(account.photoURL ?? credential.photoURL),
            where: Column.id.equals(account.id.rawValue)
        )
        let opened = try openSession(
            for: account,
            identity: identity,
            methods: methods,
            level: level,
            authenticatedAt: credential.provenAt(now),
            isViaRecovery: isViaRecovery
        )
        return AuthDataResult(
            account: try readAccount(account.id),
            session: Session(opened.record, auth: auth),
            tokens: opened.tokens,
            outcome: outcome
        )
    }

    /// - Throws: ``AuthError``: `user-disabled`.
    func checkUsable(_ account: AccountRecord) throws {
        guard account.disabledAt == nil else { throw AuthError(.userDisabled, "the account is disabled") }
    }

    /// Locks an account that an identity or an address has led to: where it is no longer in use, that was a moment ago.
    func lockFound(_ id: AccountID) throws -> AccountRecord {
        do {
            return try lockAccount(id)
        } catch let error as AuthError where error.code == .accountMerged || error.code == .userNotFound {
            throw StoreError(.busy, "the account has just gone")
        }
    }
}
