// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

extension AccountTransaction {
    /// Recalculates the e-mail address that an account shows, and the proven addresses that belong to it.
    ///
    /// A proven address is preferred to one that a login merely names, and the current address to any other. An address that another account
    /// has proven stays that account's.
    ///
    /// - Parameters:
    ///   - account: The account. It is locked.
    ///   - identities: The identities of the account as they are now; if nil, they are read.
    ///   - isCurrent: Whether `account` is the row as it is now. If so, nothing is written unless its address changes.
    ///   - credential: A credential whose address was looked up and belonged to no other account. If that has changed since, the
    ///     transaction is run again.
    /// - Returns: The account as it is now. It shows the address in its row; see ``shownEmail(of:)``.
    /// - Throws: ``StoreError``
    @discardableResult
    func updateEmail(
        of account: AccountRecord,
        having identities: [IdentityRecord]? = nil,
        isCurrent: Bool = false,
        claiming credential: VerifiedCredential? = nil
    ) throws -> AccountRecord {
        let known = try identities ?? self.identities(of: account.id)
        let claimed = try claimEmails(known.filter(\.provesEmail).compactMap(\.email), for: account.id)
        if let credential, credential.provesEmail, let email = credential.email, auth.policy.linking.oneAccountPerEmail,
            !claimed.contains(where: { isEqual($0, email) })
        {
            throw StoreError(.busy, "the address has just become another account's")
        }
        // An address that an identity proves, and that was proven for another account first, stays that account's.
        let isShared = !auth.policy.linking.oneAccountPerEmail
        let own = known.filter { identity in
            guard identity.emailVerified, let email = identity.email else { return false }
            return isShared || identity.isEmailPrivate || claimed.contains { isEqual($0, email) }
        }
        let proven = Self.preferred(own.compactMap(\.email), to: account.email)
        let email = try proven ?? namedEmail(known, of: account)
        if isCurrent, account.emailVerified == (proven != nil), isEqual(email ?? "", account.email ?? "") {
            return account
        }
        let shown = try shownEmail(of: account)
        typealias Column = AccountRecord.Column
        let updated: [AccountRecord] = try update(
            set: Column.email.becomes(email),
            Column.emailVerified.becomes(proven != nil),
            Column.updatedAt.becomes(now),
            where: Column.id.equals(account.id.rawValue)
        )
        guard let updated = updated.first else { throw StoreError(.damaged, "an account that is locked is gone") }
        if let shown, !isEqual(shown, updated.email ?? "") {
            // Messages that were sent to the previous address must not change the account any more.
            try voidProofs(of: account.id)
            try record(.emailChanged, account: account.id)
        }
        return updated
    }

    /// The address that an account shows to its user and to the application.
    ///
    /// An address that the account has only named is not shown once another account has proven it. The row need not be changed for that, so
    /// the account that proves an address waits for no lock of an account that names it, and whichever transaction ends first, the
    /// result is the same.
    ///
    /// - Parameter account: The row of the account.
    /// - Returns: The address; nil if there is none.
    /// - Throws: ``StoreError``
    func shownEmail(of account: AccountRecord) throws -> String? {
        guard let email = account.email, !account.emailVerified else { return account.email }
        return try otherOwner(of: email, than: account.id) == nil ? email : nil
    }

    /// The address that identities name, and no other account has proven.
    private func namedEmail(_ known: [IdentityRecord], of account: AccountRecord) throws -> String? {
        let free = try known.compactMap(\.email).filter { try otherOwner(of: $0, than: account.id) == nil }
        return Self.preferred(free, to: account.email)
    }

    /// The current address, if it is among them, or the first.
    private static func preferred(_ emails: [String], to current: String?) -> String? {
        emails.first { isEqual($0, current ?? "") } ?? emails.first
    }

    /// Finds another account that has proven an address; nil if none has, or if an address may belong to several accounts.
    func otherOwner(of email: String, than account: AccountID?) throws -> AccountID? {
        guard auth.policy.linking.oneAccountPerEmail, let address = EmailAddress(email) else { return nil }
        return try emailOwner(of: VerifiedCredential(password: address, begunAt: now), except: account)
    }

    /// Stores which proven addresses belong to an account, and returns those that do.
    private func claimEmails(_ emails: [String], for account: AccountID) throws -> [String] {
        let wanted = auth.policy.linking.oneAccountPerEmail ? emails : []
        var claimed: [String] = []
        for claim: EmailRecord in try all(where: EmailRecord.Column.accountID.equals(account.rawValue)) {
            if wanted.contains(where: { isEqual($0, claim.email) }) {
                claimed.append(claim.email)
            } else {
                try delete(EmailRecord.self, where: EmailRecord.Column.email.equals(claim.email))
            }
        }
        for email in wanted where !claimed.contains(where: { isEqual($0, email) }) {
            guard try insert(EmailRecord(email: email, accountID: account)) else { continue }
            claimed.append(email)
            try recordLoss(of: email, to: account)
        }
        return claimed
    }

    /// The maximum number of accounts whose audit records the loss of an address.
    ///
    /// Strangers can create any number of them, and the sign-in that proves the address must not wait for all.
    private static let longestLoss = 100

    /// Records that accounts which have only named an address no longer show it.
    private func recordLoss(of email: String, to account: AccountID) throws {
        let losers: [AccountRecord] = try all(
            where: AccountRecord.Column.email.equals(email),
            AccountRecord.Column.emailVerified.equals(false),
            AccountRecord.Column.state.equals(AccountState.active.rawValue),
            order: .ascending(AccountRecord.Column.createdAt, then: AccountRecord.Column.id),
            limit: Self.longestLoss
        )
        for loser in losers where loser.id != account {
            try record(.emailChanged, account: loser.id, actor: .stranger)
        }
    }

    /// Finds the account that has proven the address of a credential.
    ///
    /// An account that only names the address does not count.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - account: An account to leave out.
    /// - Returns: The account; nil if no other account has proven the address.
    /// - Throws: ``StoreError``
    func emailOwner(of credential: VerifiedCredential, except account: AccountID? = nil) throws -> AccountID? {
        guard let email = credential.email, !credential.isEmailPrivate else { return nil }
        let claim: EmailRecord? = try first(where: EmailRecord.Column.email.equals(email))
        if let claim { return claim.accountID == account ? nil : claim.accountID }
        // An address may belong to several accounts, or its claim was deleted with the first account that had it.
        let proven: [AccountRecord] = try all(
            where: AccountRecord.Column.email.equals(email),
            AccountRecord.Column.emailVerified.equals(true),
            AccountRecord.Column.state.equals(AccountState.active.rawValue),
            order: .ascending(AccountRecord.Column.createdAt, then: AccountRecord.Column.id)
        )
        return proven.first { $0.id != account }?.id
    }
}

extension VerifiedCredential {
    /// Whether the credential proves an address that identifies the user everywhere.
    var provesEmail: Bool { email != nil && isEmailVerified && !isEmailPrivate }
}

extension IdentityRecord {
    /// Whether the identity proves an address that identifies the user everywhere.
    var provesEmail: Bool { email != nil && emailVerified && !isEmailPrivate }

    /// Whether the identity proves this address.
    func proves(_ address: String) -> Bool { provesEmail && isEqual(email ?? "", address) }
}
