// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText

/// The steps that decide which account an e-mail address belongs to, and which address an account shows.
struct EmailOwnership {
    let accounts: AccountTable
    let emails: EmailTable
    let identities: IdentityTable
    let proofs: ProofTable
    let audit: AuditTrail
    let context: TransactionContext

    /// Whether a verified address belongs to a single account.
    private var isExclusive: Bool { context.policy.linking.oneAccountPerEmail }

    /// Recalculates the e-mail address that an account shows, and the verified addresses that belong to it.
    ///
    /// A verified address takes precedence over an unverified one, and the current address over any other. An address
    /// that another account has verified stays that account's.
    ///
    /// - Parameters:
    ///   - account: The account. It is locked.
    ///   - identities: The identities of the account as they are now; if nil, they are read.
    ///   - isCurrent: Whether `account` is the row as it is now. If so, nothing is written unless its address changes.
    ///   - credential: A credential whose address was looked up and belonged to no other account. If that has changed
    ///     since, the transaction runs again.
    /// - Returns: The account as it is now. It shows the address in its row; see ``shown(of:)``.
    /// - Throws: ``StoreError``
    @discardableResult
    func update(
        _ account: AccountRecord,
        having identities: [IdentityRecord]? = nil,
        isCurrent: Bool = false,
        claiming credential: VerifiedCredential? = nil
    ) throws(StoreError) -> AccountRecord {
        let known = if let identities { identities } else { try self.identities.of(account.id) }
        let claimed = try claim(known.filter(\.provesEmail).compactMap(\.email), for: account.id)
        if let credential, credential.provesEmail, let email = credential.email, isExclusive,
            !claimed.contains(where: { isEqual($0, email) })
        {
            throw StoreError(.busy, "another account has taken the address meanwhile")
        }
        let proven = account.preferred(known.provenEmails(claimed: isExclusive ? claimed : nil))
        let email =
            if let proven { proven } else { account.preferred(try free(known.compactMap(\.email), for: account.id)) }
        if isCurrent, account.emailVerified == (proven != nil), isEqual(email ?? "", account.email ?? "") {
            return account
        }
        let shown = try shown(of: account)
        var changed = account
        (changed.email, changed.emailVerified, changed.updatedAt) = (email, proven != nil, context.now)
        let updated = try accounts.setEmail(changed)
        if let shown, !isEqual(shown, updated.email ?? "") {
            // Messages that were sent to the previous address must no longer change the account.
            try proofs.removeAll(of: account.id)
            try audit.record(.emailChanged, account: account.id)
        }
        return updated
    }

    /// Returns the address that an account shows to its user and to the application.
    ///
    /// An unverified address is not shown if another account has verified it. The row need not be changed for that. The
    /// account that verifies an address therefore waits for no lock of an account that has it unverified, and the
    /// result is the same whichever transaction is committed first.
    ///
    /// - Parameter account: The row of the account.
    /// - Returns: The address; nil if there is none.
    /// - Throws: ``StoreError``
    func shown(of account: AccountRecord) throws(StoreError) -> String? {
        guard let email = account.email, !account.emailVerified else { return account.email }
        return try otherOwner(of: email, than: account.id) == nil ? email : nil
    }

    /// Finds another account that has verified an address; nil if none has, or if an address may belong to several
    /// accounts.
    func otherOwner(of email: String, than account: AccountID?) throws(StoreError) -> AccountID? {
        guard isExclusive, let address = try? EmailAddress(email) else { return nil }
        return try owner(of: VerifiedCredential(password: address, begunAt: context.now), except: account)
    }

    /// Finds the account that has verified the address of a credential.
    ///
    /// An account with the unverified address does not count.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - account: An account to exclude.
    /// - Returns: The account; nil if no other account has verified the address.
    /// - Throws: ``StoreError``
    func owner(of credential: VerifiedCredential, except account: AccountID? = nil) throws(StoreError) -> AccountID? {
        guard let email = credential.email, !credential.isEmailPrivate else { return nil }
        if let claim = try emails.find(email) { return claim.accountID == account ? nil : claim.accountID }
        // An address may belong to several accounts, or its claim was deleted with the first account that had it.
        for shown in try accounts.showing(email, isProven: true) where shown.id != account {
            // A private address is verified for the account that shows it, and identifies the user nowhere else.
            if try identities.of(shown.id).contains(where: { $0.proves(email) }) { return shown.id }
        }
        return nil
    }

    /// Returns the addresses that no other account has verified.
    private func free(_ emails: [String], for account: AccountID) throws(StoreError) -> [String] {
        var free: [String] = []
        for email in emails where try otherOwner(of: email, than: account) == nil { free.append(email) }
        return free
    }

    /// Stores which verified addresses belong to an account, and returns those that do.
    private func claim(_ proven: [String], for account: AccountID) throws(StoreError) -> [String] {
        let wanted = isExclusive ? proven : []
        var claimed: [String] = []
        for claim in try emails.of(account) {
            if wanted.contains(where: { isEqual($0, claim.email) }) {
                claimed.append(claim.email)
            } else {
                try emails.remove(claim.email)
            }
        }
        for email in wanted where !claimed.contains(where: { isEqual($0, email) }) {
            guard try emails.insert(EmailRecord(email: email, accountID: account)) else { continue }
            claimed.append(email)
            try recordLoss(of: email, to: account)
        }
        return claimed
    }

    /// The maximum number of accounts whose audit records the loss of an address.
    ///
    /// Attackers can create any number of them, and the sign-in that verifies the address must not wait for all.
    private static let longestLoss = 100

    /// Records that accounts with an unverified address no longer show it.
    private func recordLoss(of email: String, to account: AccountID) throws(StoreError) {
        for loser in try accounts.showing(email, isProven: false, limit: Self.longestLoss) where loser.id != account {
            try audit.record(.emailChanged, account: loser.id, actor: .stranger)
        }
    }
}

extension AccountRecord {
    /// Returns the current address if it is among the given ones, otherwise the first.
    fileprivate func preferred(_ emails: [String]) -> String? {
        emails.first { isEqual($0, email ?? "") } ?? emails.first
    }
}

extension [IdentityRecord] {
    /// Returns the verified addresses of the identities.
    ///
    /// - Parameter claimed: The addresses that belong to the account; nil if an address may belong to several accounts.
    ///   An address that was first verified for another account stays that account's.
    /// - Returns: The addresses.
    fileprivate func provenEmails(claimed: [String]?) -> [String] {
        compactMap { identity in
            guard identity.emailVerified, let email = identity.email else { return nil }
            guard let claimed, !identity.isEmailPrivate else { return email }
            return claimed.contains { isEqual($0, email) } ? email : nil
        }
    }
}

extension VerifiedCredential {
    /// Whether the credential has a verified address that identifies the user at every provider.
    var provesEmail: Bool { email != nil && isEmailVerified && !isEmailPrivate }
}

extension IdentityRecord {
    /// Whether the identity has a verified address that identifies the user at every provider.
    var provesEmail: Bool { email != nil && emailVerified && !isEmailPrivate }

    /// Whether the identity has this address, verified.
    func proves(_ address: String) -> Bool { provesEmail && isEqual(email ?? "", address) }
}
