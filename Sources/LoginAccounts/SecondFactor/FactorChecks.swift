// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// A verified second factor.
struct ProvenFactor: Sendable {
    /// The method: a name of RFC 8176, or `recovery`, which that does not define.
    let method: String
    /// Whether it was a recovery code.
    var isRecovery = false
}

/// The purpose of presenting a second factor.
///
/// A code that was sent is bound to it.
enum FactorPurpose {
    /// A sign-in that waits for its second factor.
    case signIn(PendingSignInRecord)
    /// An open session.
    case session(SessionRecord)
}

/// The steps that verify a second factor: the attempt is counted before the comparison, and a correct code is used up.
struct FactorChecks {
    let accounts: AccountTable
    let factors: FactorTable
    let recoveryCodes: RecoveryCodeTable
    let challenges: Challenges
    let reseal: FactorReseal
    let budgets: Budgets
    let sessions: Sessions
    let audit: AuditTrail
    let secrets: FactorSecrets
    let context: TransactionContext

    private var policy: FactorPolicy { context.policy.factors }

    /// Verifies a second factor.
    ///
    /// A wrong code is committed as a failure, so that it is counted however often it is tried. A code that was used
    /// before counts as a guess too, because anyone who has seen it can present it. If this throws, nothing was
    /// compared, or the store or a key failed, and nothing is counted.
    ///
    /// - Parameters:
    ///   - assertion: The second factor.
    ///   - account: The account. It is locked.
    ///   - purpose: The purpose.
    ///   - origin: The origin of the request.
    /// - Returns: The factor; or the refusal: `invalid-verification-code`, also for a replayed code.
    /// - Throws: ``AuthError``: `too-many-requests`, `missing-multi-factor-info`, `multi-factor-info-not-found`,
    ///   `invalid-verification-id`, `session-expired`.
    func check(
        _ assertion: MultiFactorAssertion,
        of account: AccountRecord,
        for purpose: FactorPurpose,
        from origin: RequestOrigin?
    ) throws -> TransactionEnding<ProvenFactor> {
        if let lock = account.factorLock(at: context.now) { throw lock }
        let charged = try charge(account, for: purpose, from: origin)
        let ending: TransactionEnding<ProvenFactor> =
            switch assertion.kind {
            case .totp(let uid, let code): try checkTOTP(uid, code, of: account)
            case .phone(let challengeID, let code): try checkPhone(challengeID, code, of: account, for: purpose)
            case .recoveryCode(let code): try useRecoveryCode(code, of: account)
            }
        switch (ending, purpose) {
        case (.commit, .signIn): try accounts.save(charged.withoutFactorFailures, from: charged)
        case (.commit, .session(let session)): try budgets.refill(failures(in: session))
        case (.commitRefusal, .signIn): try countFailure(of: charged)
        case (.commitRefusal, .session(let session)): try countFailure(in: session)
        }
        return ending
    }

