// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension Auth {
    /// Creates an account with an e-mail address and a password, and sends a message that verifies the address.
    ///
    /// The address has no effect until it is verified, but no other account can have a password with it. The owner of
    /// the address can get it nevertheless: with a login that has it verified, or with a password reset
    /// (``sendPasswordReset(to:from:)``).
    ///
    /// No message is sent if the address was sent one less than ``PasswordPolicy/messageInterval`` ago:
    /// ``Session/sendEmailVerification(from:)`` sends another.
    ///
    /// This call and ``Session/setPassword(_:email:from:)`` reveal whether an account has an address. If that matters,
    /// call it only for users who have verified the address: send your own message first, and create the account when
    /// its link is opened. Pass the origin in any case, because calls are counted by it.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: The password: 8 … 1024 bytes of UTF-8, hashed without normalization.
    ///   - origin: The origin of the request.
    /// - Returns: The account and a session.
    /// - Throws: ``AuthError``: `invalid-email`, `weak-password`; `email-already-in-use` if another account has a
    ///   password with the address, or has verified it; `operation-not-allowed` if passwords are not configured;
    ///   `too-many-requests`.
    public func createAccount(email: String, password: String, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try offersPasswords()
        let address = try Self.address(email)
        try policy.passwords.check(password, for: address)
        let hash = try await hashed(password, from: origin) { () async throws(AuthError) in
            try await transaction { try $0.budgets.spend(.messages("sign-up", from: origin, policy.passwords)) }
        }
        let (result, message) = try await transaction { transaction in
            transaction.context.origin = origin
            let result = try transaction.emailLogins.signUp(address, hash: hash)
            return (result, try transaction.messages.issueSparingly(.verifyEmail, to: address, of: result.account.id))
        }
        if let message { await sendQuietly(message) }
        return result
    }

    /// Sends a message with which the user sets a new password, if the address has one.
    ///
    /// The result is the same if no account has the address, or only with another login. At most one message is sent to
    /// an address in ``PasswordPolicy/messageInterval``; the result is also the same if none is sent. The last five
    /// messages are valid until one of them is used, so that an attacker's requests do not void a message that the
    /// account holder has requested.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - origin: The origin of the request.
    /// - Throws: ``AuthError``: `invalid-email`, `operation-not-allowed`, `too-many-requests`.
    public func sendPasswordReset(to email: String, from origin: RequestOrigin? = nil) async throws(AuthError) {
        try offersPasswords()
        let address = try Self.address(email)
        try await transaction { try $0.budgets.spend(.messages("password-reset", from: origin, policy.passwords)) }
        let message: EmailMessage? = try await transaction { transaction in
            guard let found = try transaction.passwords.find(address),
                found.identity.status == IdentityStatus.active.rawValue
            else { return nil }
            let account = try transaction.accounts.lock(found.identity.accountID)
            guard account.disabledAt == nil else { return nil }
            // Until the address is verified, the account may be an attacker's, whose changes must not void the owner's
            // message.
            let owner = found.identity.emailVerified ? account.id : nil
            return try transaction.messages.issueSparingly(.resetPassword, to: address, of: owner)
        }
        if let message { await sendQuietly(message) }
    }

    /// Resets the password with the token of a message, and closes all sessions of the account.
    ///
    /// The message proves control of the address, and not of the account. An address that was not verified before may
    /// have been entered by an attacker. If it is the account's only login, everything with which the attacker could
    /// sign in again is removed, even if another account has verified the address (a user with both may merge them). If
    /// the account has other logins, it keeps them and loses the address, which becomes the first login of a new
    /// account. If another account has verified the address, the password joins that account if
    /// ``LinkPolicy/emailMatching`` permits it. Otherwise nothing changes, and a user who signs in to that account
    /// takes the address with ``Session/setPassword(_:email:from:)``.
    ///
    /// - Parameters:
    ///   - token: The token of the message.
    ///   - password: The new password.
    ///   - origin: The origin of the request, by which hashing is shared fairly.
    /// - Throws: ``AuthError``: `invalid-credential` if the token is unknown, used, or expired; `weak-password` and
    ///   `too-many-requests`, after which the token can be used again; `email-already-in-use` if another account has
    ///   verified the address and the password does not join it; `user-disabled`; `operation-not-allowed`.
    public func resetPassword(token: String, to password: String, from origin: RequestOrigin? = nil)
        async throws(AuthError)
    {
        try offersPasswords()
        let address: EmailAddress = try await read { try $0.messages.address(of: token, kind: .resetPassword) }
        try policy.passwords.check(password, for: address)
        let hash = try await hashed(password, from: origin)
        try await transaction { try $0.emailLogins.reset(token: token, hash: hash) }
    }

    /// Compares a password with that of an address.
    ///
    /// For an address without a password it takes the same time.
    ///
    /// - Throws: ``AuthError``: `wrong-password`, whether the address is unknown or the password is wrong;
    ///   `operation-not-allowed`, `too-many-requests`.
    func provePassword(_ password: String, of email: String, from origin: RequestOrigin?)
        async throws(AuthError) -> Proof.Evidence
    {
        try offersPasswords()
        guard let address = try? EmailAddress(email), password.utf8.count <= PasswordPolicy.bytes.upperBound else {
            throw AuthError(.wrongPassword, "the address or the password is malformed")
        }
        let guess = try await passwordHashing.withPlace(for: origin) { place throws(AuthError) in
            try await compare(password, of: address, from: origin, in: place)
        }
        guard guess.isRight, let kept = guess.kept else {
            throw AuthError(.wrongPassword, "the address or the password is wrong")
        }
        // Only wrong guesses count: signing in often never locks the account.
        try await transaction { try $0.budgets.giveBack(guess.budgets) }
        return .password(address, hash: kept, better: guess.better)
    }

    /// The result of comparing a password.
    private struct Guess: Sendable {
        /// Whether the password is right.
        let isRight: Bool
        /// The stored hash; nil for an address without a password.
        let kept: String?
        /// The hash to store instead; nil if the cost of the stored one is high enough.
        let better: String?
        /// The budgets of the address that the guess was counted in.
        let budgets: [Budget]
    }

    /// Counts a guess, and compares it in a place of the queue.
    private func compare(
        _ password: String,
        of address: EmailAddress,
        from origin: RequestOrigin?,
        in place: PasswordHashingQueue.Place
    ) async throws(AuthError) -> Guess {
        let (kept, budgets) = try await transaction { transaction in
            let found = try transaction.passwords.find(address)
            let isKnown = try found.map { try transaction.sessions.isKnown(origin, to: $0.identity.accountID) } ?? false
            let budgets: [Budget] = .password(of: address, from: origin, isKnown: isKnown, policy.passwords)
            try transaction.budgets.spend(budgets + .passwords(from: origin, policy.passwords))
            return (found?.password.hash, budgets)
        }
        let cost = policy.passwords.cost
        let hash = kept.flatMap(PasswordHash.init(text:))
        let (isRight, better) = await place.run {
            let isRight = (hash ?? .ofNobody(cost: cost)).matches(password)
            guard isRight, let hash, hash.isWeaker(than: cost) else { return (isRight, nil as String?) }
            return (true, PasswordHash(password, cost: cost).text)
        }
        return Guess(isRight: isRight, kept: kept, better: better, budgets: budgets)
    }

    /// Hashes a new password.
    ///
    /// - Throws: ``AuthError``: `too-many-requests`.
    func hashed(
        _ password: String,
        from origin: RequestOrigin?,
        counting count: () async throws(AuthError) -> Void = {}
    ) async throws(AuthError) -> String {
        try await passwordHashing.withPlace(for: origin) { place throws(AuthError) in
            try await count()
            return await makeHash(of: password, in: place)
        }
    }

    private func makeHash(of password: String, in place: PasswordHashingQueue.Place) async -> String {
        let cost = policy.passwords.cost
        return await place.run { PasswordHash(password, cost: cost).text }
    }

    /// Requires that passwords are configured.
    ///
    /// - Throws: ``AuthError``: `operation-not-allowed`.
    func offersPasswords() throws(AuthError) {
        guard allows(.password) else {
            throw AuthError(.operationNotAllowed, "passwords are not configured")
        }
    }

    /// Parses an e-mail address.
    ///
    /// - Throws: ``AuthError``: `invalid-email`.
    static func address(_ email: String) throws(AuthError) -> EmailAddress {
        do throws(EmailAddress.Fault) {
            return try EmailAddress(email)
        } catch {
            throw AuthError(.invalidEmail, "this is not a valid e-mail address: \(error.rawValue)")
        }
    }

    /// Sends a message, and hides a failure, which would reveal that there was a message to send.
    private func sendQuietly(_ message: EmailMessage) async {
        do {
            try await mail?.send(message)
        } catch {
            try? await transaction { try $0.messages.forget(message) }
        }
    }
}

