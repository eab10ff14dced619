// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// A login that is revoked at its provider, or one of its permissions.
struct Revocation: Sendable {
    /// The provider.
    let provider: ProviderID

    /// The provider's identifier of the user.
    let uid: String

    /// The permission; nil for the whole login.
    var permission: Permission? = nil
}

/// The steps that store revocations by users and by providers, and changes of subjects.
struct Revocations {
    let accounts: Accounts
    let identities: Identities
    let table: IdentityTable
    let emails: EmailOwnership
    let keys: IdentityKeyTable
    let sessions: Sessions
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    // MARK: - By the provider

    /// Stores a revocation that the provider reports.
    ///
    /// A whole login is not revoked if the user has signed in with it since. A session that is revoking it stays open.
    ///
    /// - Parameters:
    ///   - revocation: The revocation.
    ///   - time: The time at which the whole login was revoked; nil for now.
    /// - Throws: ``AuthError``: `user-not-found`.
    func store(_ revocation: Revocation, at time: StoreTime? = nil) throws {
        let (account, identity) = try lock(revocation.provider, revocation.uid)
        if let permission = revocation.permission { return try decline(permission, of: identity, account) }
        let time = min(time ?? context.now, context.now)
        guard !identity.wasUsed(after: time, at: context.now) else { return }
        try sessions.detachRevoking(identity)
        try revoke(identity, at: time)
    }

    // MARK: - By the user

    /// The time for which a session counts as revoking its login: that of the requests to the provider, and a
    /// difference between the clocks of servers.
    private static let revokingTime = Auth.accessTokenTime + .seconds(45)

    /// Begins a revocation in a session, before the provider is called.
    ///
    /// The provider may report the end of the login before it responds. For a minute, this does not close the session.
    ///
    /// - Throws: ``AuthError``: `user-mismatch`.
    func begin(_ revocation: Revocation, in held: HeldSession) throws {
        if try closesSession(revocation, held) {
            try sessions.setRevoking(held.session, until: context.now + Self.revokingTime)
        }
    }

    /// Ends a revocation in a session that the provider has refused: the end of the login closes the session again.
    func cancel(_ revocation: Revocation, in held: HeldSession) throws {
        if try closesSession(revocation, held) { try sessions.setRevoking(held.session, until: nil) }
    }

    /// Returns whether the end of the login would close the session: it was opened with it.
    private func closesSession(_ revocation: Revocation, _ held: HeldSession) throws -> Bool {
        let identity = try identity(revocation, of: held)
        return revocation.permission == nil && held.session.identityID == identity.id
    }

    /// Stores a revocation in a session, which stays open, after the provider has confirmed it.
    ///
    /// - Parameters:
    ///   - revocation: The revocation.
    ///   - requested: The permissions that logins request: only these, and those that are stored with the login, are
    ///     stored as declined.
    ///   - held: The session.
    /// - Throws: ``AuthError``: `user-mismatch`.
    func complete(_ revocation: Revocation, requested: Set<Permission>, in held: HeldSession) throws {
        let session = held.session
        let identity = try identity(revocation, of: held)
        guard let permission = revocation.permission else {
            if session.identityID == identity.id { try sessions.setIdentity(nil, of: session) }
            return try revoke(identity, at: context.now, in: session)
        }
        // Names that a user makes up would fill the row.
        let isKnown = try requested.contains(permission) || identity.granted()?.contains(permission.rawValue) ?? false
        if isKnown { try decline(permission, of: identity, held.account, in: session) }
    }

    /// Returns the identity of a revocation, if it belongs to the account of a session.
    private func identity(_ revocation: Revocation, of held: HeldSession) throws -> IdentityRecord {
        guard let identity = try keys.identity(revocation.provider, revocation.uid),
            identity.accountID == held.account.id
        else { throw AuthError(.userMismatch, "the login does not belong to the account") }
        return identity
    }

    // MARK: - Writing

    /// Revokes a login, and closes the sessions that count as opened with it, unless it was revoked later.
    ///
    /// The audit records it once, though both the user's session and the provider report it.
    private func revoke(_ identity: IdentityRecord, at time: StoreTime, in session: SessionRecord? = nil) throws {
        guard identity.revokedAt.map({ $0 < time || $0.isAhead(of: context.now) }) ?? true else { return }
        var revoked = identity
        revoked.status = IdentityStatus.revoked.rawValue
        revoked.revokedAt = time
        (revoked.permissions, revoked.profile) = (nil, nil)
        try table.save(revoked, from: identity)
        try sessions.close(openedWith: identity, reason: .unlinked)
        guard identity.revokedAt == nil else { return }
        let subject = ["provider": identity.providerID.rawValue]
        try audit.record(.identityRevoked, account: identity.accountID, session: session?.id, subject: subject)
    }

