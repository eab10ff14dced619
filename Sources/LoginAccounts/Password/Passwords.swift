// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that read, use and set passwords.
struct Passwords {
    let passwords: PasswordTable
    let keys: IdentityKeyTable
    let pending: PendingOperations
    let context: TransactionContext

    /// Finds the identity of an address, and its password; nil if the address has no password.
    func find(_ address: EmailAddress) throws(StoreError) -> (identity: IdentityRecord, password: PasswordRecord)? {
        guard let identity = try keys.identity(.password, address.text),
            let password = try passwords.find(identity)
        else { return nil }
        return (identity, password)
    }

    /// Returns the credential for a password that was compared a moment ago.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - hash: The hash with which it was compared.
    ///   - better: The hash that replaces it, at the current cost.
    /// - Returns: The credential.
    /// - Throws: ``AuthError``: `wrong-password` if the password has been changed since.
    func use(_ address: EmailAddress, hash: String, better: String?) throws -> VerifiedCredential {
        guard let (identity, password) = try find(address), password.hash.utf8.elementsEqual(hash.utf8) else {
            throw AuthError(.wrongPassword, "the password was changed meanwhile")
        }
        if let better { try passwords.improve(password, to: better) }
        var credential = VerifiedCredential(password: address, identity: identity, begunAt: context.now)
        credential.passwordSetAt = password.changedAt
        return credential
    }

    /// Sets the password of an identity, and voids the pending credentials of the previous one.
    func set(_ hash: String, of identity: IdentityRecord) throws(StoreError) {
        try passwords.set(PasswordRecord(identityID: identity.id, hash: hash, changedAt: context.now))
        try pending.void(of: identity)
    }
}

extension VerifiedCredential {
    /// Creates the credential of an address with a password.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - identity: Its identity, if there is one.
    ///   - begunAt: The time of the request.
    init(password address: EmailAddress, identity: IdentityRecord? = nil, begunAt: StoreTime) {
        self.init(
            providerID: .password,
            subject: address.text,
            email: address.text,
            isEmailVerified: identity?.emailVerified ?? false,
            displayName: identity?.displayName,
            photoURL: identity?.photoURL,
            method: "pwd",
            begunAt: begunAt
        )
    }

    /// Creates the credential of a stored identity.
    init(password identity: IdentityRecord) {
        self.init(
            providerID: .password,
            subject: identity.subject,
            email: identity.email,
            isEmailVerified: identity.emailVerified,
            method: "pwd",
            begunAt: identity.lastSignInAt
        )
    }
}
