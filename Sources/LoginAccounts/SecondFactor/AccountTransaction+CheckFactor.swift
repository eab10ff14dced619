// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// A second factor that was right.
struct ProvenFactor: Sendable {
    /// Its name of RFC 8176, or `recovery`, which that does not know.
    let method: String
    /// Whether it was a recovery code.
    var isRecovery = false
}

/// What a second factor is shown for, which a code that was sent belongs to.
enum FactorPurpose {
    /// A sign-in that waits for it.
    case signIn(PendingSignInRecord)
    /// An open session.
    case session(SessionRecord)
}

extension AccountTransaction {
    /// Looks at a second factor: counted before anything is compared, and used up by being right.
    ///
    /// Who calls this keeps the transaction whatever is returned, so that a wrong code is counted however often it is tried. Where
    /// this throws, nothing was compared, or the store or a key failed, and nothing is counted.
    ///
    /// - Parameters:
    ///   - assertion: What was shown.
    ///   - account: Whose factor it should be. It is locked.
    ///   - purpose: What for.
    ///   - origin: From where.
    /// - Returns: What was proven; `invalid-verification-code` where it was wrong, or used before. A code that was used before costs a
    ///   guess like any other, since whoever has seen it can show it.
    /// - Throws: ``AuthError``: `too-many-requests`, `missing-multi-factor-info`, `multi-factor-info-not-found`,
    ///   `invalid-verification-id`, `session-expired`.
    func checkFactor(
        _ assertion: MultiFactorAssertion,
        of account: AccountRecord,
        for purpose: FactorPurpose,
        from origin: RequestOrigin?
    ) throws -> Result<ProvenFactor, AuthError> {
        try checkFactorLock(of: account)
        let charged = try charge(account, for: purpose, from: origin)
        let outcome: Result<ProvenFactor, AuthError> =
            switch assertion.kind {
            case .totp(let uid, let code): try checkTOTP(uid, code, of: account)
            case .phone(let challengeID, let code): try checkPhone(challengeID, code, of: account, for: purpose)
            case .recoveryCode(let code): try useRecoveryCode(code, of: account)
            }
        guard case .success = outcome else {
            switch purpose {
            case .signIn: try countFailure(of: charged)
            case .session(let session): try countFailure(in: session)
            }
            return outcome
        }
        typealias Column = AccountRecord.Column
        switch purpose {
        case .signIn:
            try update(
                AccountRecord.self,
                set: Column.factorFailures.becomes(0),
                Column.factorLocks.becomes(0),
                Column.factorLockedUntil.becomes(nil as StoreTime?),
                where: Column.id.equals(account.id.rawValue)
            )
        case .session(let session): try refill(wrongInRow(of: session))
        }
        return outcome
    }

    /// Sees that the factors of an account are looked at for now.
    ///
    /// - Throws: ``AuthError``: `too-many-requests`, with the time to wait.
    func checkFactorLock(of account: AccountRecord) throws {
        guard let until = account.factorLockedUntil, until > now else { return }
        let wait = Duration.milliseconds(until.milliseconds - now.milliseconds)
        throw AuthError(.tooManyRequests(retryAfter: wait), "too many second factors in a row were wrong")
    }

    /// Counts that a factor is looked at.
    ///
    /// A sign-in that waits counts for itself, and for the account: who gets so far knows the first factor. Who has nothing but a
    /// session's token must not be able to keep its person from signing in, so what is shown there counts for the session alone.
    private func charge(_ account: AccountRecord, for purpose: FactorPurpose, from origin: RequestOrigin?) throws
        -> AccountRecord
    {
        let policy = auth.policy.factors
        var charged = account
        var budgets: [Budget]
        switch purpose {
        case .signIn:
            let counted: [AccountRecord] = try update(
                set: AccountRecord.Column.factorFailures.grows(by: 1),
                where: AccountRecord.Column.id.equals(account.id.rawValue)
            )
            guard let counted = counted.first else { throw StoreError(.damaged, "an account that is locked is gone") }
            charged = counted
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
        try spend(budgets)
        return charged
    }

    /// Signs a device out after too many in a row: its person signs in again, who else has its token is out.
    private func countFailure(in session: SessionRecord) throws {
        try record(.secondFactorFailed, account: session.accountID, session: session.id)
        do {
            try spend(wrongInRow(of: session))
        } catch let error as AuthError where error.code == .tooManyRequests {
            try close(session, reason: .tooManyWrongFactors)
        }
    }

    /// How many wrong ones a device shows in a row before the last of them signs it out.
    private func wrongInRow(of session: SessionRecord) -> Budget {
        Budget(
            purpose: "factor.device",
            subject: session.familyID,
            limit: auth.policy.factors.failuresBeforeLock - 1,
            window: FactorLock.longest
        )
    }

    /// Locks the factors of an account after too many in a row: only who knows its first factor gets so far.
    private func countFailure(of account: AccountRecord) throws {
        try record(.secondFactorFailed, account: account.id)
        let policy = auth.policy.factors
        guard account.factorFailures >= Int64(policy.failuresBeforeLock) else { return }
        typealias Column = AccountRecord.Column
        let lock = FactorLock.duration(after: account.factorLocks, first: policy.lock)
        try update(
            AccountRecord.self,
            set: Column.factorFailures.becomes(0),
            Column.factorLocks.grows(by: 1),
            Column.factorLockedUntil.becomes(now + lock),
            where: Column.id.equals(account.id.rawValue)
        )
        try record(.secondFactorLocked, account: account.id)
    }
}

/// For how long the factors of an account are not looked at.
enum FactorLock {
    /// No lock lasts longer.
    static let longest = Duration.seconds(86400)

