// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps with which a provider revokes logins and permissions, or changes subjects.
struct Revocations {
    let accounts: Accounts
    let table: IdentityTable
    let keys: IdentityKeyTable
    let sessions: Sessions
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    /// Revokes a login, unless the provider reports a time since which the user has signed in with it.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - uid: The provider's identifier of the user.
    ///   - time: The time of the revocation; nil for now.
    ///   - session: The session in which the user revokes the login, which stays open; nil for a revocation by the
    ///     provider.
    /// - Throws: ``AuthError``: `user-not-found`.
    func revoke(_ provider: ProviderID, _ uid: String, at time: StoreTime?, in session: SessionRecord? = nil) throws {
        let identity = try lock(provider, uid)
        let time = min(time ?? context.now, context.now)
        // In a session, the user has just logged in, perhaps on a server whose clock is ahead.
        guard session != nil || identity.lastSignInAt <= time, identity.revokedAt.map({ $0 < time }) ?? true else {
            return
        }
        var revoked = identity
        revoked.status = IdentityStatus.revoked.rawValue
        revoked.revokedAt = time
        (revoked.permissions, revoked.profile) = (nil, nil)
        try table.save(revoked, from: identity)
        if let session, session.identityID == identity.id { try sessions.setIdentity(nil, of: session) }
        try sessions.close(openedWith: identity, except: session?.id, reason: .unlinked)
        let subject = ["provider": provider.rawValue]
        try audit.record(.identityRevoked, account: identity.accountID, session: session?.id, subject: subject)
    }

    /// Revokes one permission of a login, which stays active.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - provider: The provider.
    ///   - uid: The provider's identifier of the user.
    ///   - requested: The permissions that logins request: only these, and those that are stored with the login, are
    ///     stored as declined; nil for any permission.
    ///   - session: The session in which the user revokes it; nil for a revocation by the provider.
    /// - Throws: ``AuthError``: `user-not-found`.
    func revoke(
        _ permission: Permission,
        _ provider: ProviderID,
        _ uid: String,
        among requested: Set<Permission>? = nil,
        in session: SessionRecord? = nil
    ) throws {
        let identity = try lock(provider, uid)
        var permissions = try identity.granted() ?? GrantedPermissions(granted: [], declined: [])
        // Names that a user makes up would fill the row.
        if let requested, !requested.contains(permission), !permissions.contains(permission.rawValue) { return }
        guard permissions.decline(permission.rawValue) else { return }
        var changed = identity
        changed.permissions = try JSONText.encode(permissions)
        // The stored profile may have the data of the permission.
        changed.profile = nil
        try table.save(changed, from: identity)
        let subject = ["provider": provider.rawValue, "permission": permission.rawValue]
        try audit.record(.permissionRevoked, account: identity.accountID, session: session?.id, subject: subject)
    }

    /// Detaches a session from a login, so that a revocation by the provider does not close the session.
    ///
    /// - Parameters:
    ///   - session: The session. Its account is locked.
    ///   - provider: The provider.
    ///   - uid: The provider's identifier of the user.
    /// - Returns: Whether the session was opened with the login.
    /// - Throws: ``StoreError``
    func detach(_ session: SessionRecord, from provider: ProviderID, _ uid: String) throws(StoreError) -> Bool {
        guard let identity = try keys.identity(provider, uid), session.identityID == identity.id else { return false }
        try sessions.setIdentity(nil, of: session)
        return true
    }

    /// Attaches a session to its login again, unless the login was revoked or unlinked meanwhile.
    func attach(_ session: SessionRecord, to provider: ProviderID, _ uid: String) throws(StoreError) {
        guard let identity = try keys.identity(provider, uid), identity.accountID == session.accountID,
            identity.revokedAt == nil
        else { return }
        try sessions.setIdentity(identity, of: session)
    }

    /// Requires that a login belongs to the account of a session.
    ///
    /// - Throws: ``AuthError``: `user-mismatch`.
    func require(_ provider: ProviderID, _ uid: String, of held: HeldSession) throws {
        guard try keys.identity(provider, uid)?.accountID == held.account.id else {
            throw AuthError(.userMismatch, "the login does not belong to the account")
        }
    }

    /// Locks the account of a login, and reads the identity.
    private func lock(_ provider: ProviderID, _ uid: String) throws -> IdentityRecord {
        guard let seen = try keys.identity(provider, uid) else {
            throw AuthError(.userNotFound, "no account has this login")
        }
        let account = try accounts.lock(seen.accountID)
        guard let identity = try keys.identity(provider, uid), identity.accountID == account.id else {
            throw StoreError(.busy, "the identity was unlinked meanwhile")
        }
        return identity
    }

    /// Gives an identity another subject, or one more.
    ///
    /// - Throws: ``AuthError``: `no-such-provider`; `credential-already-in-use` if another identity has the new
    ///   subject.
    func rename(_ provider: ProviderID, from old: String, to new: String, keepingOld: Bool) throws {
        guard let found = try keys.identity(provider, old) else {
            throw AuthError(.noSuchProvider, "no identity has this subject")
        }
        let account = try accounts.lock(found.accountID)
        guard let identity = try keys.identity(provider, old), identity.accountID == account.id else {
            throw StoreError(.busy, "the identity was unlinked meanwhile")
        }
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
            var renamed = identity
            renamed.subject = new
            try table.save(renamed, from: identity)
        }
        var subject = audit.subject(provider, old)
        subject["to"] = audit.subject(provider, new)["subject"]
        try audit.record(keepingOld ? .identityAliased : .identityRekeyed, account: account.id, subject: subject)
    }
}
