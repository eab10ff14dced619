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
        let identity = IdentityRecord(
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
            profile: try profile(of: credential, for: id),
            linkedAt: context.now,
            lastSignInAt: context.now
        )
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
        if let revokedAt = identity.revokedAt, credential.begunAt <= revokedAt {
            throw AuthError(.invalidCredential, "the identity was revoked after the attempt began")
        }
        if let wait = credential.wait, identity.lastSignInAt > wait.provenAt { return identity }
        var refreshed = identity
        refreshed.email = credential.email
        // The password identity's row decides whether its address is verified: that may have changed since the password
        // was compared.
        if identity.providerID != .password { refreshed.emailVerified = credential.isEmailVerified }
        refreshed.isEmailPrivate = credential.isEmailPrivate
        refreshed.displayName = credential.displayName
        refreshed.photoURL = credential.photoURL
        refreshed.permissions = try credential.permissions(after: identity.granted()).map { try JSONText.encode($0) }
        refreshed.profile = try profile(of: credential, for: identity.id)
        refreshed.status = IdentityStatus.active.rawValue
        refreshed.revokedAt = nil
        refreshed.lastSignInAt = credential.wait?.provenAt ?? context.now
        return try identities.save(refreshed, from: identity)
    }

    /// Returns what is stored of a credential with its login; nil unless the policy says so.
    private func profile(of credential: VerifiedCredential, for login: String) throws(StoreError) -> [UInt8]? {
        guard context.policy.storesProfiles else { return nil }
        return try credential.identity?.sealed(for: login, by: context.secrets)
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

extension VerifiedCredential {
    /// Returns the granted and declined permissions after the credential.
    ///
    /// An ID token only adds the permissions that its claims imply.
    fileprivate func permissions(after known: GrantedPermissions?) -> GrantedPermissions? {
        if let permissions { return permissions }
        guard let impliedPermissions else { return known }
        return (known ?? GrantedPermissions(granted: [], declined: [])).granting(impliedPermissions)
    }
}
