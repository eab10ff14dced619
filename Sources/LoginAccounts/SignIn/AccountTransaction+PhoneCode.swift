// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

/// A code that is to be sent once the transaction is kept.
struct StartedVerification: Sendable {
    let verification: PhoneVerification
    let message: PhoneCodeMessage
}

extension AttemptPurpose {
    /// What a row calls a code that was sent for this.
    fileprivate var phoneKind: String { Self.phoneKindPrefix + noncePurpose.name }

    /// What the message says that the code is for.
    fileprivate var messagePurpose: PhoneCodeMessage.Purpose {
        switch self {
        case .signIn: .signIn
        case .link: .link
        case .reauthenticate: .reauthentication
        }
    }

    fileprivate static let phoneKindPrefix = "phone-"

    fileprivate static let phoneKinds = ["sign-in", "link", "reauthenticate"].map { phoneKindPrefix + $0 }
}

extension AccountTransaction {
    /// Makes a code for a number; one that was sent to it for the same before is void, unless somebody elsewhere asked for that.
    ///
    /// No account is looked for, so nothing that happens here says whose the number is.
    func startVerification(of number: PhoneNumber, for purpose: AttemptPurpose, from origin: RequestOrigin?) throws
        -> StartedVerification
    {
        let held = try purpose.session.map { try hold($0) }
        try spendMessage(to: number, for: purpose.messagePurpose, from: origin)
        try delete(
            ProofRecord.self,
            where: ProofRecord.Column.kind.equals(purpose.phoneKind),
            ProofRecord.Column.address.equals(number.text),
            ProofRecord.Column.addressPrefix.equals(origin?.addressPrefix ?? "")
        )
        let policy = auth.policy.factors
        let token = FactorToken.verification.make()
        let hash = FactorToken.hash(token)
        let code = OneTimeCode.make(digits: Self.phoneCodeDigits)
        let proof = ProofRecord(
            hash: hash,
            kind: purpose.phoneKind,
            accountID: held?.account.id,
            sessionID: held?.session.id,
            address: number.text,
            addressPrefix: origin?.addressPrefix ?? "",
            codeHash: phoneCodeHashes(code.utf8, for: hash)[0],
            attemptsLeft: Int64(policy.attemptsPerSignIn),
            createdAt: now,
            expiresAt: now + policy.codeLifetime
        )
        try add(proof)
        return StartedVerification(
            verification: PhoneVerification(
                id: token,
                expiresAt: proof.expiresAt.date,
                resendAt: (now + policy.resendInterval).date
            ),
            message: PhoneCodeMessage(
                number: number.text,
                code: code,
                purpose: purpose.messagePurpose,
                expiresAt: proof.expiresAt.date
            )
        )
    }

    /// Looks at a code: counted before it is compared.
    ///
    /// Who calls this keeps the transaction whatever is returned, so that a wrong code is counted.
    func checkPhoneCode(_ code: String, of hash: [UInt8], for purpose: AttemptPurpose, from origin: RequestOrigin?)
        throws -> Result<PhoneNumber, AuthError>
    {
        typealias Column = ProofRecord.Column
        let limit = auth.policy.factors.attemptsPerAddressAndMinute
        try spend(.network("phone.guess", origin, limit: limit, window: .seconds(60)))
        pause(at: .challengeBeforeUse)
        let counted: [ProofRecord] = try update(
            set: Column.attemptsLeft.grows(by: -1),
            where: Column.hash.equals(hash),
            Column.kind.equals(purpose.phoneKind),
            purpose.session.map { Column.sessionID.equals($0.id.rawValue) } ?? Column.sessionID.isNull,
            Column.attemptsLeft.isGreater(than: 0)
        )
        guard let proof = counted.first else { return .failure(.noChallenge) }
        guard proof.expiresAt > now else { return .failure(AuthError(.sessionExpired, "the code is too old")) }
        guard let codeHash = proof.codeHash, let number = PhoneNumber(proof.address) else {
            throw StoreError(.damaged, "a code was sent to no phone number")
        }
        guard let digits = OneTimeCode.digits(code, count: Self.phoneCodeDigits),
            isPhoneCode(digits, codeHash, for: hash)
        else { return .failure(AuthError(.invalidVerificationCode, "the code is wrong")) }
        return .success(number)
    }

    /// Takes a code that was right a moment ago, once.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` where it was used or replaced since, `session-expired`.
    func usePhone(_ number: PhoneNumber, hash: [UInt8], for purpose: AttemptPurpose) throws -> VerifiedCredential {
        typealias Column = ProofRecord.Column
        let taken: [ProofRecord] = try delete(
            where: Column.hash.equals(hash),
            Column.kind.equals(purpose.phoneKind),
            Column.address.equals(number.text)
        )
        guard let proof = taken.first else { throw AuthError.noChallenge }
        guard proof.expiresAt > now else { throw AuthError(.sessionExpired, "the code is too old") }
        return VerifiedCredential(
            providerID: .phone,
            subject: number.text,
            isEmailVerified: false,
            phoneNumber: number.text,
            method: "sms",
            begunAt: proof.createdAt
        )
    }

    /// Removes the codes that were sent to a number, once it is nobody's.
    func voidPhoneCodes(to number: String) throws {
        for kind in AttemptPurpose.phoneKinds {
            try delete(
                ProofRecord.self,
                where: ProofRecord.Column.kind.equals(kind),
                ProofRecord.Column.address.equals(number)
            )
        }
    }
}
