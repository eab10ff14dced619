// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginText

extension MultiFactor {
    /// Begins to enrol an app that computes codes.
    ///
    /// It counts once it is confirmed, and is forgotten otherwise. One that was begun before and not confirmed is void.
    ///
    /// - Parameter factor: The app.
    /// - Returns: The secret, to be shown once.
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required` where the account has a factor and the session
    ///   has not shown it, `unsupported-first-factor` for an anonymous account, `unverified-email`,
    ///   `maximum-second-factor-count-exceeded`, `user-disabled`, `invalid-user-token`.
    public func beginEnrollment(_ factor: NewTOTPFactor) async throws(AuthError) -> TOTPEnrollment {
        let session = session
        let totp = TOTP(secret: TOTP.makeSecret())
        let begun = try await auth.transaction { transaction in
            let (account, _) = try transaction.lockToEnrol(session)
            let record = try transaction.beginEnrollment(
                .totp,
                of: account.id,
                secret: totp.secret,
                displayName: factor.displayName,
                parameters: totp.parameters
            )
            let name =
                try factor.accountName ?? transaction.shownEmail(of: account) ?? account.displayName ?? "account"
            return (uid: record.id, name: name, expiresAt: (record.expiresAt ?? transaction.now).date)
        }
        return TOTPEnrollment(
            uid: begun.uid,
            secret: Base32.encode(totp.secret),
            uri: totp.uri(issuer: factor.issuer, accountName: begun.name),
            expiresAt: begun.expiresAt,
            factors: self
        )
    }

    /// Begins to enrol a phone, and sends it a code.
    ///
    /// - Parameters:
    ///   - factor: The phone.
    ///   - origin: From where the request came.
    /// - Returns: What the code belongs to.
    /// - Throws: ``AuthError``: `invalid-phone-number`, `second-factor-already-enrolled`, `unsupported-first-factor` where the
    ///   person signs in by phone, `quota-exceeded`, `operation-not-allowed`, `provider-unavailable`; and what an app is refused for.
    public func beginEnrollment(_ factor: NewPhoneFactor, from origin: RequestOrigin? = nil) async throws(AuthError)
        -> PhoneEnrollment
    {
        guard let number = PhoneNumber(factor.number) else {
            throw AuthError(.invalidPhoneNumber, "this is no number of E.164")
        }
        let session = session
        let challenge = try await auth.sendChallenge { transaction in
            let (account, record) = try transaction.lockToEnrol(session)
            let factor = try transaction.beginEnrollment(number, of: account, displayName: factor.displayName)
            return try transaction.startChallenge(factor, session: record.id, purpose: .enrollment, from: origin)
        }
        return PhoneEnrollment(uid: challenge.uid, challenge: challenge, factors: self)
    }

    /// Confirms a factor: from now on it counts.
    ///
    /// With the first factor the session gets level 2 and new secrets, and every other session is closed: whoever sat in one of
    /// them would have stayed there with one factor.
    ///
    /// - Parameter assertion: What an app has computed, or what was sent.
    /// - Returns: The factor, and the session as it is now.
    /// - Throws: ``AuthError``: `invalid-verification-code`, `multi-factor-info-not-found`, `invalid-verification-id`,
    ///   `session-expired`, `missing-multi-factor-info`; and what the beginning is refused for, except `requires-recent-login`.
    public func confirmEnrollment(_ assertion: MultiFactorAssertion) async throws(AuthError) -> EnrolledFactor {
        let session = session
        return try await auth.settle { transaction in try transaction.confirmEnrollment(assertion, in: session) }
    }
}

extension AccountTransaction {
    /// How much of a name is kept, in characters.
    private static let nameCharacters = 100

    /// Locks the account of a session that is to get another factor.
    fileprivate func lockToEnrol(_ session: Session) throws -> (account: AccountRecord, session: SessionRecord) {
        let held = try holdRecent(session)
        try checkMayHaveFactors(held.account, count: try confirmedFactors(of: held.account.id).count)
        return (held.account, held.session)
    }

    /// Locks the account of a session that is about to confirm a factor.
    ///
    /// When the person was proven was looked at when the enrolment began, and is not asked again: a factor waits longer to be
    /// confirmed than a login is recent.
    private func lockToConfirm(_ session: Session) throws -> (account: AccountRecord, session: SessionRecord) {
        let held = try hold(session)
        let factors = try confirmedFactors(of: held.account.id)
        if !factors.isEmpty { try requireLevel(2, of: held.session) }
        try checkMayHaveFactors(held.account, count: factors.count)
        return (held.account, held.session)
    }

    /// Sees that an account may have one more factor.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`, `unverified-email`, `maximum-second-factor-count-exceeded`.
    func checkMayHaveFactors(_ account: AccountRecord, count: Int) throws {
        guard !account.isAnonymous else {
            throw AuthError(.unsupportedFirstFactor, "an anonymous account has no first factor")
        }
        if auth.policy.factors.requiresVerifiedContact, !(account.emailVerified && account.email != nil) {
            let hasPhone = try identities(of: account.id).contains { $0.phoneNumber != nil }
            guard hasPhone else { throw AuthError(.unverifiedEmail, "the account has no proven address") }
        }
        guard count < auth.policy.factors.maximumPerAccount else {
            throw AuthError(.maximumSecondFactorCountExceeded, "the account has \(count) factors")
        }
    }

