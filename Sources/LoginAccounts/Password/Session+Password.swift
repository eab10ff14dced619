// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension Session {
    /// Sets the password of the account, and closes its other sessions.
    ///
    /// An account without a password gets one, with its e-mail address or the given one.
    ///
    /// - Parameters:
    ///   - password: The new password: 8 … 1024 bytes of UTF-8.
    ///   - email: The address, for an account that has no password yet; nil for the address it has. If the account has proven it, another
    ///     account that has only named it, beside other logins, loses it.
    ///   - origin: The origin of the request, by which hashing is shared fairly.
    /// - Returns: The account, and the session with new tokens. The previous tokens are rejected.
    /// - Throws: ``AuthError``: `weak-password`, `too-many-requests`, `invalid-email`, `email-already-in-use`; `provider-already-linked` if
    ///   the account has a password with another address, which must be unlinked first; `requires-recent-login`;
    ///   `second-factor-required` if the account has a second factor that this session has not seen; `invalid-user-token` and others if
    ///   the session is not open.
    public func setPassword(_ password: String, email: String? = nil, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try auth.offersPasswords()
        let named: EmailAddress? = if let email { try Auth.address(email) } else { nil }
        let address: EmailAddress = try await auth.read { transaction in
            let held = try transaction.look(at: self)
            try transaction.requireRecentLogin(held)
            return try transaction.addressForPassword(of: held.account, named: named)
        }
        try auth.policy.passwords.check(password, for: address)
        let hash = try await auth.hashed(password, from: origin)
        return try await auth.transaction { transaction in
            let owner = try transaction.findIdentity(.password, address.text)?.accountID
            if let owner { try transaction.lockFound(owner, ifBefore: self.accountID) }
            return try transaction.setPassword(hash, address: address, named: named, in: transaction.holdRecent(self))
        }
    }

    /// Sends a message that proves the e-mail address of the account's password: at most five in an hour, each of which is valid until one
    /// was used.
    ///
    /// Messages are counted for the account and for the network of the request (``PasswordPolicy/messagesPerNetworkAndHour``): an account
    /// that is deleted and created again floods no mailbox.
    ///
    /// - Parameter origin: The origin of the request, by which messages are counted.
    /// - Throws: ``AuthError``: `no-such-provider` if the account has no password; `provider-unavailable` if the message could not be
    ///   sent; `too-many-requests`, `operation-not-allowed`; `invalid-user-token` and others if the session is not open.
    public func sendEmailVerification(from origin: RequestOrigin? = nil) async throws(AuthError) {
        try auth.offersPasswords()
        let message = try await auth.transaction { transaction in
            let account = try transaction.hold(self).account
            guard let identity = try transaction.passwordIdentity(of: account.id),
                let address = EmailAddress(identity.subject)
            else { throw AuthError(.noSuchProvider, "the account has no password") }
            // Per account: an account that named the address before, and was deleted, has used up nothing.
            let subject = "\(account.id.rawValue) \(address.text)"
            try transaction.spend(
                [Budget(purpose: "email-verification", subject: subject, limit: 5, window: .seconds(3600))]
                    + .messages("email-verification", from: origin, auth.policy.passwords)
            )
            return try transaction.issueMessage(.verifyEmail, to: address, of: account.id)
        }
        do {
            try await auth.mail?.send(message)
        } catch {
            try await auth.transaction { try $0.forget(message) }
            throw AuthError(.providerUnavailable, "the message could not be sent")
        }
    }

    /// Proves the e-mail address of the account's password, and closes the account's other sessions.
    ///
    /// The previous tokens of this one are rejected. It needs a session of the account: a user who reads a message that they did not
    /// request cannot be led to prove their address for a stranger's account.
    ///
    /// - Parameter token: The token of the message.
    /// - Returns: The account, and the session with new tokens.
    /// - Throws: ``AuthError``: `invalid-credential` if the token is unknown, used, expired, or of another account;
    ///   `email-already-in-use` if another account has proven the address meanwhile.
    public func verifyEmail(token: String) async throws(AuthError) -> AuthDataResult {
        try await auth.transaction { transaction in try transaction.verifyEmail(token: token, in: self) }
    }
}

extension AccountTransaction {
    /// Finds the password identity of an account.
    func passwordIdentity(of account: AccountID) throws -> IdentityRecord? {
        try identities(of: account).first { $0.providerID == .password }
    }

    /// The address for a password of the account.
    fileprivate func addressForPassword(of account: AccountRecord, named: EmailAddress?) throws -> EmailAddress {
        if let identity = try passwordIdentity(of: account.id), let address = EmailAddress(identity.subject) {
            guard named.map({ isEqual($0.text, address.text) }) ?? true else {
                throw AuthError(
                    .providerAlreadyLinked,
                    "the account has a password with another address: unlink that, then set one with this"
                )
            }
            return address
        }
        guard let address = try named ?? shownEmail(of: account).flatMap(EmailAddress.init) else {
            throw AuthError(.invalidEmail, "the account has no address, and none was named")
        }
        return address
    }

    fileprivate func setPassword(_ hash: String, address: EmailAddress, named: EmailAddress?, in held: HeldSession)
        throws -> AuthDataResult
    {
        let account = held.account
        guard try addressForPassword(of: account, named: named).text.utf8.elementsEqual(address.text.utf8) else {
            throw StoreError(.busy, "the account has just got another address")
        }
        // The other sessions are closed before this one gets its new tokens.
        try closeSessions(of: account.id, except: held.session.id, reason: .passwordChanged)
        let known = try passwordIdentity(of: account.id)
        let result: AuthDataResult
        if let known {
            try setPassword(hash, of: known)
            try voidPending(of: account.id)
            result = try self.result(.changed, in: held.session, previous: .dead)
        } else {
            result = try linkPassword(hash, address, to: held)
        }
        try record(.passwordChanged, account: account.id, session: held.session.id)
        return result
    }

    /// Links a password to an account that has none.
    private func linkPassword(_ hash: String, _ address: EmailAddress, to held: HeldSession) throws -> AuthDataResult {
        let account = held.account
        var credential = VerifiedCredential(password: address, begunAt: now)
        // An address that another login of the account has proven need not be proven again.
        credential.isEmailVerified = try identities(of: account.id).contains { $0.proves(address.text) }
        if credential.isEmailVerified { try releaseUnproven(address, elsewhereThan: account.id) }
        guard try !isTaken(address, except: account.id) else { throw Self.emailTaken }
        guard let identity = try addIdentity(credential, to: account) else { throw Self.emailTaken }
        try setPassword(hash, of: identity)
        return try join(identity, credential, to: held, previous: .dead)
    }

    /// Removes an address that this account has proven from another account that has only named it, and has other logins.
    private func releaseUnproven(_ address: EmailAddress, elsewhereThan account: AccountID) throws {
        guard let owner = try findIdentity(.password, address.text)?.accountID, owner != account else { return }
        let other = try lockFound(owner)
        guard let identity = try findIdentity(.password, address.text), identity.accountID == other.id else {
            throw StoreError(.busy, "the address has just left the account")
        }
        guard !identity.emailVerified, try identities(of: other.id).count > 1 else { return }
        try release(identity, from: other)
    }
}