extension [Budget] {
    /// Returns the budgets for comparing the password of an address, whether an account has the address or not.
    ///
    /// Guesses from networks that the account knows are counted separately, so that guesses from elsewhere do not use
    /// them up.
    fileprivate static func password(
        of address: EmailAddress,
        from origin: RequestOrigin?,
        isKnown: Bool,
        _ policy: PasswordPolicy
    ) -> Self {
        let (window, limit) = (Duration.seconds(900), policy.attemptsPerAddress)
        let shared =
            isKnown
            ? (name: "known", limit: policy.attemptsPerAddressFromKnownNetworks)
            : (name: "anywhere", limit: policy.attemptsPerAddressFromUnknownNetworks)
        // No address has a space in it, so no two pairs have the same text.
        let here = "\(address.text) \(origin?.addressPrefix ?? "")"
        return [
            Budget(purpose: "password", subject: here, limit: limit, window: window),
            Budget(
                purpose: "password.\(shared.name)",
                subject: address.text,
                limit: Swift.max(shared.limit, limit),
                window: window
            ),
        ]
    }

    /// Returns the budgets of a network for comparing passwords, because one password may be tried with many addresses.
    fileprivate static func passwords(from origin: RequestOrigin?, _ policy: PasswordPolicy) -> Self {
        network("password.address", origin, limit: policy.attemptsPerNetworkAndMinute, window: .seconds(60))
    }

    /// Returns the budgets of a network for creating accounts or requesting new passwords, each of which sends a
    /// message.
    ///
    /// For messages to one address, see ``Budget/interval(of:to:_:)``.
    static func messages(_ purpose: String, from origin: RequestOrigin?, _ policy: PasswordPolicy) -> Self {
        network("\(purpose).address", origin, limit: policy.messagesPerNetworkAndHour, window: .seconds(3600))
    }
}

extension Budget {
    /// Returns the budget of an address for messages that anyone can request.
    ///
    /// A request beyond it gets the same response: the previous message is still valid, unless the account has changed
    /// since.
    static func interval(of kind: EmailMessage.Kind, to address: String, _ policy: PasswordPolicy) -> Self {
        Budget(purpose: "message.\(kind.rawValue)", subject: address, limit: 1, window: policy.messageInterval)
    }
}