    /// Finds a confirmed factor.
    ///
    /// - Throws: ``AuthError``: `missing-multi-factor-info`, `multi-factor-info-not-found`.
    func confirmed(_ uid: String, _ kind: MultiFactorKind, of account: AccountID) throws -> FactorRecord {
        guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo, "no factor was given") }
        guard let factor = try factors.confirmed(of: account).first(where: { isEqual($0.id, uid) }),
            factor.kind == kind.rawValue
        else { throw AuthError(.multiFactorInfoNotFound, "the account has no such factor, or it is of another kind") }
        return factor
    }

    // MARK: - Counting

    /// Counts an attempt with a second factor.
    ///
    /// In a pending sign-in, the attempt is counted for the account, because the caller knows the first factor. The
    /// holder of a session token alone must not be able to lock the user out of signing in, so an attempt in a session
    /// is counted for the session alone.
    ///
    /// - Returns: The account as it is now.
    private func charge(_ account: AccountRecord, for purpose: FactorPurpose, from origin: RequestOrigin?) throws
        -> AccountRecord
    {
        var charged = account
        var budgets: [Budget]
        switch purpose {
        case .signIn:
            charged.factorFailures = account.factorFailures &+ 1
            charged = try accounts.save(charged, from: account)
            budgets = [
                Budget(
                    purpose: "factor.account",
                    subject: account.id.rawValue,
                    limit: policy.attemptsPerAccountAndHour,
                    window: .seconds(3600)
                )
            ]
        case .session(let session):
            budgets = [
                Budget(
                    purpose: "factor.session",
                    subject: session.familyID,
                    limit: policy.attemptsPerSignIn,
                    window: policy.signInLifetime
                )
            ]
        }
        let limit = policy.attemptsPerAddressAndMinute
        budgets += .network("factor.address", origin, limit: limit, window: .seconds(60))
        try self.budgets.spend(budgets)
        return charged
    }

    /// Counts a failure, and signs the device out after too many consecutive ones.
    ///
    /// The user can sign in again; another holder of the token cannot.
    private func countFailure(in session: SessionRecord) throws {
        try audit.record(.secondFactorFailed, account: session.accountID, session: session.id)
        if try !budgets.take(failures(in: session)) { try sessions.close(session, reason: .tooManyWrongFactors) }
    }

    /// Returns the budget of a device for consecutive failures before the last one signs it out.
    private func failures(in session: SessionRecord) -> Budget {
        Budget(
            purpose: "factor.device",
            subject: session.familyID,
            limit: policy.failuresBeforeLock - 1,
            window: FactorLock.longest
        )
    }

    /// Locks the factors of an account after too many consecutive failures.
    private func countFailure(of account: AccountRecord) throws(StoreError) {
        try audit.record(.secondFactorFailed, account: account.id)
        guard let locked = account.lockedAfterFailure(policy, at: context.now) else { return }
        try accounts.save(locked, from: account)
        try audit.record(.secondFactorLocked, account: account.id)
    }

    // MARK: - Kinds

    private static let wrong = AuthError(.invalidVerificationCode, "the second factor is wrong")

    private static let replayed = AuthError(.replayedVerificationCode, "the code was used before")

    private func checkTOTP(_ uid: String, _ code: String, of account: AccountRecord) throws -> TransactionEnding<
        ProvenFactor
    > {
        let factor = try confirmed(uid, .totp, of: account.id)
        let totp = try secrets.oneTimePassword(of: factor)
        try reseal.resealIfOutdated(factor)
        context.pause(at: .factorBeforeUse)
        guard let step = totp.step(of: code, at: context.now, policy) else { return .commitRefusal(Self.wrong) }
        // RFC 6238 §5.2: a code is accepted once, and none that is older than the last one. Enrollment uses up a code
        // too.
        guard try factors.useStep(step, of: factor) else { return .commitRefusal(Self.replayed) }
        return .commit(ProvenFactor(method: "otp"))
    }

    private func checkPhone(
        _ challengeID: String,
        _ code: String,
        of account: AccountRecord,
        for purpose: FactorPurpose
    ) throws -> TransactionEnding<ProvenFactor> {
        let challenge = try challenges.find(challengeID, of: account.id)
        let belongs =
            switch purpose {
            case .signIn(let pending): challenge.pendingHash == pending.hash
            case .session(let session): challenge.pendingHash == nil && challenge.sessionID == session.id
            }
        guard belongs else { throw AuthError.noChallenge }
        let factor = try confirmed(challenge.factorID, .phone, of: account.id)
        guard try challenges.use(challenge, code) else { return .commitRefusal(Self.wrong) }
        try reseal.resealIfOutdated(factor)
        return .commit(ProvenFactor(method: "sms"))
    }

    private func useRecoveryCode(_ text: String, of account: AccountRecord) throws -> TransactionEnding<ProvenFactor> {
        guard let code = RecoveryCode(text) else { return .commitRefusal(Self.wrong) }
        context.pause(at: .recoveryBeforeUse)
        guard try recoveryCodes.use(code.hash, of: account.id, at: context.now) else {
            return .commitRefusal(Self.wrong)
        }
        let remaining = try recoveryCodes.remaining(of: account.id)
        try audit.record(.recoveryCodeUsed, account: account.id, subject: ["remaining": "\(remaining)"])
        return .commit(ProvenFactor(method: "recovery", isRecovery: true))
    }
}

extension FactorSecrets {
    /// Returns the one-time passwords of a factor.
    ///
    /// - Throws: ``AuthError``: `internal-error` if its key is missing, or the algorithm is not available.
    func oneTimePassword(of factor: FactorRecord) throws -> TOTP {
        let parameters: TOTP.Parameters = try factor.parameters.map { try JSONText.decode($0) } ?? TOTP.Parameters()
        guard parameters.hasCodes else {
            throw StoreError(.damaged, "the parameters of a factor's codes are unsupported")
        }
        let totp = TOTP(secret: try open(factor), parameters: parameters)
        guard totp.code(of: 0) != nil else {
            throw AuthError(.internalError, "libcrypto has no \(parameters.algorithm.rawValue)")
        }
        return totp
    }
}

extension TOTP {
    /// Returns the time step of a code among those that are valid now; nil if there is none.
    func step(of code: String, at now: StoreTime, _ policy: FactorPolicy) -> Int64? {
        OneTimeCode.digits(code, count: parameters.digits).flatMap {
            step(of: $0, at: now, back: policy.stepsBack, forward: policy.stepsForward)
        }
    }
}
