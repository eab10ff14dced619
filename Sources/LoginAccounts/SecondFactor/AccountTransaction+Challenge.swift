// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A code that is to be sent once the transaction is kept.
struct StartedChallenge: Sendable {
    let challenge: MultiFactorChallenge
    let message: PhoneCodeMessage
}

extension AccountTransaction {
    /// The length of the codes that are sent.
    static let phoneCodeDigits = 6

    /// Makes a code for a phone; one that was sent before is void.
    ///
    /// - Parameters:
    ///   - factor: The phone. Its account is locked.
    ///   - pending: The sign-in that it is for; nil for a session.
    ///   - session: The session that it is for.
    ///   - purpose: What the message says that it is for.
    ///   - origin: From where it was asked for.
    /// - Returns: What to send, and what the client gets.
    /// - Throws: ``AuthError``: `quota-exceeded`.
    func startChallenge(
        _ factor: FactorRecord,
        pending: PendingSignInRecord? = nil,
        session: SessionID? = nil,
        purpose: PhoneCodeMessage.Purpose,
        from origin: RequestOrigin?
    ) throws -> StartedChallenge {
        let policy = auth.policy.factors
        guard let number = PhoneNumber(String(decoding: try open(factor), as: UTF8.self)) else {
            throw StoreError(.damaged, "a factor holds no phone number")
        }
        try spendMessage(to: number, for: purpose, from: origin)
        try delete(ChallengeRecord.self, where: ChallengeRecord.Column.factorID.equals(factor.id))
        let token = FactorToken.challenge.make()
        let hash = FactorToken.hash(token)
        let code = OneTimeCode.make(digits: Self.phoneCodeDigits)
        let record = ChallengeRecord(
            hash: hash,
            accountID: factor.accountID,
            factorID: factor.id,
            pendingHash: pending?.hash,
            sessionID: session,
            codeHash: phoneCodeHashes(code.utf8, for: hash)[0],
            attemptsLeft: Int64(policy.attemptsPerSignIn),
            createdAt: now,
            expiresAt: now + policy.codeLifetime
        )
        try add(record)
        return StartedChallenge(
            challenge: MultiFactorChallenge(
                id: token,
                uid: factor.id,
                expiresAt: record.expiresAt.date,
                resendAt: (now + policy.resendInterval).date
            ),
            message: PhoneCodeMessage(
                number: number.text,
                code: code,
                purpose: purpose,
                expiresAt: record.expiresAt.date
            )
        )
    }

    /// A code that was sent.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` where there is none, `session-expired` where it is too old.
    func challenge(_ id: String, of account: AccountID) throws -> ChallengeRecord {
        guard let hash = FactorToken.challenge.hashIfPossible(id),
            let challenge: ChallengeRecord = try first(
                where: ChallengeRecord.Column.hash.equals(hash),
                ChallengeRecord.Column.accountID.equals(account.rawValue)
            )
        else { throw AuthError.noChallenge }
        guard challenge.expiresAt > now else { throw AuthError(.sessionExpired, "the code is too old") }
        return challenge
    }

    /// Compares a code with the one that was sent, which is used up by being right.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` where no more codes are looked at.
    func useChallenge(_ challenge: ChallengeRecord, _ code: String) throws -> Bool {
        typealias Column = ChallengeRecord.Column
        pause(at: .challengeBeforeUse)
        // Counted before it is compared.
        let counted: [ChallengeRecord] = try update(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(challenge.hash),
            Column.attemptsLeft.isGreater(than: 0)
        )
        guard !counted.isEmpty else { throw AuthError.noChallenge }
        guard let digits = OneTimeCode.digits(code, count: Self.phoneCodeDigits),
            isPhoneCode(digits, challenge.codeHash, for: challenge.hash)
        else { return false }
        let used: [ChallengeRecord] = try delete(where: Column.hash.equals(challenge.hash))
        return !used.isEmpty
    }
}

extension Auth {
    /// Makes a code in one transaction, and sends it once that is kept.
    ///
    /// Where it cannot be sent it is void.
    func sendChallenge(
        _ body: @escaping @Sendable (AccountTransaction) throws -> StartedChallenge
    ) async throws(AuthError) -> MultiFactorChallenge {
        guard phoneCodes != nil else { throw AuthError.noPhoneCodes }
        let started = try await transaction(body)
        do {
            try await send(started.message)
        } catch {
            // It ends by itself, should the store not answer now.
            try? await transaction { transaction in
                try transaction.delete(
                    ChallengeRecord.self,
                    where: ChallengeRecord.Column.hash.equals(FactorToken.hash(started.challenge.id))
                )
                return
            }
            throw error
        }
        return started.challenge
    }
}

extension AuthError {
    static var noChallenge: AuthError { AuthError(.invalidVerificationID, "no such code was sent, or it is used up") }
}