    /// Writes down a factor that does not count yet; one of its kind that was not confirmed is void.
    func beginEnrollment(
        _ kind: MultiFactorKind,
        of account: AccountID,
        secret: [UInt8],
        displayName: String?,
        parameters: TOTP.Parameters? = nil,
        number: PhoneNumber? = nil
    ) throws -> FactorRecord {
        let unconfirmed: [FactorRecord] = try all(
            where: FactorRecord.Column.accountID.equals(account.rawValue),
            FactorRecord.Column.kind.equals(kind.rawValue),
            FactorRecord.Column.confirmedAt.isNull
        )
        for factor in unconfirmed { try removeFactor(factor) }
        let id = makeID()
        let sealed = seal(secret, factor: id, account: account)
        let factor = FactorRecord(
            id: id,
            accountID: account,
            kind: kind.rawValue,
            displayName: displayName.map { oneName($0) },
            secret: sealed,
            sealedWith: auth.secrets.keyNumber(of: sealed),
            parameters: try parameters.map { try JSONText.encode($0) },
            hint: number?.suffix,
            fingerprint: number.map { phoneFingerprints(Array($0.text.utf8))[0] },
            expiresAt: now + auth.policy.factors.enrollmentLifetime,
            createdAt: now
        )
        guard try insert(factor) else {
            throw AuthError(.secondFactorAlreadyEnrolled, "the account has this factor")
        }
        return factor
    }

    fileprivate func beginEnrollment(_ number: PhoneNumber, of account: AccountRecord, displayName: String?) throws
        -> FactorRecord
    {
        // One phone would be both factors.
        guard try !identities(of: account.id).contains(where: { $0.providerID == .phone }) else {
            throw AuthError(.unsupportedFirstFactor, "the person signs in by phone")
        }
        let digits = Array(number.text.utf8)
        let fingerprints = phoneFingerprints(digits)
        let known = try confirmedFactors(of: account.id).compactMap(\.fingerprint)
        guard !known.contains(where: { fingerprints.contains($0) }) else {
            throw AuthError(.secondFactorAlreadyEnrolled, "the account has this phone")
        }
        return try beginEnrollment(
            .phone,
            of: account.id,
            secret: digits,
            displayName: displayName,
            number: number
        )
    }

    /// A name as it is kept: of the characters that the person chose, those that can be shown on one line.
    private func oneName(_ name: String) -> String {
        var kept = ""
        for scalar in name.unicodeScalars.prefix(Self.nameCharacters) where !scalar.properties.isControlOrFormat {
            kept.unicodeScalars.append(scalar)
        }
        return kept
    }

