// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps that link logins to accounts, unlink them, and authenticate a user again.
struct Links {
    let accounts: AccountTable
    let identities: Identities
    let factors: SecondFactors
    let emails: EmailOwnership
    let reader: AccountReader
    let sessions: Sessions
    let held: HeldSessions
    let pendingCredentials: PendingCredentials
    let pending: PendingOperations
    let audit: AuditTrail
    let hooks: BoundHooks
    let context: TransactionContext

    private var policy: LinkPolicy { context.policy.linking }

    // MARK: - Linking

    /// Links a login to the account of a session.
    ///
    /// A conflict is committed: used credentials stay used up, and the pending credential is stored. Any other refusal
    /// is thrown, and nothing is written.
    func link(_ credential: VerifiedCredential, to held: HeldSession) throws -> TransactionEnding<AuthDataResult> {
        let (account, provider) = (held.account, credential.providerID)
        let holder = try identities.find(credential)
        if let holder, holder.accountID == account.id {
            try identities.refresh(holder, with: credential)
            try emails.update(account)
            return .commit(try self.held.unchanged(.alreadyLinked, in: held.session))
        }
        try factors.checkFirstFactor(provider, of: account.id)
        let decision = LinkDecision.decide(
            provider,
            having: try identities.of(account.id).map(\.providerID),
            holder: holder?.accountID,
            owner: holder == nil ? try emails.owner(of: credential, except: account.id) : nil,
            policy: policy
        )
        switch decision {
        case .providerAlreadyLinked:
            throw AuthError(.providerAlreadyLinked, "the account has an identity of this provider")
        case .loginTaken(let owner):
            let waiting = try keep(credential, of: owner, in: held)
            return .commitRefusal(
                AuthError(.credentialAlreadyInUse(waiting, owner: owner), "the login belongs to another account")
            )
        case .emailTaken(let owner):
            // The owner of the address may have got it with the same login since it was looked up.
            guard try identities.find(credential) == nil else { throw Self.takenMeanwhile }
            let waiting = try keep(credential, of: owner, in: held, email: credential.email)
            return .commitRefusal(
                AuthError(
                    .emailAlreadyInUse(waiting, owner: owner),
                    "the e-mail address of the login belongs to another account"
                )
            )
        case .link:
            context.pause(at: .linkBeforeIdentity)
            guard let identity = try identities.add(credential, to: account) else { throw Self.takenMeanwhile }
            return .commit(try join(identity, credential, to: held))
        }
    }

    /// The error of a conflict: the transaction runs again, and decides again.
    private static let takenMeanwhile = StoreError(.busy, "the same login was linked meanwhile")

    /// Stores a credential that conflicts with an account.
    ///
    /// The response is the same whether that account is disabled or not, so that it does not reveal it.
    private func keep(
        _ credential: VerifiedCredential,
        of owner: AccountID,
        in held: HeldSession,
        email: String? = nil
    ) throws -> PendingCredential {
        let waiting = try pendingCredentials.hold(credential, of: owner, in: held, email: email)
        // A pending credential has caused, and recorded, the conflict before.
        if credential.wait == nil {
            let subject = audit.subject(credential.providerID, credential.subject)
            try audit.record(
                .identityConflict,
                account: held.account.id,
                session: held.session.id,
                subject: subject
            )
        }
        return waiting
    }

    /// Completes the link of an identity that was added.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - credential: Its credential.
    ///   - held: The session. Its account is locked.
    ///   - previous: The lifetime of the previous tokens.
    /// - Returns: The account, the session, and the linked identity.
    /// - Throws: ``AuthError``: `invalid-user-token` if the session was closed meanwhile, or the error of the hook;
    ///   ``StoreError``
    func join(
        _ identity: IdentityRecord,
        _ credential: VerifiedCredential,
        to held: HeldSession,
        previous: PreviousTokens = .untilNewAreShown
    ) throws -> AuthDataResult {
        let account = held.account
        // Pending operations began before the account had this login.
        try pending.void(of: account.id)
        var changed = account
        changed.isAnonymous = false
        changed.adoptNameAndPicture(of: identity, among: try identities.of(account.id))
        try accounts.save(changed, from: account)
        try emails.update(account, claiming: credential)
        let subject = audit.subject(identity)
        try audit.record(.identityLinked, account: account.id, session: held.session.id, subject: subject)
        let result =
            account.isAnonymous
            ? try upgrade(held, to: identity, credential)
            : try self.held.result(.linked, in: held.session, previous: previous)
        let linked = result.proven(by: credential)
        try hooks.run(.link(linked))
        return linked
    }

