// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Lets nobody sign in to an account until it is enabled again.
    ///
    /// All its sessions close.
    ///
    /// - Parameter account: Which one. Disabling it once more does nothing.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func disable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.actor = .service
            let locked = try transaction.lockAccount(account)
            guard locked.disabledAt == nil else { return }
            try transaction.update(
                AccountRecord.self,
                set: AccountRecord.Column.disabledAt.becomes(transaction.now),
                AccountRecord.Column.updatedAt.becomes(transaction.now),
                where: AccountRecord.Column.id.equals(account.rawValue)
            )
            try transaction.closeSessions(of: account, reason: .disabled)
            try transaction.voidPending(of: account)
            try transaction.record(.accountDisabled, account: account)
        }
    }

    /// Lets people sign in to an account again.
    ///
    /// Sessions that were closed stay closed.
    ///
    /// - Parameter account: Which one. Enabling one that is not disabled does nothing.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func enable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            guard try transaction.lockAccount(account).disabledAt != nil else { return }
            try transaction.update(
                AccountRecord.self,
                set: AccountRecord.Column.disabledAt.becomes(nil as StoreTime?),
                AccountRecord.Column.updatedAt.becomes(transaction.now),
                where: AccountRecord.Column.id.equals(account.rawValue)
            )
            try transaction.record(.accountEnabled, account: account)
        }
    }

    /// Deletes an account: its sessions close, its logins are free for others, and what is personal is removed.
    ///
    /// Its ID stays, and is never another's. The audit stays too: it holds nothing personal.
    ///
    /// - Parameter account: Which one, with those that have become part of it.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func delete(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.actor = .service
            try transaction.removeAccount(transaction.lockAccount(account))
        }
    }
}

extension AccountTransaction {
    /// Removes what an account, which is locked, consists of.
    ///
    /// A row stays, so that its ID is never another's.
    func removeAccount(_ account: AccountRecord, reason: String? = nil) throws {
        try closeSessions(of: account.id, reason: .deleted)
        try voidPending(of: account.id)
        // What met the account says its address, and may be its person's.
        try delete(
            PendingCredentialRecord.self,
            where: PendingCredentialRecord.Column.ownerID.equals(account.id.rawValue)
        )
        let known = try identities(of: account.id)
        for identity in known { try removeIdentity(identity) }
        try removeFactors(of: account.id)
        try delete(EmailRecord.self, where: EmailRecord.Column.accountID.equals(account.id.rawValue))
        for id in try [account.id] + accountsMerged(into: account.id) {
            try update(
                SessionRecord.self,
                set: SessionRecord.Column.device.becomes(nil as String?),
                SessionRecord.Column.addressPrefix.becomes(nil as String?),
                where: SessionRecord.Column.accountID.equals(id.rawValue)
            )
            try delete(IdempotencyRecord.self, where: IdempotencyRecord.Column.accountID.equals(id.rawValue))
        }
        try clear(account)
        for identity in known {
            try record(.identityUnlinked, account: account.id, subject: auditSubject(identity))
        }
        try record(.accountDeleted, account: account.id, subject: reason.map { ["reason": $0] } ?? [:])
    }

    /// The accounts that have become part of an account: what happened to them stands under their own IDs.
    func accountsMerged(into account: AccountID) throws -> [AccountID] {
        let merged: [AccountRecord] = try all(
            where: AccountRecord.Column.mergedInto.equals(account.rawValue),
            order: .ascending(AccountRecord.Column.id)
        )
        return merged.map(\.id)
    }

    private func clear(_ account: AccountRecord) throws {
        typealias Column = AccountRecord.Column
        for isOfIt in [Column.id.equals(account.id.rawValue), Column.mergedInto.equals(account.id.rawValue)] {
            try update(
                AccountRecord.self,
                set: Column.state.becomes(AccountState.deleted.rawValue),
                Column.mergedInto.becomes(nil as String?),
                Column.isAnonymous.becomes(false),
                Column.email.becomes(nil as String?),
                Column.emailVerified.becomes(false),
                Column.displayName.becomes(nil as String?),
                Column.photoURL.becomes(nil as String?),
                Column.lastSignInAt.becomes(nil as StoreTime?),
                Column.updatedAt.becomes(now),
                where: isOfIt
            )
        }
    }
}
