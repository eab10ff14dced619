// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders

extension AccountTransaction {
    /// The factors of an account that count, those enrolled earlier first: only these are asked for.
    func confirmedFactors(of account: AccountID) throws -> [FactorRecord] {
        try all(
            where: FactorRecord.Column.accountID.equals(account.rawValue),
            FactorRecord.Column.confirmedAt.isNotNull,
            order: .ascending(FactorRecord.Column.createdAt, then: FactorRecord.Column.id)
        )
    }

    /// Sees that an account which is asked for codes by phone does not get a phone number to sign in with: one phone would then
    /// be both factors.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`.
    func checkFirstFactor(_ provider: ProviderID, of account: AccountID) throws {
        guard provider == .phone else { return }
        guard try confirmedFactors(of: account).allSatisfy({ $0.kind != MultiFactorKind.phone.rawValue }) else {
            throw AuthError(.unsupportedFirstFactor, "a phone is the second factor of the account already")
        }
    }

    /// Sees that two accounts that become one do not have phones both to sign in with and as second factor.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`.
    func checkFirstFactors(of accounts: [AccountID]) throws {
        guard try accounts.contains(where: { try identities(of: $0).contains { $0.providerID == .phone } }) else {
            return
        }
        for account in accounts { try checkFirstFactor(.phone, of: account) }
    }

    /// Removes the factors of an account, which is locked, and all that belongs to them.
    func removeFactors(of account: AccountID) throws {
        try dropPendingFactorSteps(of: account)
        try delete(FactorRecord.self, where: FactorRecord.Column.accountID.equals(account.rawValue))
        try delete(RecoveryCodeRecord.self, where: RecoveryCodeRecord.Column.accountID.equals(account.rawValue))
    }

    /// The factors of an account that another would get with it: a phone that both have is the other's already.
    ///
    /// Phones are compared by their numbers, since what was enrolled before keys were rotated has a fingerprint by an older one.
    func factorsToMove(from source: AccountID, to target: AccountID) throws -> [FactorRecord] {
        var known = Set(try confirmedFactors(of: target).compactMap { try phone(of: $0) })
        return try confirmedFactors(of: source).filter { factor in
            guard let phone = try phone(of: factor) else { return true }
            return known.insert(phone).inserted
        }
    }

    /// The number of a phone; nil for another factor.
    private func phone(of factor: FactorRecord) throws(AuthError) -> [UInt8]? {
        factor.fingerprint == nil ? nil : try open(factor)
    }

    /// Moves the factors of an account that becomes part of another; both are locked.
    ///
    /// The target has all factors of both afterwards. A phone that both have stays the target's; recovery codes move where
    /// the target has none. Secrets are sealed anew, since they are sealed for an account.
    func moveFactors(from source: AccountID, to target: AccountID) throws {
        try dropPendingFactorSteps(of: source)
        for factor in try factorsToMove(from: source, to: target) {
            let secret = try open(factor)
            let sealed = seal(secret, factor: factor.id, account: target)
            let fingerprints = factor.fingerprint == nil ? [] : phoneFingerprints(secret)
            // An unconfirmed one of the target's with the same number would stand in the way.
            for fingerprint in fingerprints {
                let begun: FactorRecord? = try first(
                    where: FactorRecord.Column.accountID.equals(target.rawValue),
                    FactorRecord.Column.fingerprint.equals(fingerprint)
                )
                if let begun { try removeFactor(begun) }
            }
            try update(
                FactorRecord.self,
                set: FactorRecord.Column.accountID.becomes(target.rawValue),
                FactorRecord.Column.secret.becomes(sealed),
                FactorRecord.Column.sealedWith.becomes(auth.secrets.keyNumber(of: sealed)),
                FactorRecord.Column.fingerprint.becomes(fingerprints.first),
                where: FactorRecord.Column.id.equals(factor.id)
            )
        }
        if try remainingRecoveryCodes(of: target) == 0 {
            try delete(RecoveryCodeRecord.self, where: RecoveryCodeRecord.Column.accountID.equals(target.rawValue))
            try update(
                RecoveryCodeRecord.self,
                set: RecoveryCodeRecord.Column.accountID.becomes(target.rawValue),
                where: RecoveryCodeRecord.Column.accountID.equals(source.rawValue)
            )
        }
        try removeFactors(of: source)
    }

    /// Removes one factor, and the codes that were sent for it.
    func removeFactor(_ factor: FactorRecord) throws {
        try delete(ChallengeRecord.self, where: ChallengeRecord.Column.factorID.equals(factor.id))
        try delete(FactorRecord.self, where: FactorRecord.Column.id.equals(factor.id))
    }

    /// Writes down that an account has lost a factor.
    func recordRemoved(_ factor: FactorRecord, session: SessionID? = nil) throws {
        try record(
            .secondFactorRemoved,
            account: factor.accountID,
            session: session,
            subject: ["kind": factor.kind, "uid": factor.id]
        )
    }

    /// How many recovery codes were not used.
    func remainingRecoveryCodes(of account: AccountID) throws(StoreError) -> Int {
        let codes: [RecoveryCodeRecord] = try all(
            where: RecoveryCodeRecord.Column.accountID.equals(account.rawValue),
            RecoveryCodeRecord.Column.usedAt.isNull
        )
        return codes.count
    }

    /// Ends every sign-in of an account that waits for its second factor, and every code that was sent.
    func dropPendingFactorSteps(of account: AccountID) throws {
        try delete(ChallengeRecord.self, where: ChallengeRecord.Column.accountID.equals(account.rawValue))
        try delete(PendingSignInRecord.self, where: PendingSignInRecord.Column.accountID.equals(account.rawValue))
    }
}

// A secret is sealed for one factor of one account: copied to another row it does not open (NIST SP 800-63B §5.1.4.2 wants
// it strongly protected).
extension AccountTransaction {
    /// Closes what a factor rests on.
    func seal(_ secret: [UInt8], factor: String, account: AccountID) -> [UInt8] {
        auth.secrets.seal(secret, context: "factor \(factor) of \(account.rawValue)")
    }

    /// Opens what a factor rests on.
    ///
    /// - Throws: ``AuthError``: `internal-error` where its key is gone.
    func open(_ factor: FactorRecord) throws(AuthError) -> [UInt8] {
        let context = "factor \(factor.id) of \(factor.accountID.rawValue)"
        guard let secret = auth.secrets.open(factor.secret, context: context) else {
            throw AuthError(.internalError, "a factor cannot be opened: its key is missing, or its row was changed")
        }
        return secret
    }
}

extension MultiFactorInfo {
    /// A factor that counts; nil for another.
    init?(_ factor: FactorRecord) {
        guard let kind = MultiFactorKind(rawValue: factor.kind), let confirmedAt = factor.confirmedAt else {
            return nil
        }
        self.init(
            uid: factor.id,
            factorID: kind,
            displayName: factor.displayName,
            phoneNumberSuffix: factor.hint,
            enrollmentDate: confirmedAt.date
        )
    }
}
