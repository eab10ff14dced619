// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension AccountTransaction {
    /// Takes from an account everything by which whoever made it could come back: all it has is an address that was never proven, and
    /// now somebody proves it.
    ///
    /// Logins, passwords, phones, second factors, recovery codes, sessions, and whatever waits. The account itself stays, with
    /// all that the application keeps for it.
    ///
    /// - Parameters:
    ///   - account: The account. It is locked.
    ///   - kept: The identity whose address was proven, where the account has it already.
    /// - Throws: ``StoreError``
    func evict(_ account: AccountRecord, keeping kept: IdentityRecord? = nil) throws {
        for identity in try identities(of: account.id) where identity.id != kept?.id {
            try removeIdentity(identity)
            try record(.identityUnlinked, account: account.id, subject: auditSubject(identity))
        }
        try voidPending(of: account.id)
        for factor in try confirmedFactors(of: account.id) { try recordRemoved(factor) }
        try removeFactors(of: account.id)
        try closeSessions(of: account.id, reason: .evicted)
        // The networks of whoever prepared the account are none that the account knows.
        try update(
            SessionRecord.self,
            set: SessionRecord.Column.addressPrefix.becomes(nil as String?),
            where: SessionRecord.Column.accountID.equals(account.id.rawValue)
        )
        try update(
            AccountRecord.self,
            set: AccountRecord.Column.displayName.becomes(nil as String?),
            AccountRecord.Column.photoURL.becomes(nil as String?),
            where: AccountRecord.Column.id.equals(account.id.rawValue)
        )
        try record(.policyEvicted, account: account.id)
    }

    /// Removes an identity with all its names, its password, and what was proven by it and waits.
    func removeIdentity(_ identity: IdentityRecord) throws {
        try voidPending(of: identity)
        try delete(IdentityKeyRecord.self, where: IdentityKeyRecord.Column.identityID.equals(identity.id))
        try delete(PasswordRecord.self, where: PasswordRecord.Column.identityID.equals(identity.id))
        try delete(IdentityRecord.self, where: IdentityRecord.Column.id.equals(identity.id))
        if identity.providerID == .phone { try voidPhoneCodes(to: identity.subject) }
    }

    /// Removes what waits for an account: codes, links, sign-ins without their second factor, and credentials that came up in its
    /// sessions or are of its identities, wherever they came up.
    ///
    /// What was begun before something that matters has changed must not end after it.
    func voidPending(of account: AccountID) throws {
        try voidProofs(of: account)
        try dropPendingFactorSteps(of: account)
        for identity in try identities(of: account) { try voidPending(of: identity) }
        for session: SessionRecord in try all(where: SessionRecord.Column.accountID.equals(account.rawValue)) {
            try delete(
                PendingCredentialRecord.self,
                where: PendingCredentialRecord.Column.sessionID.equals(session.id.rawValue)
            )
        }
    }

    /// Voids what was sent to prove an address: who asked for it may not be who has the account now.
    ///
    /// It is all that a change of second factors voids: a sign-in that waits for one finds out which count when one is shown. Messages
    /// that set a new password of an unproven address belong to no account, and stay.
    func voidProofs(of account: AccountID) throws {
        try delete(ProofRecord.self, where: ProofRecord.Column.accountID.equals(account.rawValue))
    }
}
