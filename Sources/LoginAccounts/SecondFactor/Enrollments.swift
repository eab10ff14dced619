// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

/// The steps that enroll, confirm and unenroll second factors.
struct Enrollments {
    let accounts: Accounts
    let factors: FactorTable
    let recoveryCodes: RecoveryCodeTable
    let sessionTable: SessionTable
    let identities: IdentityTable
    let enrolled: SecondFactors
    let challenges: Challenges
    let sessions: Sessions
    let held: HeldSessions
    let pending: PendingOperations
    let audit: AuditTrail
    let context: TransactionContext

    private var secrets: FactorSecrets { enrolled.secrets }
    private var policy: FactorPolicy { context.policy.factors }

    // MARK: - Begin

    /// Locks the account of a session in which a factor is enrolled.
    func lock(_ session: Session) throws -> HeldSession {
        let held = try self.held.holdRecent(session)
        try checkMayHaveMore(held.account, count: factors.confirmed(of: held.account.id).count)
        return held
    }

    /// Checks that an account may have one more factor.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`, `unverified-email`, `maximum-second-factor-count-exceeded`.
    private func checkMayHaveMore(_ account: AccountRecord, count: Int) throws {
        guard !account.isAnonymous else {
            throw AuthError(.unsupportedFirstFactor, "an anonymous account has no first factor")
        }
        if policy.requiresVerifiedContact, !(account.emailVerified && account.email != nil) {
            let hasPhone = try identities.of(account.id).contains { $0.phoneNumber != nil }
            guard hasPhone else { throw AuthError(.unverifiedEmail, "the account has no verified address") }
        }
        guard count < policy.maximumPerAccount else {
            throw AuthError(.maximumSecondFactorCountExceeded, "the account has \(count) factors")
        }
    }

    /// Stores a factor that is not confirmed yet, and voids an unconfirmed one of its kind.
    ///
    /// - Throws: ``AuthError``: `second-factor-already-enrolled`.
    func begin(
        _ kind: MultiFactorKind,
        of account: AccountID,
        secret: [UInt8],
        displayName: String?,
        parameters: TOTP.Parameters? = nil,
        number: PhoneNumber? = nil
    ) throws -> FactorRecord {
        for factor in try factors.unconfirmed(kind, of: account) { try enrolled.remove(factor) }
        let id = context.makeID()
        let sealed = secrets.seal(secret, factor: id, account: account)
        let factor = FactorRecord(
            id: id,
            accountID: account,
            kind: kind.rawValue,
            displayName: displayName.map { Self.oneLine($0) },
            secret: sealed,
            sealedWith: secrets.keyNumber(of: sealed),
            parameters: try parameters.map { try JSONText.encode($0) },
            hint: number?.suffix,
            fingerprint: number.map { secrets.phoneFingerprints(Array($0.text.utf8))[0] },
            expiresAt: context.now + policy.enrollmentLifetime,
            createdAt: context.now
        )
        guard try factors.insert(factor) else {
            throw AuthError(.secondFactorAlreadyEnrolled, "the account has this factor")
        }
        return factor
    }

    /// Stores a phone that is not confirmed yet.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`, `second-factor-already-enrolled`.
    func begin(_ number: PhoneNumber, of account: AccountRecord, displayName: String?) throws -> FactorRecord {
        // Otherwise one phone would be both factors.
        guard try !identities.of(account.id).contains(where: { $0.providerID == .phone }) else {
            throw AuthError(.unsupportedFirstFactor, "the user signs in by phone")
        }
        let digits = Array(number.text.utf8)
        let fingerprints = secrets.phoneFingerprints(digits)
        let known = try factors.confirmed(of: account.id).compactMap(\.fingerprint)
        guard !known.contains(where: { fingerprints.contains($0) }) else {
            throw AuthError(.secondFactorAlreadyEnrolled, "the account has this phone")
        }
        return try begin(.phone, of: account.id, secret: digits, displayName: displayName, number: number)
    }

    /// The maximum length of a stored name, in characters.
    private static let nameCharacters = 100

