// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps of logins by e-mail address and password: sign-up, password reset, and verification of the address.
struct EmailLogins {
    let accounts: Accounts
    let identityTable: IdentityTable
    let identities: Identities
    let passwords: Passwords
    let messages: EmailMessages
    let emails: EmailOwnership
    let sessions: Sessions
    let held: HeldSessions
    let signIns: SignIns
    let eviction: Eviction
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    private var policy: LinkPolicy { context.policy.linking }

    /// Creates an account with an address, which no other account has verified or has a password with.
    ///
    /// - Throws: ``AuthError``: `email-already-in-use`.
    func signUp(_ address: EmailAddress, hash: String) throws -> AuthDataResult {
        guard try !isTaken(address) else { throw AuthError.emailTaken }
        let account = try accounts.create(isAnonymous: false, by: .password)
        let credential = VerifiedCredential(password: address, begunAt: context.now)
        guard let identity = try identities.add(credential, to: account) else { throw AuthError.emailTaken }
        try passwords.set(hash, of: identity)
        var facts = AccountFacts(account: account, identities: [identity], factors: [])
        facts.account = try emails.update(account, having: facts.identities)
        return try signIns.open(
            facts,
            with: identity,
            credential,
            outcome: .created,
            methods: [ProvenMethod("pwd", at: context.now)],
            level: 1
        )
    }

    /// Whether no password can be set with an address: another account has one with it, or has verified it.
    ///
    /// A provider's login with the unverified address does not take it.
    func isTaken(_ address: EmailAddress, except account: AccountID? = nil) throws(StoreError) -> Bool {
        if let identity = try identities.find(.password, address.text) { return identity.accountID != account }
        return try emails.otherOwner(of: address.text, than: account) != nil
    }

    /// Resets the password with the token of a message; see ``ResetDecision``.
    ///
    /// If another account has verified the address, an address that leaves its account joins that one by the rules of a
    /// sign-in, and one that stays remains unverified here.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`, `user-disabled`, `email-already-in-use`.
    func reset(token: String, hash: String) throws {
        let proof = try messages.find(token, kind: .resetPassword)
        guard let id = try identities.find(.password, proof.address)?.accountID else { throw AuthError.noMessage }
        let prover = try emails.otherOwner(of: proof.address, than: id)
        if let prover { try accounts.lockFound(prover, ifBefore: id) }
        let account = try accounts.lock(id)
        try account.checkUsable()
        let identity = try use(token, kind: .resetPassword, of: account)
        let decision = ResetDecision.decide(identity, among: try identities.of(account.id))
        if decision == .leave {
            let target = try prover.map { prover throws(StoreError) in try accounts.lockFound(prover) }
            return try move(identity, from: account, to: target, hash: hash)
        }
        try passwords.set(hash, of: identity)
        if decision == .changeAndEvict { try eviction.evict(account, keeping: identity) }
        // Another account may have verified the address before this one was locked.
        if try emails.otherOwner(of: proof.address, than: id) == nil { try markVerified(identity, of: account) }
        try endReset(of: account, address: proof.address)
    }

    /// Moves an unverified address to the account that has verified it, if the policy lets it join, or to a new
    /// account.
    private func move(
        _ identity: IdentityRecord,
        from account: AccountRecord,
        to prover: AccountRecord?,
        hash: String
    ) throws {
        var credential = VerifiedCredential(password: identity)
        credential.isEmailVerified = true
        if let prover {
            guard try emails.owner(of: credential) == prover.id else {
                throw StoreError(.busy, "another account has taken the address meanwhile")
            }
            let logins = try identities.of(prover.id).map(\.providerID)
            guard SignInDecision.mayJoin(credential, having: logins, policy: policy) else {
                throw AuthError.emailTaken
            }
            try prover.checkUsable()
        }
        try release(identity, from: account)
        let target = try prover ?? accounts.create(isAnonymous: false)
        guard let proven = try identities.add(credential, to: target) else {
            throw StoreError(.busy, "the same address was registered meanwhile")
        }
        try passwords.set(hash, of: proven)
        try emails.update(target, claiming: credential)
        try audit.record(.identityLinked, account: target.id, actor: .user, subject: audit.subject(proven))
        try endReset(of: target, address: identity.subject)
    }

    private func endReset(of account: AccountRecord, address: String) throws(StoreError) {
        // The caller has read the message, and may have to request another at once.
        try messages.allowReset(of: address)
        try messages.voidResets(of: address)
        try sessions.close(of: account.id, reason: .passwordChanged)
        try pending.void(of: account.id)
        try audit.record(.passwordReset, account: account.id)
    }

    /// Removes an unverified address, with its password, from an account that has other logins.
    func release(_ identity: IdentityRecord, from account: AccountRecord) throws(StoreError) {
        try pending.void(of: account.id)
        try identities.remove(identity)
        try sessions.close(openedWith: identity, reason: .unlinked)
        try emails.update(account)
        try audit.record(.identityUnlinked, account: account.id, subject: audit.subject(identity))
    }

    /// Verifies the address of the session's account, for a signed-in user who has read the message.
    ///
    /// It requires a session of the account: an attacker must not get a user's address verified because that user opens
    /// a message which they did not request.
    ///
    /// - Throws: ``AuthError``: `invalid-credential`, `email-already-in-use`, and others if the session is not open.
    func verify(token: String, in session: Session) throws -> AuthDataResult {
        let held = try self.held.hold(session)
        let (account, current) = (held.account, held.session)
        let identity = try use(token, kind: .verifyEmail, of: account)
        try markVerified(identity, of: account)
        try messages.voidResets(of: identity.subject)
        // Earlier sessions may belong to someone other than the user who has verified the address.
        try sessions.close(of: account.id, except: current.id, reason: .emailVerified)
        try pending.void(of: account.id)
        try audit.record(.emailVerified, account: account.id, session: current.id)
        return try self.held.result(.changed, in: current, previous: .dead)
    }

    /// Uses up a message, and returns the identity whose address it verifies.
    private func use(_ token: String, kind: EmailMessage.Kind, of account: AccountRecord) throws -> IdentityRecord {
        let proof = try messages.take(token, kind: kind)
        guard let identity = try identities.find(.password, proof.address), identity.accountID == account.id else {
            throw AuthError.noMessage
        }
        // A message without an account was sent while the address was unverified, and changes nothing once it is
        // verified.
        guard proof.accountID == account.id || proof.accountID == nil && !identity.emailVerified else {
            throw AuthError.noMessage
        }
        return identity
    }

    private func markVerified(_ identity: IdentityRecord, of account: AccountRecord) throws {
        var credential = VerifiedCredential(password: identity)
        credential.isEmailVerified = true
        if policy.oneAccountPerEmail, try emails.owner(of: credential, except: account.id) != nil {
            throw AuthError.emailTaken
        }
        var verified = identity
        verified.emailVerified = true
        try identityTable.save(verified, from: identity)
        try emails.update(account, claiming: credential)
    }
}

extension AuthError {
    static let emailTaken = AuthError(.emailAlreadyInUse(), "the address belongs to another account")
}
