// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders
internal import LoginTokens

/// A code to send after the commit.
struct StartedVerification: Sendable {
    let verification: PhoneVerification
    let message: PhoneCodeMessage
}

extension AttemptPurpose {
    /// The kind of the row that stores a code.
    fileprivate var phoneKind: String { Self.phoneKindPrefix + noncePurpose.name }

    /// The purpose that the message names.
    fileprivate var messagePurpose: PhoneCodeMessage.Purpose {
        switch self {
        case .signIn: .signIn
        case .link: .link
        case .reauthenticate: .reauthentication
        }
    }

    fileprivate static let phoneKindPrefix = "phone-"

    /// The kinds of all codes that are sent to phone numbers to sign in, link or reauthenticate.
    static let phoneKinds = ["sign-in", "link", "reauthenticate"].map { phoneKindPrefix + $0 }
}

/// The steps that send codes to phone numbers to sign in, link or reauthenticate, and compare them.
struct PhoneCodes {
    let proofs: ProofTable
    let keys: IdentityKeyTable
    let budgets: Budgets
    let sessions: Sessions
    let held: HeldSessions
    let codes: CodeHashes
    let context: TransactionContext

    private var policy: FactorPolicy { context.policy.factors }

    /// The number of digits of a code.
    static let digits = 6

    /// Creates a code for a number, and voids the previous one for the same purpose and network.
    ///
    /// The account of the number is looked up only for its known networks. From other networks, the effect does not
    /// reveal whether an account has the number.
    ///
    /// - Throws: ``AuthError``: `quota-exceeded`; `too-many-requests` if no code for the number would be accepted;
    ///   `operation-not-allowed` if the policy excludes the number; and others if the session is not open.
    func start(_ number: PhoneNumber, for purpose: AttemptPurpose, from origin: RequestOrigin?) throws
        -> StartedVerification
    {
        try policy.check(number)
        let held = try purpose.session.map { try self.held.hold($0) }
        let isKnown = try isKnown(origin, to: number)
        try budgets.spendMessage(to: number, for: purpose.messagePurpose, from: origin, isKnown: isKnown)
        let network = origin?.addressPrefix ?? ""
        try proofs.removeAll(purpose.phoneKind, to: number.text, network: network)
        // A code that could not be accepted is not sent. The proofs are locked before the budget, as by a check.
        let failures = failures(of: number, isKnown: isKnown)
        try budgets.spend(failures)
        try budgets.giveBack([failures])
        let token = OneTimeToken.verification.make()
        let hash = OneTimeToken.hash(token)
        let code = OneTimeCode.make(digits: Self.digits)
        let proof = ProofRecord(
            hash: hash,
            kind: purpose.phoneKind,
            accountID: held?.account.id,
            sessionID: held?.session.id,
            address: number.text,
            addressPrefix: network,
            codeHash: codes.newest(code.utf8, for: hash),
            attemptsLeft: Int64(policy.attemptsPerSignIn),
            createdAt: context.now,
            expiresAt: context.now + policy.codeLifetime
        )
        try proofs.add(proof)
        return StartedVerification(
            verification: PhoneVerification(
                id: token,
                expiresAt: proof.expiresAt.date,
                resendAt: (context.now + policy.resendInterval).date
            ),
            message: PhoneCodeMessage(
                number: number.text,
                code: code,
                purpose: purpose.messagePurpose,
                expiresAt: proof.expiresAt.date
            )
        )
    }

    /// Compares a code with the one that was sent.
    ///
    /// The guess is counted first, and committed whatever the result. A wrong code also counts for its number: each new
    /// code has guesses of its own, so without that limit a client could guess on for as long as it can request codes.
    ///
    /// - Throws: ``AuthError``: `too-many-requests`.
    func check(_ code: String, of hash: [UInt8], for purpose: AttemptPurpose, from origin: RequestOrigin?) throws
        -> TransactionEnding<PhoneNumber>
    {
        let limit = policy.attemptsPerAddressAndMinute
        try budgets.spend(.network("phone.guess", origin, limit: limit, window: .seconds(60)))
        context.pause(at: .challengeBeforeUse)
        guard let proof = try proofs.countGuess(hash, kind: purpose.phoneKind, session: purpose.session?.id) else {
            return .commitRefusal(.noChallenge)
        }
        guard !proof.isExpired(at: context.now) else {
            return .commitRefusal(AuthError(.sessionExpired, "the code has expired"))
        }
        guard let codeHash = proof.codeHash, let number = PhoneNumber(proof.address) else {
            throw StoreError(.damaged, "a code has no valid phone number")
        }
        let failures = failures(of: number, isKnown: try isKnown(origin, to: number))
        do {
            try budgets.spend(failures)
        } catch let error as AuthError {
            return .commitRefusal(error)
        }
        guard let digits = OneTimeCode.digits(code, count: Self.digits), codes.matches(digits, codeHash, for: hash)
        else { return .commitRefusal(AuthError(.invalidVerificationCode, "the code is wrong")) }
        // Only wrong codes count: signing in often never locks the number.
        try budgets.giveBack([failures])
        return .commit(number)
    }

    /// Returns the budget of a number for wrong codes, for all purposes and networks.
    ///
    /// Guesses from networks that the account knows are counted separately, so that guesses from elsewhere do not use
    /// them up.
    private func failures(of number: PhoneNumber, isKnown: Bool) -> Budget {
        Budget(
            purpose: "phone.wrong.\(isKnown ? "known" : "anywhere")",
            subject: number.text,
            limit: policy.failuresPerNumberAndDay,
            window: .seconds(86_400)
        )
    }

    /// Whether the account that signs in with a number knows the network of a request.
    private func isKnown(_ origin: RequestOrigin?, to number: PhoneNumber) throws(StoreError) -> Bool {
        guard let identity = try keys.identity(.phone, number.text) else { return false }
        return try sessions.isKnown(origin, to: identity.accountID)
    }

    /// Takes a code that was correct a moment ago, once.
    ///
    /// - Throws: ``AuthError``: `invalid-verification-id` if it was used or replaced since, `session-expired`.
    func use(_ number: PhoneNumber, hash: [UInt8], for purpose: AttemptPurpose) throws -> VerifiedCredential {
        guard let proof = try proofs.takeCode(hash, kind: purpose.phoneKind, address: number.text) else {
            throw AuthError.noChallenge
        }
        guard !proof.isExpired(at: context.now) else { throw AuthError(.sessionExpired, "the code has expired") }
        return VerifiedCredential(
            providerID: .phone,
            subject: number.text,
            isEmailVerified: false,
            phoneNumber: number.text,
            method: "sms",
            begunAt: proof.createdAt
        )
    }

    /// Deletes a code that could not be sent.
    func forget(_ started: StartedVerification) throws(StoreError) {
        try proofs.remove(OneTimeToken.hash(started.verification.id))
    }
}
