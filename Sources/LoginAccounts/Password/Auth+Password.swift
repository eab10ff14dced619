// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Makes an account with an e-mail address and a password, and sends a message by which the address can be proven.
    ///
    /// Until it is proven the address counts for nothing, but no other account can have a password with it. The person whose address it is
    /// gets it nevertheless: with a login that proves it, or with a new password by message (``sendPasswordReset(to:from:)``).
    ///
    /// No message is sent where the address was sent one less than ``PasswordPolicy/messageInterval`` ago: ``Session/sendEmailVerification()``
    /// sends another.
    ///
    /// It is the one call that tells a stranger whether an address is anybody's. Where that matters, let nobody call it who has not
    /// proven the address: send a message of your own first, and make the account once its link is opened. Give the origin, by
    /// which calls are counted, in any case.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - password: The password: 8 … 1024 bytes of UTF-8, hashed as they are.
    ///   - origin: From where the request came.
    /// - Returns: The account and a session.
    /// - Throws: ``AuthError``: `invalid-email`, `weak-password`; `email-already-in-use` where another account has a password with the
    ///   address, or has proven it; `operation-not-allowed` where passwords are not offered; `too-many-requests`.
    public func createAccount(email: String, password: String, from origin: RequestOrigin? = nil)
        async throws(AuthError) -> AuthDataResult
    {
        try offersPasswords()
        let address = try Self.address(email)
        try policy.passwords.check(password, for: address)
        try await transaction { try $0.spend(.messages("sign-up", from: origin, policy.passwords)) }
        let hash = try await hashed(password)
        let (result, message) = try await transaction { transaction in
            transaction.origin = origin
            let result = try transaction.signUp(address, hash: hash)
            return (result, try transaction.issueSparingly(.verifyEmail, to: address, of: result.account.id))
        }
        if let message { await sendQuietly(message) }
        return result
    }

    /// Sends a message by which the person may choose a new password, where the address has one.
    ///
    /// It answers the same where nobody has the address, or only with another login. It sends at most one message to an address in
    /// ``PasswordPolicy/messageInterval``, and answers the same where it sends none. The last five messages work until one of them was
    /// used, so the requests of others void no message that the account holder has asked for.
    ///
    /// - Parameters:
    ///   - email: The address.
    ///   - origin: From where the request came.
    /// - Throws: ``AuthError``: `invalid-email`, `operation-not-allowed`, `too-many-requests`.
    public func sendPasswordReset(to email: String, from origin: RequestOrigin? = nil) async throws(AuthError) {
        try offersPasswords()
        let address = try Self.address(email)
        try await transaction { try $0.spend(.messages("password-reset", from: origin, policy.passwords)) }
        let message: EmailMessage? = try await transaction { transaction in
            guard let found = try transaction.findPassword(of: address),
                found.identity.status == IdentityStatus.active.rawValue
            else { return nil }
            let account = try transaction.lockAccount(found.identity.accountID)
            guard account.disabledAt == nil else { return nil }
            return try transaction.issueSparingly(.resetPassword, to: address, of: account.id)
        }
        if let message { await sendQuietly(message) }
    }

    /// Sets a new password for who has read the message, and closes all sessions of the account.
    ///
    /// The message proves the address, and not the account. Where the address was not proven before, whoever named it was perhaps somebody
    /// else: if it is the account's only login, all that they could come back with goes, also where another account has proven the
    /// address (whoever has both may merge them). If the account has other logins, it keeps
    /// them and loses the address, which becomes the first login of a new account; where another account has proven it, it joins that
    /// if ``LinkPolicy/emailMatching`` lets it. If not, nothing changes: whoever signs in to that account takes the address with
    /// ``Session/setPassword(_:email:)``.
    ///
    /// - Parameters:
    ///   - token: The token of the message.
    ///   - password: The new password.
    /// - Throws: ``AuthError``: `invalid-credential` where the token is unknown, used, or over; `weak-password`, and then it can be used
    ///   again; `email-already-in-use` where another account has proven the address and the password does not join it; `user-disabled`;
    ///   `operation-not-allowed`.
    public func resetPassword(token: String, to password: String) async throws(AuthError) {
        try offersPasswords()
        let address: EmailAddress = try await transaction { try $0.address(ofMessage: token, kind: .resetPassword) }
        try policy.passwords.check(password, for: address)
        let hash = try await hashed(password)
        try await transaction { try $0.resetPassword(token: token, hash: hash) }
    }

    /// Compares a password with the one that an address has; where it has none, it takes as long.
    ///
    /// - Throws: ``AuthError``: `wrong-password` whether the address is unknown or the password is wrong; `operation-not-allowed`,
    ///   `too-many-requests`.
    func provePassword(_ password: String, of email: String, from origin: RequestOrigin?)
        async throws(AuthError) -> Proof.Evidence
    {
        try offersPasswords()
        guard let address = EmailAddress(email), password.utf8.count <= PasswordPolicy.bytes.upperBound else {
            throw AuthError(.wrongPassword, "no account has such an address, or such a password")
        }
        let kept: String? = try await transaction { transaction in
            try transaction.spend(
                .password(of: address, from: origin, policy.passwords) + .passwords(from: origin, policy.passwords)
            )
            return try transaction.findPassword(of: address)?.password.hash
        }
        let cost = policy.passwords.cost
        let hash = kept.flatMap(PasswordHash.init(text:))
        let (isRight, better) = try await workshop.run {
            let isRight = (hash ?? .ofNobody(cost: cost)).matches(password)
            guard isRight, let hash, hash.isWeaker(than: cost) else { return (isRight, nil as String?) }
            return (true, PasswordHash(password, cost: cost).text)
        }
        guard isRight, let kept else { throw AuthError(.wrongPassword, "the address or the password is wrong") }
        // Only what is wrong counts: who knows the password is not kept out by signing in often.
        try await transaction { try $0.giveBack(.password(of: address, from: origin, policy.passwords)) }
        return .password(address, hash: kept, better: better)
    }

    /// The hash of a password, made where that is done.
    func hashed(_ password: String) async throws(AuthError) -> String {
        let cost = policy.passwords.cost
        return try await workshop.run { PasswordHash(password, cost: cost).text }
    }

    /// - Throws: ``AuthError``: `operation-not-allowed`.
    func offersPasswords() throws(AuthError) {
        guard providers[.password]?.mail != nil else {
            throw AuthError(.operationNotAllowed, "passwords are not configured")
        }
    }

    /// - Throws: ``AuthError``: `invalid-email`.
    static func address(_ email: String) throws(AuthError) -> EmailAddress {
        guard let address = EmailAddress(email) else { throw AuthError(.invalidEmail, "this is no e-mail address") }
        return address
    }

    /// Sends a message without saying whether that failed, which would say that there was something to send.
    private func sendQuietly(_ message: EmailMessage) async {
        do {
            try await providers[.password]?.mail?.send(message)
        } catch {
            try? await transaction { try $0.forget(message) }
        }
    }
}