    /// How long a lock lasts: each is twice as long as the one before.
    ///
    /// - Parameters:
    ///   - locks: How many locks in a row there were before.
    ///   - first: How long the first lasts.
    /// - Returns: How long this one does.
    static func duration(after locks: Int64, first: Duration) -> Duration {
        var duration = min(first, longest)
        for _ in 0..<min(max(locks, 0), 20) { duration = min(duration + duration, longest) }
        return duration
    }
}

// Each kind of factor: what was proven, or why not.
extension AccountTransaction {
    private static let wrongFactor = AuthError(.invalidVerificationCode, "the second factor is wrong")

    private static let replayedCode = AuthError(.replayedVerificationCode, "the code was used before")

    private func checkTOTP(_ uid: String, _ code: String, of account: AccountRecord) throws
        -> Result<ProvenFactor, AuthError>
    {
        let factor = try confirmedFactor(uid, .totp, of: account.id)
        let totp = try oneTimePassword(of: factor)
        try resealIfOutdated(factor)
        pause(at: .factorBeforeUse)
        guard let step = matchingStep(totp, code) else { return .failure(Self.wrongFactor) }
        // A code is accepted once (RFC 6238 §5.2), and none that is older than the last; enrolment uses one too.
        let used: [FactorRecord] = try update(
            set: FactorRecord.Column.lastStep.becomes(step),
            where: FactorRecord.Column.id.equals(factor.id),
            FactorRecord.Column.lastStep.isLess(than: step)
        )
        return used.isEmpty ? .failure(Self.replayedCode) : .success(ProvenFactor(method: "otp"))
    }

    private func checkPhone(
        _ challengeID: String,
        _ code: String,
        of account: AccountRecord,
        for purpose: FactorPurpose
    ) throws -> Result<ProvenFactor, AuthError> {
        let challenge = try self.challenge(challengeID, of: account.id)
        let belongs =
            switch purpose {
            case .signIn(let pending): challenge.pendingHash == pending.hash
            case .session(let session): challenge.pendingHash == nil && challenge.sessionID == session.id
            }
        guard belongs else { throw AuthError.noChallenge }
        let factor = try confirmedFactor(challenge.factorID, .phone, of: account.id)
        guard try useChallenge(challenge, code) else { return .failure(Self.wrongFactor) }
        try resealIfOutdated(factor)
        return .success(ProvenFactor(method: "sms"))
    }

    private func useRecoveryCode(_ text: String, of account: AccountRecord) throws -> Result<ProvenFactor, AuthError> {
        typealias Column = RecoveryCodeRecord.Column
        guard let code = RecoveryCode(text) else { return .failure(Self.wrongFactor) }
        let known: RecoveryCodeRecord? = try first(
            where: Column.accountID.equals(account.id.rawValue),
            Column.hash.equals(code.hash),
            Column.usedAt.isNull
        )
        pause(at: .recoveryBeforeUse)
        guard let known else { return .failure(Self.wrongFactor) }
        let used: [RecoveryCodeRecord] = try update(
            set: Column.usedAt.becomes(now),
            where: Column.accountID.equals(account.id.rawValue),
            Column.hash.equals(known.hash),
            Column.usedAt.isNull
        )
        guard !used.isEmpty else { return .failure(Self.wrongFactor) }
        let remaining = try remainingRecoveryCodes(of: account.id)
        try record(.recoveryCodeUsed, account: account.id, subject: ["remaining": "\(remaining)"])
        return .success(ProvenFactor(method: "recovery", isRecovery: true))
    }

    /// A factor that counts.
    ///
    /// - Throws: ``AuthError``: `missing-multi-factor-info`, `multi-factor-info-not-found`.
    func confirmedFactor(_ uid: String, _ kind: MultiFactorKind, of account: AccountID) throws -> FactorRecord {
        guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo, "no factor is named") }
        guard let factor = try confirmedFactors(of: account).first(where: { isEqual($0.id, uid) }),
            factor.kind == kind.rawValue
        else { throw AuthError(.multiFactorInfoNotFound, "the account has no such factor, or not of this kind") }
        return factor
    }

    /// The passwords of a factor.
    func oneTimePassword(of factor: FactorRecord) throws -> TOTP {
        let parameters: TOTP.Parameters = try factor.parameters.map { try JSONText.decode($0) } ?? TOTP.Parameters()
        guard parameters.hasCodes else { throw StoreError(.damaged, "a factor has no such codes") }
        let totp = TOTP(secret: try open(factor), parameters: parameters)
        guard totp.code(of: 0) != nil else {
            throw AuthError(.internalError, "libcrypto has no \(parameters.algorithm.rawValue)")
        }
        return totp
    }

    /// The step that a code belongs to, of those that count now.
    func matchingStep(_ totp: TOTP, _ code: String) -> Int64? {
        let policy = auth.policy.factors
        return OneTimeCode.digits(code, count: totp.parameters.digits).flatMap {
            totp.step(of: $0, at: now, back: policy.stepsBack, forward: policy.stepsForward)
        }
    }
}