    /// Returns a name as it is stored: without the characters that cannot be displayed on one line.
    private static func oneLine(_ name: String) -> String {
        var kept = ""
        for scalar in name.unicodeScalars.prefix(nameCharacters) where !scalar.properties.isControlOrFormat {
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    // MARK: - Confirm

    /// Confirms a factor with a code, which is counted.
    ///
    /// A recent login was required when the enrollment began, and is not required again, because an enrollment may last
    /// longer than a login is recent.
    func confirm(_ assertion: MultiFactorAssertion, in session: Session) throws -> TransactionEnding<EnrolledFactor> {
        let held = try self.held.hold(session)
        let (account, record) = (held.account, held.session)
        let known = try factors.confirmed(of: account.id)
        if let obstacle = held.factorObstacle(hasFactors: !known.isEmpty, at: context.now) { throw obstacle }
        try checkMayHaveMore(account, count: known.count)
        let wrong = AuthError(.invalidVerificationCode, "the code is wrong")
        var step: Int64 = 0
        let factor: FactorRecord
        switch assertion.kind {
        case .recoveryCode:
            throw AuthError(.missingMultiFactorInfo, "recovery codes cannot be enrolled")
        case .totp(let uid, let code):
            factor = try unconfirmed(uid, .totp, of: account.id)
            let totp = try secrets.oneTimePassword(of: factor)
            guard let found = totp.step(of: code, at: context.now, policy) else { return .commitRefusal(wrong) }
            step = found
        case .phone(let challengeID, let code):
            let challenge = try challenges.find(challengeID, of: account.id)
            guard challenge.sessionID == record.id, challenge.pendingHash == nil else { throw AuthError.noChallenge }
            factor = try unconfirmed(challenge.factorID, .phone, of: account.id)
            guard try challenges.use(challenge, code) else { return .commitRefusal(wrong) }
        }
        let info = try confirm(factor, step: step, session: record.id)
        guard record.level(at: context.now) < 2 else {
            let same = Session(record, auth: context.auth, generation: session.generation)
            return .commit(EnrolledFactor(factor: info, session: same, tokens: nil))
        }
        try sessions.close(of: account.id, except: record.id, reason: .factorsChanged)
        let method = info.factorID == .totp ? "otp" : "sms"
        // Tokens with one factor must not open an account that has two, including the previous ones of this session
        // (SS-11).
        let raised = try sessions.raise(record, ProvenFactor(method: method), previous: .dead)
        return .commit(
            EnrolledFactor(factor: info, session: Session(raised.record, auth: context.auth), tokens: raised.tokens)
        )
    }

    /// Confirms a factor.
    ///
    /// - Throws: ``AuthError``: `multi-factor-info-not-found`.
    private func confirm(_ factor: FactorRecord, step: Int64, session: SessionID?) throws -> MultiFactorInfo {
        let confirmed = try factors.confirm(factor, step: step, at: context.now)
        guard let info = confirmed.flatMap({ MultiFactorInfo($0) }) else {
            throw AuthError(.multiFactorInfoNotFound, "the factor was confirmed or replaced meanwhile")
        }
        try pending.voidProofs(of: factor.accountID)
        try audit.record(
            .secondFactorEnrolled,
            account: factor.accountID,
            session: session,
            subject: ["kind": factor.kind, "uid": factor.id]
        )
        return info
    }

    private func unconfirmed(_ uid: String, _ kind: MultiFactorKind, of account: AccountID) throws -> FactorRecord {
        guard let factor = try factors.unconfirmed(kind, of: account).first(where: { isEqual($0.id, uid) }) else {
            throw AuthError(.multiFactorInfoNotFound, "no such factor is waiting for confirmation")
        }
        guard let expiresAt = factor.expiresAt, expiresAt > context.now,
            factor.createdAt <= .latestCreation(context.now)
        else {
            throw AuthError(.sessionExpired, "the enrollment has expired")
        }
        return factor
    }

    /// Imports an authenticator app that the user has enrolled elsewhere.
    func add(_ totp: TOTP, to id: AccountID, displayName: String?) throws -> MultiFactorInfo {
        let account = try accounts.lock(id)
        let known = try factors.confirmed(of: id)
        try checkMayHaveMore(account, count: known.count)
        let begun = try begin(
            .totp,
            of: id,
            secret: totp.secret,
            displayName: displayName,
            parameters: totp.parameters
        )
        let confirmed = try confirm(begun, step: 0, session: nil)
        if known.isEmpty { try sessions.close(of: id, reason: .factorsChanged) }
        return confirmed
    }

    // MARK: - Recovery codes

    /// Requires that a session may replace the recovery codes of its account.
    ///
    /// A user who has just enrolled or presented a second factor gets recovery codes, however old the first factor's
    /// authentication is.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`, `requires-recent-login`.
    func requireRecoveryCodesAllowed(_ held: HeldSession) throws {
        try held.session.requireLevel(2, at: context.now)
        let hasJustShownFactor = held.session.levelAt.isRecent(context.policy.linking.recentLogin, at: context.now)
        if !hasJustShownFactor { try self.held.requireRecentLogin(held) }
    }

    /// Replaces the recovery codes of the session's account; of two concurrent replacements, one is left.
    ///
    /// - Throws: ``AuthError``: `second-factor-required`, `requires-recent-login`, `multi-factor-info-not-found`.
    func replaceRecoveryCodes(in session: Session) throws -> [RecoveryCode] {
        let held = try self.held.hold(session)
        try requireRecoveryCodesAllowed(held)
        let account = held.account.id
        guard try !factors.confirmed(of: account).isEmpty else {
            throw AuthError(.multiFactorInfoNotFound, "the account has no factor")
        }
        try recoveryCodes.removeAll(of: account)
        let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode() }
        let batch = context.makeID()
        for code in codes {
            let record = RecoveryCodeRecord(accountID: account, hash: code.hash, batch: batch, createdAt: context.now)
            try recoveryCodes.add(record)
        }
        try audit.record(.recoveryCodesMade, account: account, session: held.session.id)
        return codes
    }

    // MARK: - Unenroll

    /// Removes a factor, and the recovery codes with the last one.
    ///
    /// - Throws: ``AuthError``: `missing-multi-factor-info`, `multi-factor-info-not-found`, and others if the session
    ///   may not.
    func unenroll(_ uid: String, in session: Session) throws {
        let held = try self.held.holdRecent(session)
        let (account, record) = (held.account, held.session)
        try record.requireLevel(2, at: context.now)
        guard !uid.isEmpty else { throw AuthError(.missingMultiFactorInfo, "no factor was given") }
        let known = try factors.confirmed(of: account.id)
        guard let factor = known.first(where: { isEqual($0.id, uid) }) else {
            throw AuthError(.multiFactorInfoNotFound, "the account has no such factor")
        }
        try enrolled.remove(factor)
        try pending.voidProofs(of: account.id)
        try enrolled.recordRemoved(factor, session: record.id)
        guard known.count == 1 else { return }
        try recoveryCodes.removeAll(of: account.id)
        // A level without a factor would let the holder of a session enroll a factor of their own.
        try sessionTable.lowerLevels(of: account.id)
    }

    /// Removes all factors of an account, and closes its sessions.
    ///
    /// - Returns: The number of confirmed factors.
    func removeAll(of id: AccountID) throws -> Int {
        let account = try accounts.lock(id)
        let known = try factors.confirmed(of: id)
        guard !known.isEmpty else { return 0 }
        // The sessions are closed before the factors are removed: no session may have level 2 without a factor.
        try sessions.close(of: id, reason: .factorsChanged)
        try pending.void(of: id)
        try enrolled.removeAll(of: id)
        try accounts.forgetFactorFailures(of: account)
        for factor in known { try enrolled.recordRemoved(factor) }
        return known.count
    }
}

extension Unicode.Scalar.Properties {
    fileprivate var isControlOrFormat: Bool {
        switch generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}
