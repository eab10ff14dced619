// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginText

extension AccountTransaction {
    /// Finds the identity of an address, and its password; nil if the address has no password.
    func findPassword(of address: EmailAddress) throws -> (identity: IdentityRecord, password: PasswordRecord)? {
        guard let identity = try findIdentity(.password, address.text) else { return nil }
        let password: PasswordRecord? = try first(where: PasswordRecord.Column.identityID.equals(identity.id))
        return password.map { (identity, $0) }
    }

    /// Creates an account with an address that no other account has proven or has a password with.
    ///
    /// - Throws: ``AuthError``: `email-already-in-use`.
    func signUp(_ address: EmailAddress, hash: String) throws -> AuthDataResult {
        guard try !isTaken(address) else { throw Self.emailTaken }
        let account = try makeAccount(isAnonymous: false, by: .password)
        let credential = VerifiedCredential(password: address, begunAt: now)
        guard let identity = try addIdentity(credential, to: account) else { throw Self.emailTaken }
        try add(PasswordRecord(identityID: identity.id, hash: hash, changedAt: now))
        var facts = AccountFacts(account: account, identities: [identity], factors: [])
        facts.account = try updateEmail(of: account, having: facts.identities)
        return try open(
            facts,
            with: identity,
            credential,
            outcome: .created,
            methods: [ProvenMethod("pwd", at: now)],
            level: 1
        )
    }

    /// Whether no password can be set with an address: another account has one with it, or has proven it.
    ///
    /// A login of a provider that merely names the address does not take it.
    func isTaken(_ address: EmailAddress, except account: AccountID? = nil) throws -> Bool {
        if let identity = try findIdentity(.password, address.text) { return identity.accountID != account }
        return try otherOwner(of: address.text, than: account) != nil
    }

    static let emailTaken = AuthError(.emailAlreadyInUse(), "the address is another account's")

    /// Returns the credential for a password that was compared a moment ago.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - hash: The hash with which it was compared.
    ///   - better: The hash that replaces it, at today's cost.
    /// - Returns: The credential.
    /// - Throws: ``AuthError``: `wrong-password` if the password has been changed since.
    func usePassword(of address: EmailAddress, hash: String, better: String?) throws -> VerifiedCredential {
        guard let found = try findPassword(of: address), found.password.hash.utf8.elementsEqual(hash.utf8) else {
            throw AuthError(.wrongPassword, "the password has just been changed")
        }
        if let better {
            try update(
                PasswordRecord.self,
                set: PasswordRecord.Column.hash.becomes(better),
                where: PasswordRecord.Column.identityID.equals(found.identity.id),
                PasswordRecord.Column.hash.equals(hash)
            )
        }
        var credential = VerifiedCredential(password: address, identity: found.identity, begunAt: now)
        credential.passwordSetAt = found.password.changedAt
        return credential
    }

    /// Sets the password of an identity, and voids the pending credentials of the previous one.
    func setPassword(_ hash: String, of identity: IdentityRecord) throws {
        let changed: [PasswordRecord] = try update(
            set: PasswordRecord.Column.hash.becomes(hash),
            PasswordRecord.Column.changedAt.becomes(now),
            where: PasswordRecord.Column.identityID.equals(identity.id)
        )
        if changed.isEmpty { try add(PasswordRecord(identityID: identity.id, hash: hash, changedAt: now)) }
        try voidPending(of: identity)
    }

    // MARK: - Messages

    /// The maximum number of valid messages of a kind, so that a stranger's request does not void the message that the account holder is
    /// about to open.
    private static let mostMessages = 5

    /// Creates a message.
    ///
    /// The last five of a kind are valid, each until it expires, and none once one of them was used.
    ///
    /// - Parameters:
    ///   - kind: The kind.
    ///   - address: The recipient.
    ///   - account: The account whose changes void it; nil for a message that belongs to its address alone, whichever account names it.
    ///     The account that has the password of the address is locked.
    /// - Returns: The message, to be sent after the commit.
    /// - Throws: ``StoreError``
    func issueMessage(_ kind: EmailMessage.Kind, to address: EmailAddress, of account: AccountID?) throws
        -> EmailMessage
    {
        let earlier: [ProofRecord] = try all(
            where: ProofRecord.Column.kind.equals(kind.rawValue),
            ProofRecord.Column.address.equals(address.text),
            order: .descending(ProofRecord.Column.createdAt, then: ProofRecord.Column.hash)
        )
        for proof in earlier.dropFirst(Self.mostMessages - 1) {
            try delete(ProofRecord.self, where: ProofRecord.Column.hash.equals(proof.hash))
        }
        let token = "lle_" + Base64URL.encode(randomBytes(count: 32))
        let policy = auth.policy.passwords
        let proof = ProofRecord(
            hash: Digest.sha256.hash(token.utf8),
            kind: kind.rawValue,
            accountID: account,
            address: address.text,
            attemptsLeft: 1,
            createdAt: now,
            expiresAt: now + (kind == .resetPassword ? policy.resetLifetime : policy.verificationLifetime)
        )
        try add(proof)
        return EmailMessage(kind: kind, address: address.text, token: token, expiresAt: proof.expiresAt.date)
    }