    /// Completes the first link of an anonymous account, whose session becomes that of the login.
    private func upgrade(_ held: HeldSession, to identity: IdentityRecord, _ credential: VerifiedCredential) throws
        -> AuthDataResult
    {
        try audit.record(.accountUpgraded, account: held.account.id, session: held.session.id)
        try sessions.setIdentity(identity, of: held.session)
        // Otherwise the holder of a previous token of the anonymous account would have access to the user's account
        // (S-FIX-1).
        var session = held.session
        session.authenticatedAt = credential.provenAt(context.now)
        session.methods = session.methods.adding([credential.proven(at: context.now)])
        return try self.held.result(.upgraded, in: session, previous: .dead)
    }

    // MARK: - Unlinking

    /// Unlinks a login, unless no other login can sign in to the account.
    func unlink(_ provider: ProviderID, uid: String?, from held: HeldSession, closingOthers: Bool) throws
        -> AuthDataResult
    {
        let identity = try identity(of: held.account, provider, uid) { try reader.obstacle(of: $0) == nil }
        context.pause(at: .unlinkBeforeDelete)
        if held.session.identityID == identity.id { try sessions.setIdentity(nil, of: held.session) }
        try remove(identity, from: held.account, in: held.session.id)
        if closingOthers {
            try sessions.close(of: held.account.id, except: held.session.id, reason: .closedElsewhere)
        }
        // A user who closes the other sessions expects copies of these tokens to be rejected too.
        return try self.held.result(.unlinked, in: held.session, previous: closingOthers ? .dead : .untilNewAreShown)
    }

    /// Unlinks a login for an operator, who has no session of the account.
    ///
    /// The configuration plays no part: a login of a provider that is switched off counts as usable. The sessions of
    /// logins that were unlinked earlier are closed too: an attacker may have opened them.
    ///
    /// - Returns: The number of sessions that were closed, and whether another login can sign in to the account.
    func unlink(_ provider: ProviderID, uid: String?, of account: AccountRecord, evenIfLast: Bool) throws -> (
        closed: Int, isUsable: Bool
    ) {
        func isUsable(_ identity: IdentityRecord) throws -> Bool {
            let obstacle = try reader.obstacle(of: identity, isConfigured: true)
            return obstacle == nil
        }
        let identity = try identity(of: account, provider, uid, evenIfLast: evenIfLast, where: isUsable)
        context.pause(at: .unlinkBeforeDelete)
        var closed = try remove(identity, from: account, in: nil)
        closed += try sessions.closeWithoutIdentity(of: account.id, reason: .unlinked)
        return (closed, try identities.of(account.id).contains(where: isUsable))
    }

    /// Returns the identity to unlink.
    ///
    /// - Throws: ``AuthError``: `no-such-provider`, `ambiguous-provider`, `last-provider`.
    private func identity(
        of account: AccountRecord,
        _ provider: ProviderID,
        _ uid: String?,
        evenIfLast: Bool = false,
        where isUsable: (IdentityRecord) throws -> Bool
    ) throws -> IdentityRecord {
        let known = try identities.of(account.id)
        let decision = UnlinkDecision.decide(
            provider,
            named: try uid.map { try identities.find(provider, $0)?.id },
            among: try known.map { ($0.id, $0.providerID, try isUsable($0)) },
            evenIfLast: evenIfLast
        )
        let unknown = AuthError(.noSuchProvider, "the account has no such identity")
        switch decision {
        case .unlink(let id):
            guard let identity = known.first(where: { $0.id == id }) else { throw unknown }
            return identity
        case .noSuchProvider: throw unknown
        case .ambiguous(let count):
            throw AuthError(.ambiguousProvider, "the account has \(count) identities of this provider")
        case .lastProvider: throw AuthError(.lastProvider, "the account has no other way to sign in")
        }
    }

