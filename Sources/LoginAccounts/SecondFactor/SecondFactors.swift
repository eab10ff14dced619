// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders

/// The steps that store, move and remove the second factors of accounts.
struct SecondFactors {
    let factors: FactorTable
    let recoveryCodes: RecoveryCodeTable
    let challenges: ChallengeTable
    let pending: PendingOperations
    let audit: AuditTrail
    let secrets: FactorSecrets

    /// Returns the confirmed factors of an account, in the order in which they were enrolled.
    ///
    /// Only these are valid.
    func confirmed(of account: AccountID) throws(StoreError) -> [FactorRecord] { try factors.confirmed(of: account) }

    /// Checks that a login does not make one phone both factors of an account.
    ///
    /// - Throws: ``AuthError``: `unsupported-first-factor`.
    func checkFirstFactor(_ provider: ProviderID, of account: AccountID) throws {
        guard provider == .phone else { return }
        guard try confirmed(of: account).allSatisfy({ $0.kind != MultiFactorKind.phone.rawValue }) else {
            throw AuthError.phoneIsSecondFactor
        }
    }

    /// Removes the factors of an account, which is locked, and all that belongs to them.
    func removeAll(of account: AccountID) throws(StoreError) {
        try pending.voidFactorSteps(of: account)
        try factors.removeAll(of: account)
        try recoveryCodes.removeAll(of: account)
    }

    /// Returns the factors of an account that move to another in a merge.
    ///
    /// A phone that both have does not move.
    ///
    /// Phones are compared by their numbers, because a factor that was enrolled before a key rotation has a fingerprint
    /// under an older key.
    func toMove(from source: AccountID, to target: AccountID) throws -> [FactorRecord] {
        var known = Set(try confirmed(of: target).compactMap { try secrets.phone(of: $0) })
        return try confirmed(of: source).filter { factor in
            guard let phone = try secrets.phone(of: factor) else { return true }
            return known.insert(phone).inserted
        }
    }

    /// Moves the factors of an account that is merged into another.
    ///
    /// Both are locked.
    ///
    /// The target then has the factors of both. A phone that both have stays the target's. Recovery codes move if the
    /// target has none. Secrets are encrypted again, because the account is part of the authenticated data.
    func move(from source: AccountID, to target: AccountID) throws {
        try pending.voidFactorSteps(of: source)
        for factor in try toMove(from: source, to: target) {
            let secret = try secrets.open(factor)
            let sealed = secrets.seal(secret, factor: factor.id, account: target)
            let fingerprints = factor.fingerprint == nil ? [] : secrets.phoneFingerprints(secret)
            // An unconfirmed factor of the target with the same number would conflict.
            for fingerprint in fingerprints {
                if let begun = try factors.find(fingerprint: fingerprint, of: target) { try remove(begun) }
            }
            try factors.move(
                factor,
                to: target,
                secret: sealed,
                key: secrets.keyNumber(of: sealed),
                fingerprint: fingerprints.first
            )
        }
        if try recoveryCodes.remaining(of: target) == 0 {
            try recoveryCodes.removeAll(of: target)
            try recoveryCodes.move(from: source, to: target)
        }
        try removeAll(of: source)
    }

    /// Removes one factor, and the codes that were sent for it.
    func remove(_ factor: FactorRecord) throws(StoreError) {
        try challenges.removeAll(of: factor)
        try factors.remove(factor)
    }

    /// Records that an account has lost a factor.
    func recordRemoved(_ factor: FactorRecord, session: SessionID? = nil) throws(StoreError) {
        try audit.record(
            .secondFactorRemoved,
            account: factor.accountID,
            session: session,
            subject: ["kind": factor.kind, "uid": factor.id]
        )
    }
}

/// The encryption of the secrets of second factors.
///
/// A secret is bound to one factor of one account: copied to another row it cannot be decrypted (NIST SP 800-63B
/// §5.1.4.2 requires strong protection).
struct FactorSecrets {
    let secrets: AccountSecrets

    /// Encrypts the secret or the phone number of a factor.
    func seal(_ secret: [UInt8], factor: String, account: AccountID) -> [UInt8] {
        secrets.seal(secret, context: "factor \(factor) of \(account.rawValue)")
    }

    /// Decrypts the secret or the phone number of a factor.
    ///
    /// - Throws: ``AuthError``: `internal-error` if its key is missing, or the row was changed.
    func open(_ factor: FactorRecord) throws(AuthError) -> [UInt8] {
        let context = "factor \(factor.id) of \(factor.accountID.rawValue)"
        guard let secret = secrets.open(factor.secret, context: context) else {
            throw AuthError(.internalError, "a factor cannot be decrypted: its key is missing, or its row was changed")
        }
        return secret
    }

    /// Returns the number of a phone; nil for another kind of factor.
    func phone(of factor: FactorRecord) throws(AuthError) -> [UInt8]? {
        factor.fingerprint == nil ? nil : try open(factor)
    }

    /// Returns the ID of the key with which a secret is encrypted, as a number.
    func keyNumber(of sealed: [UInt8]) -> Int64 { secrets.keyNumber(of: sealed) }

    /// Returns the HMACs of a phone number, the one under the newest key first.
    ///
    /// They make an encrypted number searchable.
    func phoneFingerprints(_ number: [UInt8]) -> [[UInt8]] {
        secrets.authenticationCodes(of: number, purpose: "phone number")
    }
}

extension AuthError {
    /// The error of a login that would make one phone both factors of an account.
    static var phoneIsSecondFactor: AuthError {
        AuthError(.unsupportedFirstFactor, "a phone is already the second factor of the account")
    }
}

extension MultiFactorInfo {
    /// Creates the description of a confirmed factor; nil for an unconfirmed one.
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
