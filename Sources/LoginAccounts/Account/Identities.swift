// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps that add identities to accounts, keep them up to date, and remove them.
struct Identities {
    let identities: IdentityTable
    let keys: IdentityKeyTable
    let passwords: PasswordTable
    let pending: PendingOperations
    let context: TransactionContext

    /// Finds the identity of a subject, which may be any of the identity's subjects.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - subject: The subject, compared byte for byte.
    /// - Returns: The identity, whatever its status; nil if no account has the login.
    /// - Throws: ``StoreError``
    func find(_ provider: ProviderID, _ subject: String) throws(StoreError) -> IdentityRecord? {
        try keys.identity(provider, subject)
    }

    /// Finds the identity of a credential; see ``find(_:_:)``.
    func find(_ credential: VerifiedCredential) throws(StoreError) -> IdentityRecord? {
        try keys.identity(credential.providerID, credential.subject)
    }

    /// Returns the identities of an account, in the order in which they were linked.
    func of(_ account: AccountID) throws(StoreError) -> [IdentityRecord] { try identities.of(account) }

    /// Adds an identity to an account.
    ///
    /// - Parameters:
    ///   - credential: The credential of the login.
    ///   - account: The account. It is locked.
    /// - Returns: The identity; nil if an account has the login, and then nothing was written.
    /// - Throws: ``AuthError``: `provider-already-linked` if the account may have one identity of the provider, and has
    ///   one.
    func add(_ credential: VerifiedCredential, to account: AccountRecord) throws -> IdentityRecord? {
        let isSingle = context.policy.linking.identitiesPerProvider == .one
        let id = context.makeID()
        var identity = IdentityRecord(
            id: id,
            accountID: account.id,
            providerID: credential.providerID,
            subject: credential.subject,
            singleKey: isSingle ? credential.providerID.rawValue : nil,
            email: credential.email,
            emailVerified: credential.isEmailVerified,
            isEmailPrivate: credential.isEmailPrivate,
            displayName: credential.displayName,
            photoURL: credential.photoURL,
            phoneNumber: credential.phoneNumber,
            permissions: try credential.permissions(after: nil).map { try JSONText.encode($0) },
            linkedAt: context.now,
            lastSignInAt: context.now
        )
        identity.profile = try profile(of: credential, for: id)
        let key = IdentityKeyRecord(
            providerID: credential.providerID,
            subject: credential.subject,
            identityID: identity.id,
            createdAt: context.now
        )
        guard try keys.insert(key) else { return nil }
        guard try identities.insert(identity) else {
            throw AuthError(.providerAlreadyLinked, "the account has an identity of this provider")
        }
        return identity
    }

    /// Stores the claims of a credential in its identity, and removes those that the provider no longer sends.
    ///
    /// ``ClaimMerge`` decides which claims of earlier sign-ins remain.
    ///
    /// A revoked identity becomes active again by an attempt that began after the revocation, in which the user has
    /// consented anew. A pending credential changes nothing if the login was used since.
    ///
    /// - Parameters:
    ///   - identity: The identity. Its account is locked.
    ///   - credential: The credential of the login.
    /// - Returns: The identity as it is now.
    /// - Throws: ``AuthError``: `invalid-credential` if the identity was revoked after the attempt began.
    @discardableResult
    func refresh(_ identity: IdentityRecord, with credential: VerifiedCredential) throws -> IdentityRecord {
        if let revokedAt = identity.revokedAt, credential.begunAt <= revokedAt, !revokedAt.isAhead(of: context.now) {
            throw AuthError(.invalidCredential, "the identity was revoked after the attempt began")
        }
        if let wait = credential.wait, identity.wasUsed(after: wait.provenAt, at: context.now) { return identity }
        let permissions = credential.permissions(after: try identity.granted())
        let provider = provider(credential.providerID)
        let merge = ClaimMerge(
            credential.identity?.identity,
            statuses: permissions?.statuses,
            isComplete: credential.permissions != nil,
            at: provider
        )
        var refreshed = identity
        if credential.email != nil || !merge.keeps("email") {
            refreshed.email = credential.email
            // The password identity's row decides whether its address is verified: that may have changed since the
            // password was compared.
            if identity.providerID != .password { refreshed.emailVerified = credential.isEmailVerified }
            refreshed.isEmailPrivate = credential.isEmailPrivate
        }
        refreshed.displayName = credential.displayName ?? (merge.keeps("name") ? identity.displayName : nil)
        refreshed.photoURL = credential.photoURL ?? (merge.keeps("picture") ? identity.photoURL : nil)
        refreshed.permissions = try permissions.map { try JSONText.encode($0) }
        refreshed.profile = try profile(of: credential, for: identity.id) { new in
            merge.merging(new, into: provider == nil ? nil : stored(in: identity))
        }
        refreshed.status = IdentityStatus.active.rawValue
        refreshed.revokedAt = nil
        refreshed.lastSignInAt = credential.wait?.provenAt ?? context.now
        return try identities.save(refreshed, from: identity)
    }

    /// Removes what a permission gave from an identity: its claims in the stored profile, and those among the e-mail
    /// address, the name and the picture.
    ///
    /// If the provider is no longer configured, nobody knows which claims those are, so all are removed.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - permission: The permission, which the user has revoked.
    /// - Returns: The identity without them, which is still to be saved.
    /// - Throws: ``StoreError``
    func pruned(_ identity: IdentityRecord, of permission: Permission) throws(StoreError) -> IdentityRecord {
        let provider = provider(identity.providerID)
        var pruned = identity
        pruned.profile = nil
        if let provider, let stored = stored(in: identity) {
            let rest = ClaimMerge(revoking: permission, at: provider).pruning(stored)
            pruned.profile = try StoredIdentity(rest).sealed(for: identity.id, by: context.secrets)
        }
        func isRevoked(_ claim: String) -> Bool {
            // The address of a password is no provider's.
            guard let provider else { return identity.providerID != .password }
            return provider.permissionsByClaim[claim] == permission
        }
        if isRevoked("email") { (pruned.email, pruned.emailVerified, pruned.isEmailPrivate) = (nil, false, false) }
        if isRevoked("name") { pruned.displayName = nil }
        if isRevoked("picture") { pruned.photoURL = nil }
        return pruned
    }

    private func provider(_ id: ProviderID) -> SignInProvider? { context.auth.providers.entry(id)?.provider }

    private func stored(in identity: IdentityRecord) -> VerifiedIdentity? {
        StoredIdentity.identity(of: identity, by: context.secrets)
    }

    /// Returns what is stored of a credential with its login.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - login: The ID of the login.
    ///   - merging: Adds what is stored already.
    /// - Returns: The encrypted identity; nil unless the policy says so.
    /// - Throws: ``StoreError``
    private func profile(
        of credential: VerifiedCredential,
        for login: String,
        merging: (VerifiedIdentity) -> VerifiedIdentity = { $0 }
    ) throws(StoreError) -> [UInt8]? {
        guard context.policy.storesProfiles, let identity = credential.identity?.identity else { return nil }
        return try StoredIdentity(merging(identity)).sealed(for: login, by: context.secrets)
    }

    /// Removes an identity with its subjects and its password, and voids its pending operations.
    func remove(_ identity: IdentityRecord) throws(StoreError) {
        try pending.void(of: identity)
        try keys.removeAll(of: identity)
        try passwords.remove(identity)
        try identities.remove(identity.id)
        if identity.providerID == .phone { try pending.voidPhoneCodes(to: identity.subject) }
    }
}
