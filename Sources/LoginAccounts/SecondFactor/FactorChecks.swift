// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// A second factor that was correct.
struct ProvenFactor: Sendable {
    /// Its name by RFC 8176, or `recovery`, which has no name there.
    let method: String
    /// Whether it was a recovery code.
    var isRecovery = false
}

/// The purpose for which a second factor is shown; a code that was sent belongs to it.
enum FactorPurpose {
    /// A sign-in that waits for its second factor.
    case signIn(PendingSignInRecord)
    /// An open session.
    case session(SessionRecord)
}

/// The steps that check a second factor: counted before it is compared, and used up by being correct.
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

    /// Checks a second factor.
    ///
    /// A wrong code is committed as a failure, so that it is counted however often it is tried; a code that was used before counts as a
    /// guess too, since everybody who has seen it can show it. If this throws, nothing was compared, or the store or a key failed, and
    /// nothing is counted.
    ///
    /// - Parameters:
    ///   - assertion: The factor that was shown.
    ///   - account: The account. It is locked.
    ///   - purpose: The purpose.
    ///   - origin: The origin of the request.
    /// - Returns: The factor; or the refusal `invalid-verification-code`, `replayed-verification-code`.
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
        guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo, "no factor is named") }
        guard let factor = try factors.confirmed(of: account).first(where: { isEqual($0.id, uid) }),
            factor.kind == kind.rawValue
        else { throw AuthError(.multiFactorInfoNotFound, "the account has no such factor, or not of this kind") }
        return factor
    }

    // MARK: - Counting

    /// Counts that a factor is shown.
    ///
    /// A sign-in that waits is counted for itself and for the account: its holder knows the first factor. The holder of a session token alone
    /// must not be able to keep the user from signing in, so a factor that is shown in a session is counted for the session alone.
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

    /// Signs a device out after too many consecutive failures: the user signs in again, another holder of the token is out.
    private func countFailure(in session: SessionRecord) throws {
        try audit.record(.secondFactorFailed, account: session.accountID, session: session.id)
        if try !budgets.take(failures(in: session)) { try sessions.close(session, reason: .tooManyWrongFactors) }
    }

    /// The number of consecutive failures of a device before the last one signs it out.
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
        // A code is accepted once (RFC 6238 §5.2), and none that is older than the last; enrollment uses one too.
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
    /// The one-time passwords of a factor.
    ///
    /// - Throws: ``AuthError``: `internal-error` if its key is gone, or the algorithm is not available.
    func oneTimePassword(of factor: FactorRecord) throws -> TOTP {
        let parameters: TOTP.Parameters = try factor.parameters.map { try JSONText.decode($0) } ?? TOTP.Parameters()
        guard parameters.hasCodes else { throw StoreError(.damaged, "a factor has no such codes") }
        let totp = TOTP(secret: try open(factor), parameters: parameters)
        guard totp.code(of: 0) != nil else {
            throw AuthError(.internalError, "libcrypto has no \(parameters.algorithm.rawValue)")
        }
        return totp
    }
}

extension TOTP {
    /// The step that a code belongs to, of those that are valid now.
    func step(of code: String, at now: StoreTime, _ policy: FactorPolicy) -> Int64? {
        OneTimeCode.digits(code, count: parameters.digits).flatMap {
            step(of: $0, at: now, back: policy.stepsBack, forward: policy.stepsForward)
        }
    }
}
