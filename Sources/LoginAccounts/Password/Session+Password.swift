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
    ///   - email: The address, for an account that has no password yet; nil for the address it has. If the account has
    ///     verified it, another account that has it unverified, beside other logins, loses it.
    ///   - origin: The origin of the request, by which hashing is shared fairly. Requests that name an address, for an
    ///     account without a password, are counted with the network's sign-ups, and 10 in an hour for the account.
    /// - Returns: The account, and the session with new tokens. The previous tokens are rejected.
    /// - Throws: ``AuthError``: `weak-password`, `too-many-requests`, `invalid-email`, `email-already-in-use`;
    ///   `provider-already-linked` if the account has a password with another address, which must be unlinked first;
    ///   `requires-recent-login`; `second-factor-required` if the account has a second factor that this session has not
    ///   seen; `invalid-user-token` and others if the session is not open.
    public func setPassword(_ password: String, email: String? = nil, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try auth.offersPasswords()
        let named: EmailAddress? = if let email { try Auth.address(email) } else { nil }
        let (address, isNew): (EmailAddress, Bool) = try await auth.read { transaction in
            let held = try transaction.held.look(at: self)
            try transaction.held.requireRecentLogin(held)
            let steps = transaction.accountPasswords
            return (
                try steps.address(for: held.account, named: named), try steps.identity(of: held.account.id) == nil
            )
        }
        try auth.policy.passwords.check(password, for: address)
        let hash = try await auth.hashed(password, from: origin) { () async throws(AuthError) in
            guard isNew, named != nil else { return }
            // Like the response to a sign-up, this one reveals whether another account has the address.
            try await auth.transaction { transaction in
                try transaction.budgets.spend(
                    [
                        Budget(
                            purpose: "password-address",
                            subject: accountID.rawValue,
                            limit: 10,
                            window: .seconds(3600)
                        )
                    ]
                        + .messages("sign-up", from: origin, auth.policy.passwords)
                )
            }
        }
        return try await auth.transaction { transaction in
            try transaction.accountPasswords.set(hash, address: address, named: named, in: self)
        }
    }

    /// Sends a message that verifies the e-mail address of the account's password.
    ///
    /// At most five are sent in an hour, each of which is valid until one is used, and at most 20 to one address from
    /// all accounts. Messages are counted for the account and for the network of the request
    /// (``PasswordPolicy/messagesPerNetworkAndHour``), so that deleting and creating accounts cannot flood a mailbox.
    ///
    /// - Parameter origin: The origin of the request, by which messages are counted.
    /// - Throws: ``AuthError``: `no-such-provider` if the account has no password; `provider-unavailable` if the
    ///   message could not be sent; `too-many-requests`, `operation-not-allowed`; `invalid-user-token` and others if
    ///   the session is not open.
    public func sendEmailVerification(from origin: RequestOrigin? = nil) async throws(AuthError) {
        try auth.offersPasswords()
        let message = try await auth.transaction { transaction in
            let account = try transaction.held.hold(self).account
            guard let identity = try transaction.accountPasswords.identity(of: account.id),
                let address = try? EmailAddress(identity.subject)
            else { throw AuthError(.noSuchProvider, "the account has no password") }
            // The first budget is of the account: a deleted account with the address has used up none of it. The second
            // keeps many accounts from flooding one mailbox. An attacker can use it up, which delays the account holder
            // by an hour at most; a password reset has a limit of its own.
            let subject = "\(account.id.rawValue) \(address.text)"
            let hour = Duration.seconds(3600)
            try transaction.budgets.spend(
                [
                    Budget(purpose: "email-verification", subject: subject, limit: 5, window: hour),
                    Budget(purpose: "email-verification.address", subject: address.text, limit: 20, window: hour),
                ] + .messages("email-verification", from: origin, auth.policy.passwords)
            )
            return try transaction.messages.issue(.verifyEmail, to: address, of: account.id)
        }
        do {
            try await auth.mail?.send(message)
        } catch {
            try await auth.transaction { try $0.messages.forget(message) }
            throw AuthError(.providerUnavailable, "the message could not be sent")
        }
    }

    /// Verifies the e-mail address of the account's password, and closes the account's other sessions.
    ///
    /// The previous tokens of this session are rejected. It requires a session of the account, so that an attacker
    /// cannot get a user's address verified for the attacker's account when the user opens a message that they did not
    /// request.
    ///
    /// - Parameter token: The token of the message.
    /// - Returns: The account, and the session with new tokens.
    /// - Throws: ``AuthError``: `invalid-credential` if the token is unknown, used, expired, or of another account;
    ///   `email-already-in-use` if another account has verified the address meanwhile.
    public func verifyEmail(token: String) async throws(AuthError) -> AuthDataResult {
        try await auth.transaction { transaction in try transaction.emailLogins.verify(token: token, in: self) }
    }
}
