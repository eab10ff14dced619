// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension AccountTransaction {
    /// Finds the identity of a subject, which may be any of the identity's subjects.
    ///
    /// - Parameters:
    ///   - providerID: The provider.
    ///   - subject: The subject, compared byte for byte.
    /// - Returns: The identity, whatever its status; nil if no account has the login.
    /// - Throws: ``StoreError``
    func findIdentity(_ providerID: ProviderID, _ subject: String) throws -> IdentityRecord? {
        let found: (IdentityKeyRecord, IdentityRecord)? = try first(
            following: IdentityKeyRecord.identity,
            where: IdentityKeyRecord.Column.providerID.equals(providerID.rawValue),
            IdentityKeyRecord.Column.subject.equals(subject)
        )
        return found?.1
    }

    /// The identities of an account, in the order in which they were linked.
    func identities(of account: AccountID) throws -> [IdentityRecord] {
        try all(
            where: IdentityRecord.Column.accountID.equals(account.rawValue),
            order: .ascending(IdentityRecord.Column.linkedAt, then: IdentityRecord.Column.id)
        )
    }

    /// Adds an identity to an account.
    ///
    /// - Parameters:
    ///   - credential: The credential of the login.
    ///   - account: The account. It is locked.
    /// - Returns: The identity; nil if an account has the login, and then nothing was written.
    /// - Throws: ``AuthError``: `provider-already-linked` if the account may have one identity of the provider, and has one.
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

    /// The granted and declined permissions after a credential.
    ///
    /// An ID token only adds the permissions that its claims imply.
    private func permissions(after credential: VerifiedCredential, before known: GrantedPermissions? = nil)
        -> GrantedPermissions?
    {
        if let permissions = credential.permissions { return permissions }
        guard let implied = credential.impliedPermissions else { return known }
        return (known ?? GrantedPermissions(granted: [], declined: [])).granting(implied)
    }

    /// Stores the claims of a credential in its identity, and removes those that the provider no longer sends.
    ///
    /// A revoked identity becomes active again by an attempt that began after the revocation, in which the user has consented anew. A
    /// pending credential changes nothing if the login was used since.
    ///
    /// - Parameters:
    ///   - identity: The identity. Its account is locked.
    ///   - credential: The credential of the login.
    /// - Returns: The identity as it is now.
    /// - Throws: ``AuthError``: `invalid-credential` if the identity was revoked after the attempt began.
    func refreshIdentity(_ identity: IdentityRecord, with credential: VerifiedCredential) throws -> IdentityRecord {
        if let revokedAt = identity.revokedAt, credential.begunAt <= revokedAt {
            throw AuthError(.invalidCredential, "the identity was revoked after the attempt began")
        }
        if let wait = credential.wait, identity.lastSignInAt > wait.provenAt { return identity }
        typealias Column = IdentityRecord.Column
        let permissions = try permissions(after: credential, before: identity.granted())
        // Whether the address of a password is proven is decided here, perhaps since the password was compared.
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
