// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that give an account with an unverified address to the user who verifies the address.
struct Eviction {
    let accounts: AccountTable
    let sessionTable: SessionTable
    let identities: Identities
    let factors: SecondFactors
    let sessions: Sessions
    let pending: PendingOperations
    let audit: AuditTrail

    /// Removes everything from an account with which its creator could sign in again.
    ///
    /// Logins, passwords, phones, second factors, recovery codes, sessions, and pending operations are removed. The
    /// account itself stays, with the application's data.
    ///
    /// - Parameters:
    ///   - account: The account. It is locked.
    ///   - kept: The identity whose address was verified, if the account has it already.
    /// - Throws: ``StoreError``
    func evict(_ account: AccountRecord, keeping kept: IdentityRecord? = nil) throws(StoreError) {
        for identity in try identities.of(account.id) where identity.id != kept?.id {
            try identities.remove(identity)
            try audit.record(.identityUnlinked, account: account.id, subject: audit.subject(identity))
        }
        try pending.void(of: account.id)
        for factor in try factors.confirmed(of: account.id) { try factors.recordRemoved(factor) }
        try factors.removeAll(of: account.id)
        try sessions.close(of: account.id, reason: .evicted)
        // The creator's networks must not count as known, and the new owner's personal data must not name the creator's
        // devices.
        try sessionTable.forgetDevices(of: account.id)
        var changed = account
        changed.clearNameAndPicture()
        try accounts.save(changed, from: account)
        try audit.record(.policyEvicted, account: account.id)
    }
}