extension [Budget] {
    /// To compare the password of an address, whether it is anybody's or not.
    fileprivate static func password(of address: EmailAddress, from origin: RequestOrigin?, _ policy: PasswordPolicy)
        -> Self
    {
        ofAddress("password", address, from: origin, policy, fromAnywhere: policy.attemptsPerAddressFromAnywhere)
    }

    /// To compare any password: whoever tries one with many addresses spends little of each.
    fileprivate static func passwords(from origin: RequestOrigin?, _ policy: PasswordPolicy) -> Self {
        network("password.address", origin, limit: policy.attemptsPerNetworkAndMinute, window: .seconds(60))
    }

    /// To make an account, or to ask for a new password: each writes to somebody.
    ///
    /// Addresses have no budget of this kind, which strangers could use up; see ``Budget/interval(of:to:_:)``.
    fileprivate static func messages(_ purpose: String, from origin: RequestOrigin?, _ policy: PasswordPolicy) -> Self {
        network("\(purpose).address", origin, limit: policy.messagesPerNetworkAndHour, window: .seconds(3600))
    }

    /// An address, asked about from one network, and from all together: strangers elsewhere do not lock its person out.
    private static func ofAddress(
        _ purpose: String,
        _ address: EmailAddress,
        from origin: RequestOrigin?,
        _ policy: PasswordPolicy,
        fromAnywhere: Int
    ) -> Self {
        let (window, limit) = (Duration.seconds(900), policy.attemptsPerAddress)
        // No address has a space in it, so no two pairs have the same text.
        let here = "\(address.text) \(origin?.addressPrefix ?? "")"
        return [
            Budget(purpose: purpose, subject: here, limit: limit, window: window),
            Budget(
                purpose: "\(purpose).anywhere",
                subject: address.text,
                limit: Swift.max(fromAnywhere, limit),
                window: window
            ),
        ]
    }
}

extension Budget {
    /// To write to an address what anybody can ask for.
    ///
    /// A request beyond it is answered like any other: the message that was sent before still works.
    static func interval(of kind: EmailMessage.Kind, to address: String, _ policy: PasswordPolicy) -> Self {
        Budget(purpose: "message.\(kind.rawValue)", subject: address, limit: 1, window: policy.messageInterval)
    }
}
