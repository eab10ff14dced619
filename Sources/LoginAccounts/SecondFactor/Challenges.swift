// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code to send after the commit.
struct StartedChallenge: Sendable {
    let challenge: MultiFactorChallenge
    let message: PhoneCodeMessage
}

/// The steps that create and use the codes that are sent to phones as second factors.
struct Challenges {
    let challenges: ChallengeTable
    let budgets: Budgets
    let codes: CodeHashes
    let secrets: FactorSecrets
    let context: TransactionContext

    /// Creates a code for a phone, and voids the previous one.
    ///
    /// - Parameters:
    ///   - factor: The phone. Its account is locked.
    ///   - pending: The sign-in that it is for; nil for a session.
    ///   - session: The session that it is for.
    ///   - purpose: The purpose that the message names.
    ///   - origin: The origin of the request.
    /// - Returns: The message to send, and the challenge for the client.
    /// - Throws: ``AuthError``: `quota-exceeded`; `operation-not-allowed` if the policy excludes the number.
    func start(
        _ factor: FactorRecord,
        pending: PendingSignInRecord? = nil,
        session: SessionID? = nil,
        purpose: PhoneCodeMessage.Purpose,
        from origin: RequestOrigin?
    ) throws -> StartedChallenge {
        let policy = context.policy.factors
        guard let number = PhoneNumber(String(decoding: try secrets.open(factor), as: UTF8.self)) else {
            throw StoreError(.damaged, "a factor has no phone number")
        }
        // A policy that changes later must not lock out the users of confirmed phones.
        if purpose == .enrollment { try policy.check(number) }
        try budgets.spendMessage(to: number, for: purpose, from: origin)
        try challenges.removeAll(of: factor)
        let token = OneTimeToken.challenge.make()
        let hash = OneTimeToken.hash(token)
        let code = OneTimeCode.make(digits: PhoneCodes.digits)
        let record = ChallengeRecord(
            hash: hash,
            accountID: factor.accountID,
            factorID: factor.id,
            pendingHash: pending?.hash,
            sessionID: session,
            codeHash: codes.newest(code.utf8, for: hash),
            attemptsLeft: Int64(policy.attemptsPerSignIn),
            createdAt: context.now,
            expiresAt: context.now + policy.codeLifetime
        )
        try challenges.add(record)
        return StartedChallenge(
            challenge: MultiFactorChallenge(
                id: token,
                uid: factor.id,
                expiresAt: record.expiresAt.date,
                resendAt: (context.now + policy.resendInterval).date
            ),
            message: PhoneCodeMessage(
                number: number.text,
                code: code,
                purpose: purpose,
                expiresAt: record.expiresAt.date
            )
        )
    }

    /// Finds a code that was sent.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` if there is none, `session-expired` if it has expired.
    func find(_ id: String, of account: AccountID) throws -> ChallengeRecord {
        guard let hash = OneTimeToken.challenge.hashIfPossible(id),
            let challenge = try challenges.find(hash, of: account)
        else { throw AuthError.noChallenge }
        guard !challenge.isExpired(at: context.now) else { throw AuthError(.sessionExpired, "the code has expired") }
        return challenge
    }

    /// Compares a code with the one that was sent.
    ///
    /// A correct code is used up.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` if no guesses are left.
    func use(_ challenge: ChallengeRecord, _ code: String) throws -> Bool {
        context.pause(at: .challengeBeforeUse)
        guard try challenges.countGuess(challenge.hash) else { throw AuthError.noChallenge }
        guard let digits = OneTimeCode.digits(code, count: PhoneCodes.digits),
            codes.matches(digits, challenge.codeHash, for: challenge.hash)
        else { return false }
        return try challenges.take(challenge.hash)
    }

    /// Deletes a code that could not be sent.
    func forget(_ started: StartedChallenge) throws(StoreError) {
        _ = try challenges.take(OneTimeToken.hash(started.challenge.id))
    }
}

extension Auth {
    /// Creates a code in one transaction, and sends it after the commit.
    ///
    /// If it cannot be sent, it is voided.
    func sendChallenge(
        _ body: @escaping @Sendable (TransactionSteps) throws -> StartedChallenge
    ) async throws(AuthError) -> MultiFactorChallenge {
        guard phoneCodes != nil else { throw AuthError.noPhoneCodes }
        let started = try await transaction(body)
        do {
            try await send(started.message)
        } catch {
            // If the store is unavailable now, the code expires.
            try? await transaction { transaction in try transaction.challenges.forget(started) }
            throw error
        }
        return started.challenge
    }
}

extension AuthError {
    static var noChallenge: AuthError {
        AuthError(.invalidVerificationID, "the verification ID is unknown, or has no attempts left")
    }
}