    /// Stores a permission of a login, which stays active, as declined, and removes what it gave from the login and
    /// from its account, which is locked.
    private func decline(
        _ permission: Permission,
        of identity: IdentityRecord,
        _ account: AccountRecord,
        in session: SessionRecord? = nil
    ) throws {
        var permissions = try identity.granted() ?? GrantedPermissions(granted: [], declined: [])
        guard permissions.decline(permission.rawValue) else { return }
        var changed = try identities.pruned(identity, of: permission)
        changed.permissions = try JSONText.encode(permissions)
        try table.save(changed, from: identity)
        var cleared = account
        cleared.clearNameAndPicture(from: identity.id, with: changed)
        try emails.update(accounts.accounts.save(cleared, from: account), isCurrent: true)
        let subject = ["provider": identity.providerID.rawValue, "permission": permission.rawValue]
        try audit.record(.permissionRevoked, account: identity.accountID, session: session?.id, subject: subject)
    }

    /// Locks the account of a login, and reads both.
    ///
    /// - Throws: ``AuthError``: `user-not-found`.
    private func lock(_ provider: ProviderID, _ subject: String) throws -> (AccountRecord, IdentityRecord) {
        guard let seen = try keys.identity(provider, subject) else {
            throw AuthError(.userNotFound, "no account has this login")
        }
        let account = try accounts.lock(seen.accountID)
        return (account, try identity(provider, subject, of: account))
    }

    // MARK: - Subjects

    /// Gives an identity another subject, or one more.
    ///
    /// - Throws: ``AuthError``: `no-such-provider`; `credential-already-in-use` if another identity has the new
    ///   subject.
    func rename(_ provider: ProviderID, from old: String, to new: String, keepingOld: Bool) throws {
        guard let found = try keys.identity(provider, old) else {
            throw AuthError(.noSuchProvider, "no identity has this subject")
        }
        let account = try accounts.lock(found.accountID)
        let identity = try identity(provider, old, of: account)
        let key = IdentityKeyRecord(
            providerID: provider,
            subject: new,
            identityID: identity.id,
            createdAt: context.now
        )
        let isNew = try keys.insert(key)
        if !isNew {
            let owner = try keys.identity(provider, new)
            guard owner?.id == identity.id else {
                throw AuthError(
                    .credentialAlreadyInUse(nil, owner: owner?.accountID),
                    "another identity has the new subject"
                )
            }
        }
        guard !isEqual(old, new), isNew || !keepingOld else { return }
        if !keepingOld {
            // A credential with the old subject would create an account of its own.
            try pending.void(of: identity)
            try keys.remove(provider, old)
            try setSubject(new, of: identity)
        }
        let action = keepingOld ? AuditAction.identityAliased : .identityRekeyed
        try record(action, provider, from: old, to: new, of: account)
    }

    /// Returns the outcome that a change has now, without locking the account.
    func outcome(of change: SubjectChange) throws(StoreError) -> SubjectChangeOutcome {
        let old = try keys.identity(change.providerID, change.old)
        return SubjectChangeOutcome(old: old, new: try keys.identity(change.providerID, change.new))
    }

    /// Gives an identity the subject that its provider issues now, beside the old one.
    ///
    /// - Returns: The outcome. If it is not `relinked`, nothing was written.
    /// - Throws: ``StoreError``
    func relink(_ change: SubjectChange) throws(StoreError) -> SubjectChangeOutcome {
        let provider = change.providerID
        guard let found = try keys.identity(provider, change.old) else { return .unknown }
        let account = try accounts.lockFound(found.accountID)
        let identity = try identity(provider, change.old, of: account)
        let outcome = SubjectChangeOutcome(old: identity, new: try keys.identity(provider, change.new))
        guard case .relinked = outcome else { return outcome }
        context.pause(at: .relinkBeforeKey)
        let key = IdentityKeyRecord(
            providerID: provider,
            subject: change.new,
            identityID: identity.id,
            createdAt: context.now
        )
        guard try keys.insert(key) else {
            throw StoreError(.busy, "the new subject was given to an identity meanwhile")
        }
        try setSubject(change.new, of: identity)
        try record(.identityRekeyed, provider, from: change.old, to: change.new, of: account)
        return outcome
    }

    /// Reads an identity of a subject again, now that its account is locked.
    private func identity(_ provider: ProviderID, _ subject: String, of account: AccountRecord) throws(StoreError)
        -> IdentityRecord
    {
        guard let identity = try keys.identity(provider, subject), identity.accountID == account.id else {
            throw StoreError(.busy, "the identity was unlinked meanwhile")
        }
        return identity
    }

    private func setSubject(_ subject: String, of identity: IdentityRecord) throws(StoreError) {
        var renamed = identity
        renamed.subject = subject
        try table.save(renamed, from: identity)
    }

    private func record(
        _ action: AuditAction,
        _ provider: ProviderID,
        from old: String,
        to new: String,
        of account: AccountRecord
    ) throws(StoreError) {
        var subject = audit.subject(provider, old)
        subject["to"] = audit.subject(provider, new)["subject"]
        try audit.record(action, account: account.id, subject: subject)
    }
}