    fileprivate func confirmEnrollment(_ assertion: MultiFactorAssertion, in session: Session) throws
        -> Result<EnrolledFactor, AuthError>
    {
        let (account, record) = try lockToConfirm(session)
        let wrong = AuthError(.invalidVerificationCode, "the code is wrong")
        var step: Int64 = 0
        let factor: FactorRecord
        switch assertion.kind {
        case .recoveryCode:
            throw AuthError(.missingMultiFactorInfo, "a recovery code is no factor that can be enrolled")
        case .totp(let uid, let code):
            factor = try unconfirmedFactor(uid, .totp, of: account.id)
            guard let found = matchingStep(try oneTimePassword(of: factor), code) else { return .failure(wrong) }
            step = found
        case .phone(let challengeID, let code):
            let challenge = try self.challenge(challengeID, of: account.id)
            guard challenge.sessionID == record.id, challenge.pendingHash == nil else { throw AuthError.noChallenge }
            factor = try unconfirmedFactor(challenge.factorID, .phone, of: account.id)
            guard try useChallenge(challenge, code) else { return .failure(wrong) }
        }
        let info = try confirm(factor, step: step, session: record.id)
        guard record.level < 2 else {
            let same = Session(record, auth: auth, generation: session.generation)
            return .success(EnrolledFactor(factor: info, session: same, tokens: nil))
        }
        try closeSessions(of: account.id, except: record.id, reason: .factorsChanged)
        let method = info.factorID == .totp ? "otp" : "sms"
        // What has one factor is no way into an account that has two, the token before of this session neither (SS-11).
        let raised = try raise(record, ProvenFactor(method: method), previous: .dead)
        return .success(
            EnrolledFactor(factor: info, session: Session(raised.record, auth: auth), tokens: raised.tokens)
        )
    }

    /// A factor counts from now on.
    ///
    /// - Parameters:
    ///   - factor: The factor, whose account is locked.
    ///   - step: Of which step its code was: it is used up (RFC 6238 §5.2).
    ///   - session: In which session.
    /// - Returns: The factor.
    /// - Throws: ``AuthError``: `multi-factor-info-not-found`.
    func confirm(_ factor: FactorRecord, step: Int64, session: SessionID?) throws -> MultiFactorInfo {
        let confirmed: [FactorRecord] = try update(
            set: FactorRecord.Column.confirmedAt.becomes(now),
            FactorRecord.Column.expiresAt.becomes(nil as StoreTime?),
            FactorRecord.Column.lastStep.becomes(step),
            where: FactorRecord.Column.id.equals(factor.id),
            FactorRecord.Column.confirmedAt.isNull
        )
        guard let info = confirmed.first.flatMap({ MultiFactorInfo($0) }) else {
            throw AuthError(.multiFactorInfoNotFound, "the factor was confirmed or replaced meanwhile")
        }
        try voidProofs(of: factor.accountID)
        try record(
            .secondFactorEnrolled,
            account: factor.accountID,
            session: session,
            subject: ["kind": factor.kind, "uid": factor.id]
        )
        return info
    }

    private func unconfirmedFactor(_ uid: String, _ kind: MultiFactorKind, of account: AccountID) throws -> FactorRecord
    {
        let begun: [FactorRecord] = try all(
            where: FactorRecord.Column.accountID.equals(account.rawValue),
            FactorRecord.Column.kind.equals(kind.rawValue),
            FactorRecord.Column.confirmedAt.isNull
        )
        guard let factor = begun.first(where: { isEqual($0.id, uid) }) else {
            throw AuthError(.multiFactorInfoNotFound, "no such factor waits to be confirmed")
        }
        guard let expiresAt = factor.expiresAt, expiresAt > now else {
            throw AuthError(.sessionExpired, "the factor was to be confirmed earlier")
        }
        return factor
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
