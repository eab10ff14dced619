// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that disable, enable and delete accounts.
struct AccountRemoval {
    let accounts: Accounts
    let table: AccountTable
    let emails: EmailTable
    let sessionTable: SessionTable
    let responses: IdempotencyTable
    let pendingCredentials: PendingCredentialTable
    let identities: Identities
    let factors: SecondFactors
    let sessions: Sessions
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    /// Disables an account, unless it is disabled, and closes its sessions.
    ///
    /// - Returns: The number of sessions that were open.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    func disable(_ id: AccountID) throws -> Int {
        let account = try accounts.lock(id)
        guard account.disabledAt == nil else { return 0 }
        try set(account, disabledAt: context.now)
        let closed = try sessions.close(of: id, reason: .disabled)
        try pending.void(of: id)
        try audit.record(.accountDisabled, account: id)
        return closed
    }

    /// Enables an account, unless it is enabled.
    ///
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    func enable(_ id: AccountID) throws {
        let account = try accounts.lock(id)
        guard account.disabledAt != nil else { return }
        try set(account, disabledAt: nil)
        try audit.record(.accountEnabled, account: id)
    }

    private func set(_ account: AccountRecord, disabledAt: StoreTime?) throws(StoreError) {
        var changed = account
        (changed.disabledAt, changed.updatedAt) = (disabledAt, context.now)
        try table.save(changed, from: account)
    }

    /// The number of rows of sessions, stored responses and merged accounts that a deletion changes in a transaction.
    private static let pageSize = 1000

    /// Removes a part of an account, which is locked, and the account itself with the last part, so that other
    /// transactions do not wait for long.
    ///
    /// If the deletion ends before the last part, the account remains, without the devices of some sessions, and without
    /// some of the IDs that redirect to it.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session of the user who deletes it; nil if it is another actor.
    ///   - reason: The reason, for the audit.
    ///   - limit: The maximum number of sessions, responses and merged accounts that are changed before the last part.
    /// - Returns: Whether the account was removed.
    /// - Throws: ``StoreError``
    func removePart(
        of account: AccountRecord,
        in session: SessionID? = nil,
        reason: String? = nil,
        limit: Int = pageSize
    ) throws(StoreError) -> Bool {
        guard try !removePage(of: account, limit: limit) else { return false }
        context.pause(at: .deleteBeforeRemoval)
        try remove(account, in: session, reason: reason)
        return true
    }

    /// Removes personal data of closed sessions and of merged accounts, and stored responses.
    ///
    /// - Returns: Whether there may be more.
    private func removePage(of account: AccountRecord, limit: Int) throws(StoreError) -> Bool {
        var room = limit
        for part in try table.merged(into: account.id, limit: limit) {
            room -= try clear(part.id, limit: room)
            guard room > 0 else { return true }
            try table.save(part.erased(at: context.now), from: part)
            room -= 1
            guard room > 0 else { return true }
        }
        return try clear(account.id, limit: room) == room
    }

    /// Removes the devices of sessions, and stored responses, of an account.
    ///
    /// - Returns: The number of rows that were changed, at most the limit.
    private func clear(_ id: AccountID, limit: Int) throws(StoreError) -> Int {
        let sessions = try sessionTable.forgetSomeDevices(of: id, limit: limit)
        return sessions + (try responses.removeSome(of: id, limit: limit - sessions))
    }

    /// Removes what is left of an account, which is locked.
    ///
    /// Only its row stays as a tombstone, so that its ID is never used again.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - session: The session of the user who deletes it; nil if it is another actor.
    ///   - reason: The reason, for the audit.
    /// - Throws: ``StoreError``
    private func remove(_ account: AccountRecord, in session: SessionID?, reason: String?) throws(StoreError) {
        let id = account.id
        try sessions.close(of: id, reason: .deleted)
        try pending.void(of: id)
        // A pending credential that conflicts with the account contains its address, and may be its user's.
        try pendingCredentials.removeAll(ofOwner: id)
        let known = try identities.of(id)
        for identity in known { try identities.remove(identity) }
        try factors.removeAll(of: id)
        try emails.removeAll(of: id)
        try table.save(account.erased(at: context.now), from: account)
        for identity in known {
            try audit.record(.identityUnlinked, account: id, session: session, subject: audit.subject(identity))
        }
        let subject = reason.map { ["reason": $0] } ?? [:]
        try audit.record(.accountDeleted, account: id, session: session, subject: subject)
    }

    /// Removes a part of an anonymous account that has not been used for the lifetime of anonymous accounts; see
    /// ``removePart(of:in:reason:limit:)``.
    ///
    /// - Returns: Whether it was removed; nil if it stays.
    func removePartIfUnused(_ id: AccountID, limit: Int = pageSize) throws(StoreError) -> Bool? {
        let oldest = context.now - context.policy.linking.anonymousLifetime
        guard let account = try table.lockIfUnused(id, since: oldest) else { return nil }
        if let lastSeen = try sessionTable.lastSeen(of: id), lastSeen >= oldest {
            // It is checked again when it has been unused for the lifetime since then.
            var seen = account
            seen.updatedAt = lastSeen
            try table.save(seen, from: account)
            return nil
        }
        guard try identities.of(id).isEmpty else { return nil }
        return try removePart(of: account, reason: "unused", limit: limit)
    }
}

extension AccountRecord {
    /// Returns the row of a deleted account, without personal data.
    fileprivate func erased(at now: StoreTime) -> Self {
        var erased = self
        erased.state = AccountState.deleted.rawValue
        erased.mergedInto = nil
        erased.isAnonymous = false
        (erased.email, erased.emailVerified) = (nil, false)
        erased.clearNameAndPicture()
        (erased.lastSignInAt, erased.updatedAt) = (nil, now)
        return erased
    }
}
