// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension AccountTransaction {
    /// The identity that a provider calls so, by any of its names; nil where nobody has it.
    ///
    /// - Parameters:
    ///   - providerID: The provider.
    ///   - subject: The name, byte for byte.
    /// - Returns: The identity, of whatever status.
    /// - Throws: ``StoreError``
    func findIdentity(_ providerID: ProviderID, _ subject: String) throws -> IdentityRecord? {
        let found: (IdentityKeyRecord, IdentityRecord)? = try first(
            following: IdentityKeyRecord.identity,
            where: IdentityKeyRecord.Column.providerID.equals(providerID.rawValue),
            IdentityKeyRecord.Column.subject.equals(subject)
        )
        return found?.1
    }

    /// The identities of an account, those linked earlier first.
    func identities(of account: AccountID) throws -> [IdentityRecord] {
        try all(
            where: IdentityRecord.Column.accountID.equals(account.rawValue),
            order: .ascending(IdentityRecord.Column.linkedAt, then: IdentityRecord.Column.id)
        )
    }

    /// Gives an account an identity.
    ///
    /// - Parameters:
    ///   - credential: What was proven.
    ///   - account: Whose it becomes. It is locked.
    /// - Returns: The identity; nil where somebody has it, and nothing was written.
    /// - Throws: ``AuthError``: `provider-already-linked` where the account may have one of this provider, and has it.
    func addIdentity(_ credential: VerifiedCredential, to account: AccountRecord) throws -> IdentityRecord? {
        let isSingle = auth.policy.linking.identitiesPerProvider == .one
        let identity = IdentityRecord(
            id: makeID(),
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
            permissions: try permissions(after: credential).map { try JSONText.encode($0) },
            linkedAt: now,
            lastSignInAt: now
        )
        let key = IdentityKeyRecord(
            providerID: credential.providerID,
            subject: credential.subject,
            identityID: identity.id,
            createdAt: now
        )
        guard try insert(key) else { return nil }
        guard try insert(identity) else {
            throw AuthError(.providerAlreadyLinked, "the account has an identity of this provider")
        }
        return identity
    }

    /// What was granted and declined, once a credential has said something of it: an ID token only adds what follows from it.
    private func permissions(after credential: VerifiedCredential, before known: GrantedPermissions? = nil)
        -> GrantedPermissions?
    {
        if let permissions = credential.permissions { return permissions }
        guard let implied = credential.impliedPermissions else { return known }
        return (known ?? GrantedPermissions(granted: [], declined: [])).granting(implied)
    }

    /// Writes down what the provider says today, of this identity alone; what it says no longer is gone.
    ///
    /// One that was revoked comes back by an attempt that began since, in which the person agreed anew. What has waited says nothing
    /// about a login that was proven since.
    ///
    /// - Parameters:
    ///   - identity: The identity; its account is locked.
    ///   - credential: What was proven.
    /// - Returns: The identity as it is now.
    /// - Throws: ``AuthError``: `invalid-credential` where it was revoked after the attempt began.
    func refreshIdentity(_ identity: IdentityRecord, with credential: VerifiedCredential) throws -> IdentityRecord {
        if let revokedAt = identity.revokedAt, credential.begunAt <= revokedAt {
            throw AuthError(.invalidCredential, "the identity was revoked after the attempt began")
        }
        if let wait = credential.wait, identity.lastSignInAt > wait.provenAt { return identity }
        typealias Column = IdentityRecord.Column
        let permissions = try permissions(after: credential, before: identity.granted())
        // Whether the address of a password is proven is known here, and may have become so since the password was compared.
        let isEmailVerified = identity.providerID == .password ? identity.emailVerified : credential.isEmailVerified
        let refreshed: [IdentityRecord] = try update(
            set: Column.email.becomes(credential.email),
            Column.emailVerified.becomes(isEmailVerified),
            Column.isEmailPrivate.becomes(credential.isEmailPrivate),
            Column.displayName.becomes(credential.displayName),
            Column.photoURL.becomes(credential.photoURL),
            Column.permissions.becomes(try permissions.map { try JSONText.encode($0) }),
            Column.status.becomes(IdentityStatus.active.rawValue),
            Column.revokedAt.becomes(nil as StoreTime?),
            Column.lastSignInAt.becomes(credential.wait?.provenAt ?? now),
            where: Column.id.equals(identity.id)
        )
        guard let refreshed = refreshed.first else { throw StoreError(.busy, "the identity is gone") }
        return refreshed
    }
}