    /// Removes an identity, with the name and the picture that the account has from it, and closes the sessions that
    /// were opened with it, except one.
    ///
    /// - Returns: The number of sessions that were closed.
    @discardableResult
    private func remove(_ identity: IdentityRecord, from account: AccountRecord, in session: SessionID?)
        throws(StoreError) -> Int
    {
        try identities.remove(identity)
        let closed = try sessions.close(openedWith: identity, except: session, reason: .unlinked)
        try pending.void(of: account.id)
        var cleared = account
        cleared.clearNameAndPicture(from: identity.id)
        try emails.update(accounts.save(cleared, from: account))
        try audit.record(.identityUnlinked, account: account.id, session: session, subject: audit.subject(identity))
        return closed
    }

    // MARK: - Reauthentication

    /// Stores a reauthentication of a session's user.
    ///
    /// - Throws: ``AuthError``: `user-mismatch`, `second-factor-required`; `requires-recent-login` if the provider has
    ///   not authenticated the user recently.
    func reauthenticate(_ credential: VerifiedCredential, in held: HeldSession) throws -> AuthDataResult {
        let identity = try ownIdentity(credential, in: held)
        if let obstacle = credential.reauthenticationObstacle(within: policy.recentLogin, at: context.now) {
            throw obstacle
        }
        try identities.refresh(identity, with: credential)
        try emails.update(held.account)
        try audit.record(.sessionReauthenticated, account: held.account.id, session: held.session.id)
        return try self.held.result(
            .reauthenticated,
            in: held.session,
            provenBy: credential.proven(at: context.now)
        )
    }

    /// Stores the result of a login that requested permissions in a session.
    ///
    /// - Throws: ``AuthError``: `user-mismatch`, `second-factor-required`.
    func extend(
        _ held: HeldSession,
        with credential: VerifiedCredential,
        requesting permissions: Set<Permission>
    ) throws -> AuthDataResult {
        let identity = try ownIdentity(credential, in: held)
        let refreshed = try identities.refresh(identity, with: credential.requesting(permissions))
        try emails.update(held.account)
        let additional = permissions.subtracting(try identity.granted()?.statuses.granted ?? [])
        let granted = try refreshed.granted()?.statuses.granted ?? []
        // A user who grants none of the further permissions keeps those of the session, and its tokens.
        guard additional.isEmpty || !additional.isDisjoint(with: granted) else {
            // A missing claim is no refusal: the user may have no value, or the permission no claim.
            let outcome: AuthDataResult.Outcome =
                credential.declines(additional) ? .permissionsDeclined : .permissionsUnknown
            return try self.held.unchanged(outcome, in: held.session)
        }
        return try self.held.result(.reauthenticated, in: held.session)
    }

    /// Returns the identity of a credential, if it belongs to the account of a session that has all factors.
    private func ownIdentity(_ credential: VerifiedCredential, in held: HeldSession) throws -> IdentityRecord {
        guard let identity = try identities.find(credential), identity.accountID == held.account.id else {
            throw AuthError(.userMismatch, "the login does not belong to the account")
        }
        try self.held.requireAllFactors(held)
        return identity
    }
}

extension VerifiedCredential {
    /// Returns the reason why the credential does not reauthenticate a user; nil if it does.
    ///
    /// A provider may have answered from its own session for a browser that another person uses, so it must have
    /// authenticated the user recently. Passwords and codes are verified by the request itself.
    func reauthenticationObstacle(within age: Duration, at now: StoreTime) -> AuthError? {
        guard method == Self.federated else { return nil }
        if let authenticatedAt {
            guard authenticatedAt.isRecent(age, at: now) else {
                return AuthError(
                    .requiresRecentLogin,
                    "auth_time is too long ago, or invalid",
                    provider: providerID
                )
            }
        } else {
            guard begunAt.isRecent(Auth.reauthenticationTime, at: now) else {
                return AuthError(
                    .requiresRecentLogin,
                    "the attempt began more than five minutes ago, and the token has no auth_time",
                    provider: providerID
                )
            }
        }
        return nil
    }
}
