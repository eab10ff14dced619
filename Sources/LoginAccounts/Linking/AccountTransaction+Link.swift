// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension AccountTransaction {
    /// Links what was proven, or says whose it is.
    ///
    /// A conflict is returned: what it has consumed stays consumed, and what was proven is kept for later. All else that is refused is
    /// thrown, and then nothing was written.
    func link(_ credential: VerifiedCredential, to held: HeldSession) throws -> Result<AuthDataResult, AuthError> {
        let (account, provider) = (held.account, credential.providerID)
        if let identity = try findIdentity(provider, credential.subject), identity.accountID == account.id {
            _ = try refreshIdentity(identity, with: credential)
            try updateEmail(of: account)
            return .success(try unchanged(.alreadyLinked, in: held.session))
        }
        try checkFirstFactor(provider, of: account.id)
        try checkFree(provider, of: account)
        if let conflict = try conflict(of: credential, with: held) { return .failure(conflict) }
        pause(at: .linkBeforeIdentity)
        guard let identity = try addIdentity(credential, to: account) else {
            // Who was faster decides what this is; the whole decision is made again.
            throw StoreError(.busy, "somebody has just got the same login")
        }
        return .success(try join(identity, credential, to: held))
    }

    /// Sees that the account may have an identity of this provider.
    private func checkFree(_ provider: ProviderID, of account: AccountRecord) throws {
        guard auth.policy.linking.identitiesPerProvider == .one else { return }
        guard try identities(of: account.id).allSatisfy({ $0.providerID != provider }) else {
            throw AuthError(.providerAlreadyLinked, "the account has an identity of this provider")
        }
    }

    /// What stands in the way: the login, or its address, is another account's.
    ///
    /// It is the same answer whether that account is
    /// disabled or not, so that nobody learns it.
    private func conflict(of credential: VerifiedCredential, with held: HeldSession) throws -> AuthError? {
        let (owner, email): (AccountID, String?)
        if let identity = try findIdentity(credential.providerID, credential.subject) {
            (owner, email) = (identity.accountID, nil)
        } else if auth.policy.linking.oneAccountPerEmail,
            let other = try emailOwner(of: credential, except: held.account.id)
        {
            // The owner of the address may have got it with this very login, since that was looked for.
            guard try findIdentity(credential.providerID, credential.subject) == nil else {
                throw StoreError(.busy, "somebody has just got the same login")
            }
            (owner, email) = (other, credential.email)
        } else {
            return nil
        }
        let pending = try holdCredential(credential, of: owner, session: held.session.id, email: email)
        // What has waited met this before.
        if credential.wait == nil {
            try record(
                .identityConflict,
                account: held.account.id,
                session: held.session.id,
                subject: auditSubject(credential.providerID, credential.subject)
            )
        }
        guard email != nil else {
            return AuthError(.credentialAlreadyInUse(pending, owner: owner), "the login is another account's")
        }
        return AuthError(
            .emailAlreadyInUse(pending, owner: owner),
            "the e-mail address of the login is another account's"
        )
    }

    /// What follows from a new identity.
    func join(
        _ identity: IdentityRecord,
        _ credential: VerifiedCredential,
        to held: HeldSession,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> AuthDataResult {
        typealias Column = AccountRecord.Column
        let account = held.account
        // What waits was begun when the account could be reached otherwise than now.
        try voidPending(of: account.id)
        try update(
            AccountRecord.self,
            set: Column.isAnonymous.becomes(false),
            // The person may have chosen others since: what a provider says fills only what is empty.
            Column.displayName.becomes(account.displayName ?? credential.displayName),
            Column.photoURL.becomes(account.photoURL ?? credential.photoURL),
            where: Column.id.equals(account.id.rawValue)
        )
        try updateEmail(of: account, claiming: credential)
        try record(
            .identityLinked,
            account: account.id,
            session: held.session.id,
            subject: auditSubject(identity)
        )
        guard account.isAnonymous else { return try result(.linked, in: held.session, previous: previous) }
        try record(.accountUpgraded, account: account.id, session: held.session.id)
        try name(identity, as: held.session)
        // Whoever had a token of the guest's would be in the account of the one who has just come (S-FIX-1).
        var session = held.session
        session.authenticatedAt = credential.provenAt(now)
        session.methods = session.methods.adding([credential.proven(at: now)])
        return try result(.upgraded, in: session, previous: .dead)
    }

    /// Says of an anonymous session that it is this identity's from now on: unlinking that closes it, as any it has opened.
    private func name(_ identity: IdentityRecord, as session: SessionRecord) throws {
        try update(
            SessionFamilyRecord.self,
            set: SessionFamilyRecord.Column.identityID.becomes(identity.id),
            where: SessionFamilyRecord.Column.id.equals(session.familyID)
        )
        try update(
            SessionRecord.self,
            set: SessionRecord.Column.identityID.becomes(identity.id),
            where: SessionRecord.Column.id.equals(session.id.rawValue)
        )
    }

    /// Records that the user of a session was proven again.
    ///
    /// - Throws: ``AuthError``: `user-mismatch`, `second-factor-required`; `requires-recent-login` where the provider has not
    ///   authenticated the user recently.
    func reauthenticate(_ credential: VerifiedCredential, in held: HeldSession) throws -> AuthDataResult {
        guard let identity = try findIdentity(credential.providerID, credential.subject),
            identity.accountID == held.account.id
        else { throw AuthError(.userMismatch, "the login is not the account's") }
        // Who has one factor changes nothing of an account that has two.
        if try !confirmedFactors(of: held.account.id).isEmpty { try requireLevel(2, of: held.session) }
        try requireRecentAuthentication(credential)
        _ = try refreshIdentity(identity, with: credential)
        try updateEmail(of: held.account)
        try record(.sessionReauthenticated, account: held.account.id, session: held.session.id)
        return try result(.reauthenticated, in: held.session, provenBy: credential.proven(at: now))
    }

    /// Refuses a login at a provider that authenticated the user too long ago: the provider may have answered for a browser that
    /// somebody else uses, without asking for anything.
    ///
    /// Passwords and codes are checked by the request itself.
    private func requireRecentAuthentication(_ credential: VerifiedCredential) throws {
        guard credential.method == VerifiedCredential.federated else { return }
        if let authenticatedAt = credential.authenticatedAt {
            let isRecent = authenticatedAt + auth.policy.linking.recentLogin >= now
            guard isRecent, authenticatedAt <= now + Auth.providerClockTolerance else {
                throw AuthError(
                    .requiresRecentLogin,
                    "the provider authenticated the user too long ago, or names no time for it that can be true (auth_time)",
                    provider: credential.providerID
                )
            }
        } else {
            guard credential.begunAt + Auth.reauthenticationTime >= now else {
                throw AuthError(
                    .requiresRecentLogin,
                    "the attempt began more than five minutes ago, and the token does not say when the user was authenticated",
                    provider: credential.providerID
                )
            }
        }
    }
}