    /// Issues a message at the request of a caller who may not be the account holder.
    ///
    /// - Returns: The message; nil if one of its kind was sent to the address less than ``PasswordPolicy/messageInterval`` ago.
    /// - Throws: ``StoreError``
    func issueSparingly(_ kind: EmailMessage.Kind, to address: EmailAddress, of account: AccountID?) throws
        -> EmailMessage?
    {
        guard try take(.interval(of: kind, to: address.text, auth.policy.passwords)) else { return nil }
        return try issueMessage(kind, to: address, of: account)
    }

    /// Deletes a message that could not be sent: it voids no other message, and the next may be sent at once.
    func forget(_ message: EmailMessage) throws {
        try delete(ProofRecord.self, where: ProofRecord.Column.hash.equals(Digest.sha256.hash(message.token.utf8)))
        try refill(.interval(of: message.kind, to: message.address, auth.policy.passwords))
    }

    /// Reads a message that is valid.
    private func message(_ token: String, kind: EmailMessage.Kind) throws -> ProofRecord {
        guard token.utf8.count <= 64,
            let proof: ProofRecord = try first(
                where: ProofRecord.Column.hash.equals(Digest.sha256.hash(token.utf8)),
                ProofRecord.Column.kind.equals(kind.rawValue),
                ProofRecord.Column.expiresAt.isAfter(now)
            )
        else { throw Self.noMessage }
        return proof
    }

    /// Reads the recipient of a message that is valid.
    func address(ofMessage token: String, kind: EmailMessage.Kind) throws -> EmailAddress {
        guard let address = EmailAddress(try message(token, kind: kind).address) else {
            throw StoreError(.damaged, "a message was for no address")
        }
        return address
    }

    /// Uses a message up, and returns the identity whose address it proves.
    private func useMessage(_ token: String, kind: EmailMessage.Kind, of account: AccountRecord) throws
        -> IdentityRecord
    {
        let taken: [ProofRecord] = try delete(
            where: ProofRecord.Column.hash.equals(Digest.sha256.hash(token.utf8)),
            ProofRecord.Column.kind.equals(kind.rawValue),
            ProofRecord.Column.expiresAt.isAfter(now)
        )
        guard let proof = taken.first, let identity = try findIdentity(.password, proof.address),
            identity.accountID == account.id
        else { throw Self.noMessage }
        // A message of no account was sent while the address was unproven, and changes nothing once it is proven.
        guard proof.accountID == account.id || proof.accountID == nil && !identity.emailVerified else {
            throw Self.noMessage
        }
        return identity
    }

    private static let noMessage = AuthError(.invalidCredential, "the token is unknown, used, or over")

    /// Sets a new password for the reader of the message.
    ///
    /// A message proves an address, and not an account: an address that was never proven, in an account that has other logins, leaves it,
    /// and becomes the first login of a new account. If another account has proven it, it joins that by the rules of a sign-in. An
    /// account of which the address is the only login is given to the reader of the message; if another account has proven the address,
    /// it stays unproven here.
    func resetPassword(token: String, hash: String) throws {
        let proof = try message(token, kind: .resetPassword)
        guard let id = try findIdentity(.password, proof.address)?.accountID else { throw Self.noMessage }
        let prover = try otherOwner(of: proof.address, than: id)
        if let prover { try lockFound(prover, ifBefore: id) }
        let account = try lockAccount(id)
        try checkUsable(account)
        let identity = try useMessage(token, kind: .resetPassword, of: account)
        let known = try identities(of: account.id)
        // The address may be proven by another login of the same account.
        let isProven = identity.emailVerified || known.contains { $0.proves(proof.address) }
        if !isProven, known.count > 1 {
            return try resetPassword(hash, of: identity, leaving: account, for: prover.map { try lockFound($0) })
        }
        try setPassword(hash, of: identity)
        if !isProven { try evict(account, keeping: identity) }
        // Another account may have proven the address before this one was locked.
        if try otherOwner(of: proof.address, than: id) == nil { try markVerified(identity, of: account) }
        try endReset(of: account, address: proof.address)
    }

