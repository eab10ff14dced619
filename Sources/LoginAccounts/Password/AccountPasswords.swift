// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps that set or change the password of an account in one of its sessions.
struct AccountPasswords {
    let accounts: Accounts
    let identities: Identities
    let passwords: Passwords
    let emails: EmailOwnership
    let emailLogins: EmailLogins
    let sessions: Sessions
    let held: HeldSessions
    let links: Links
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    /// Finds the password identity of an account.
    func identity(of account: AccountID) throws(StoreError) -> IdentityRecord? {
        try identities.of(account).first { $0.providerID == .password }
    }

    /// Returns the address for a password of an account.
    ///
    /// - Throws: ``AuthError``: `provider-already-linked` if the account has a password with another address;
    ///   `invalid-email` if the account has no address, and none was named.
    func address(for account: AccountRecord, named: EmailAddress?) throws -> EmailAddress {
        if let identity = try identity(of: account.id), let address = try? EmailAddress(identity.subject) {
            guard named.map({ isEqual($0.text, address.text) }) ?? true else {
                throw AuthError(
                    .providerAlreadyLinked,
                    "the account has a password for another address: unlink it before setting one for this address"
                )
            }
            return address
        }
        guard let address = try named ?? emails.shown(of: account).flatMap({ try? EmailAddress($0) }) else {
            throw AuthError(.invalidEmail, "the account has no address, and none was given")
        }
        return address
    }

    /// Sets the password of the session's account, or links one.
    ///
    /// - Parameters:
    ///   - hash: The hash of the password.
    ///   - address: The address for which it was checked, before the transaction.
    ///   - named: The address that the request names.
    ///   - session: The session, with a recent login.
    /// - Returns: The account and the session.
    /// - Throws: ``AuthError``: `email-already-in-use`, `provider-already-linked`, and others if the session is not
    ///   open or not recent.
    func set(_ hash: String, address: EmailAddress, named: EmailAddress?, in session: Session) throws
        -> AuthDataResult
    {
        let owner = try identities.find(.password, address.text)?.accountID
        if let owner { try accounts.lockFound(owner, ifBefore: session.accountID) }
        let held = try self.held.holdRecent(session)
        let account = held.account
        guard isEqual(try self.address(for: account, named: named).text, address.text) else {
            throw StoreError(.busy, "the address of the account changed meanwhile")
        }
        // The other sessions are closed before this one gets its new tokens.
        try sessions.close(of: account.id, except: held.session.id, reason: .passwordChanged)
        let result: AuthDataResult
        if let known = try identity(of: account.id) {
            try passwords.set(hash, of: known)
            try pending.void(of: account.id)
            result = try self.held.result(.changed, in: held.session, previous: .dead)
        } else {
            result = try link(hash, address, to: held)
        }
        try audit.record(.passwordChanged, account: account.id, session: held.session.id)
        return result
    }

    /// Links a password to an account that has none.
    private func link(_ hash: String, _ address: EmailAddress, to held: HeldSession) throws -> AuthDataResult {
        let account = held.account
        var credential = VerifiedCredential(password: address, begunAt: context.now)
        // An address that another login of the account has verified need not be verified again.
        credential.isEmailVerified = try identities.of(account.id).contains { $0.proves(address.text) }
        if credential.isEmailVerified { try releaseUnproven(address, elsewhereThan: account.id) }
        guard try !emailLogins.isTaken(address, except: account.id) else { throw AuthError.emailTaken }
        guard let identity = try identities.add(credential, to: account) else { throw AuthError.emailTaken }
        try passwords.set(hash, of: identity)
        return try links.join(identity, credential, to: held, previous: .dead)
    }

    /// Removes the address, which this account has verified, from another account that has it unverified and has other
    /// logins.
    private func releaseUnproven(_ address: EmailAddress, elsewhereThan account: AccountID) throws {
        guard let owner = try identities.find(.password, address.text)?.accountID, owner != account else { return }
        let other = try accounts.lockFound(owner)
        guard let identity = try identities.find(.password, address.text), identity.accountID == other.id else {
            throw StoreError(.busy, "the address was removed from the account meanwhile")
        }
        guard !identity.emailVerified, try identities.of(other.id).count > 1 else { return }
        try emailLogins.release(identity, from: other)
    }
}
