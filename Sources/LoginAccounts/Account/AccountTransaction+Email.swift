// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

extension AccountTransaction {
    /// Says anew which address the person of an account is written to, and which proven addresses are the account's.
    ///
    /// It is that of an identity: of one whose provider proves it before another's, and the one there was before the first. An address that
    /// another account was faster to prove stays that account's.
    ///
    /// - Parameters:
    ///   - account: Whose. It is locked.
    ///   - isCurrent: Whether that is the row as it is now: where its address stays as it is, nothing is written then.
    ///   - credential: A credential whose address was looked for and belonged to nobody: where that has changed meanwhile, the
    ///     transaction is run again.
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``
    @discardableResult
    func updateEmail(
        of account: AccountRecord,
        isCurrent: Bool = false,
        claiming credential: VerifiedCredential? = nil
    ) throws -> AccountRecord {
        let known = try identities(of: account.id)
        let claimed = try claimEmails(known.filter(\.provesEmail).compactMap(\.email), for: account.id)
        if let credential, credential.provesEmail, let email = credential.email, auth.policy.linking.oneAccountPerEmail,
            !claimed.contains(where: { $0.utf8.elementsEqual(email.utf8) })
        {
            throw StoreError(.busy, "the address has just become another account's")
        }
        let current = account.email
        let proven = Self.preferred(known.filter(\.emailVerified).compactMap(\.email), to: current)
        let email = proven ?? Self.preferred(known.compactMap(\.email), to: current)
        if isCurrent, account.emailVerified == (proven != nil), isEqual(email ?? "", current ?? "") { return account }
        typealias Column = AccountRecord.Column
        let updated: [AccountRecord] = try update(
            set: Column.email.becomes(email),
            Column.emailVerified.becomes(proven != nil),
            Column.updatedAt.becomes(now),
            where: Column.id.equals(account.id.rawValue)
        )
        guard let updated = updated.first else { throw StoreError(.damaged, "an account that is locked is gone") }
        if let current, !current.utf8.elementsEqual((updated.email ?? "").utf8) {
            // Who could read what was sent to the address before may not be who has the account now.
            try voidProofs(of: account.id)
            try record(.emailChanged, account: account.id)
        }
        return updated
    }

    /// The one there was before, if it is still there, or the first.
    private static func preferred(_ emails: [String], to current: String?) -> String? {
        emails.first { $0.utf8.elementsEqual((current ?? "").utf8) } ?? emails.first
    }

    /// Writes down whose proven addresses they are, and returns those that are the account's.
    private func claimEmails(_ emails: [String], for account: AccountID) throws -> [String] {
        let wanted = auth.policy.linking.oneAccountPerEmail ? emails : []
        var claimed: [String] = []
        for claim: EmailRecord in try all(where: EmailRecord.Column.accountID.equals(account.rawValue)) {
            if wanted.contains(where: { $0.utf8.elementsEqual(claim.email.utf8) }) {
                claimed.append(claim.email)
            } else {
                try delete(EmailRecord.self, where: EmailRecord.Column.email.equals(claim.email))
            }
        }
        for email in wanted where !claimed.contains(where: { $0.utf8.elementsEqual(email.utf8) }) {
            if try insert(EmailRecord(email: email, accountID: account)) { claimed.append(email) }
        }
        return claimed
    }

    /// The account that an address belongs to, other than `account`; nil where it belongs to nobody.
    ///
    /// Who proves an address meets whoever has it, proven or not. Who only names one meets nobody but who has proven it.
    ///
    /// - Parameters:
    ///   - credential: What was proven.
    ///   - account: An account that does not count.
    /// - Returns: The account, and whether it has proven the address.
    /// - Throws: ``StoreError``
    func emailOwner(of credential: VerifiedCredential, except account: AccountID? = nil) throws -> EmailOwner? {
        guard let email = credential.email, !credential.isEmailPrivate else { return nil }
        let claim: EmailRecord? = try first(where: EmailRecord.Column.email.equals(email))
        if let claim {
            return claim.accountID == account ? nil : EmailOwner(accountID: claim.accountID, hasProvenIt: true)
        }
        guard credential.provesEmail else { return nil }
        let named: [AccountRecord] = try all(
            where: AccountRecord.Column.email.equals(email),
            AccountRecord.Column.state.equals(AccountState.active.rawValue),
            order: .ascending(AccountRecord.Column.createdAt, then: AccountRecord.Column.id)
        )
        let others = named.filter { $0.id != account }
        return others.first.map { EmailOwner(accountID: $0.id, hasProvenIt: $0.emailVerified) }
    }
}

/// Whose an address is.
struct EmailOwner: Sendable, Hashable {
    let accountID: AccountID
    /// Whether that account has proven it: with the login that has the address, and not with another.
    let hasProvenIt: Bool
}

extension VerifiedCredential {
    /// Whether it proves that an address is the person's, everywhere.
    var provesEmail: Bool { email != nil && isEmailVerified && !isEmailPrivate }
}

extension IdentityRecord {
    /// Whether it proves that an address is the person's, everywhere.
    var provesEmail: Bool { email != nil && emailVerified && !isEmailPrivate }
}