    /// Moves an unproven address to the account that has proven it, if the policy lets it join, or to a new account.
    private func resetPassword(
        _ hash: String,
        of identity: IdentityRecord,
        leaving account: AccountRecord,
        for prover: AccountRecord?
    ) throws {
        var credential = VerifiedCredential(password: identity)
        credential.isEmailVerified = true
        if let prover {
            guard try emailOwner(of: credential) == prover.id else {
                throw StoreError(.busy, "the address has just become another account's")
            }
            guard try mayJoin(credential, prover.id, having: identities(of: prover.id)) else { throw Self.emailTaken }
            try checkUsable(prover)
        }
        try release(identity, from: account)
        let target = try prover ?? makeAccount(isAnonymous: false)
        guard let proven = try addIdentity(credential, to: target) else {
            throw StoreError(.busy, "somebody has just got the same address")
        }
        try setPassword(hash, of: proven)
        try updateEmail(of: target, claiming: credential)
        try record(.identityLinked, account: target.id, actor: .user, subject: auditSubject(proven))
        try endReset(of: target, address: identity.subject)
    }

    private func endReset(of account: AccountRecord, address: String) throws {
        // Only the reader of the message comes here, who may have to ask for another at once.
        try refill(.interval(of: .resetPassword, to: address, auth.policy.passwords))
        try voidResets(of: address)
        try closeSessions(of: account.id, reason: .passwordChanged)
        try voidPending(of: account.id)
        try record(.passwordReset, account: account.id)
    }

    /// Voids the messages by which a new password can be set for an address.
    private func voidResets(of address: String) throws {
        try delete(
            ProofRecord.self,
            where: ProofRecord.Column.address.equals(address),
            ProofRecord.Column.kind.equals(EmailMessage.Kind.resetPassword.rawValue)
        )
    }

    /// Removes an unproven address, with its password, from an account that has other logins.
    func release(_ identity: IdentityRecord, from account: AccountRecord) throws {
        try voidPending(of: account.id)
        try removeIdentity(identity)
        try closeSessions(openedWith: identity.id, reason: .unlinked)
        try updateEmail(of: account)
        try record(.identityUnlinked, account: account.id, subject: auditSubject(identity))
    }

    /// Locks another account before the own one if its ID comes first, so that both are always locked in one order.
    func lockFound(_ other: AccountID, ifBefore account: AccountID) throws {
        guard other.rawValue.utf8.lexicographicallyPrecedes(account.rawValue.utf8) else { return }
        _ = try lockFound(other)
    }

    /// Proves the address of the session's account, for a signed-in user who has read the message.
    ///
    /// It needs a session of the account: a user who only reads a message that they did not request must not give their address to a
    /// stranger's account.
    func verifyEmail(token: String, in session: Session) throws -> AuthDataResult {
        let held = try hold(session)
        let (account, current) = (held.account, held.session)
        let identity = try useMessage(token, kind: .verifyEmail, of: account)
        try markVerified(identity, of: account)
        try voidResets(of: identity.subject)
        // Earlier sessions may belong to another person than the one who has proven the address.
        try closeSessions(of: account.id, except: current.id, reason: .emailVerified)
        try voidPending(of: account.id)
        try record(.emailVerified, account: account.id, session: current.id)
        return try result(.changed, in: current, previous: .dead)
    }

    private func markVerified(_ identity: IdentityRecord, of account: AccountRecord) throws {
        var credential = VerifiedCredential(password: identity)
        credential.isEmailVerified = true
        if auth.policy.linking.oneAccountPerEmail, try emailOwner(of: credential, except: account.id) != nil {
            throw Self.emailTaken
        }
        try update(
            IdentityRecord.self,
            set: IdentityRecord.Column.emailVerified.becomes(true),
            where: IdentityRecord.Column.id.equals(identity.id)
        )
        try updateEmail(of: account, claiming: credential)
    }
}

extension VerifiedCredential {
    /// Creates the credential of an address with a password.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - identity: Its identity, if there is one.
    ///   - begunAt: The time of the request.
    init(password address: EmailAddress, identity: IdentityRecord? = nil, begunAt: StoreTime) {
        self.init(
            providerID: .password,
            subject: address.text,
            email: address.text,
            isEmailVerified: identity?.emailVerified ?? false,
            displayName: identity?.displayName,
            photoURL: identity?.photoURL,
            method: "pwd",
            begunAt: begunAt
        )
    }

    /// Creates the credential that an identity was stored with.
    fileprivate init(password identity: IdentityRecord) {
        self.init(
            providerID: .password,
            subject: identity.subject,
            email: identity.email,
            isEmailVerified: identity.emailVerified,
            method: "pwd",
            begunAt: identity.lastSignInAt
        )
    }
}
