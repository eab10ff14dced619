// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Closes every factor with the newest key that was closed with an older one.
    ///
    /// Each is closed anew when it is used; this is for the others. It may be stopped and begun again. The old key must stay for
    /// ``SessionPolicy/absolute`` after the new one came to the last server, since the tokens of sessions were made with it: who takes it
    /// away earlier signs everybody out.
    ///
    /// - Returns: How many were closed anew.
    /// - Throws: ``AuthError``: `internal-error` where there are some that no key opens, once all others are done.
    @discardableResult
    public func resealFactors() async throws(AuthError) -> Int {
        var done = 0
        var unopened = 0
        while true {
            let skipped = unopened
            let round = try await transaction { transaction in try transaction.resealFactors(skipping: skipped) }
            done += round.resealed
            unopened += round.unopened
            guard round.resealed + round.unopened > 0 else { break }
        }
        guard unopened == 0 else {
            throw AuthError(.internalError, "no key opens \(unopened) factors: is one missing that was in use?")
        }
        return done
    }
}

extension AccountTransaction {
    /// How many factors are closed anew in one transaction.
    private static let resealedAtOnce = 100

    /// Closes some factors anew, after those that could not be opened before.
    fileprivate func resealFactors(skipping skipped: Int) throws -> (resealed: Int, unopened: Int) {
        let outdated: [FactorRecord] = try all(
            where: FactorRecord.Column.sealedWith.differs(from: auth.secrets.newestKeyNumber),
            order: .ascending(FactorRecord.Column.createdAt, then: FactorRecord.Column.id),
            limit: skipped + Self.resealedAtOnce
        )
        var resealed = 0
        var unopened = 0
        for factor in outdated.dropFirst(skipped) {
            if (try? open(factor)) == nil {
                unopened += 1
            } else {
                try resealIfOutdated(factor)
                resealed += 1
            }
        }
        return (resealed, unopened)
    }

    /// Closes a factor with the newest key, if it was closed with another; unless somebody else has just done so.
    func resealIfOutdated(_ factor: FactorRecord) throws {
        // A damaged row may name another key than the one that closed it.
        guard auth.secrets.isOutdated(factor.secret) || factor.sealedWith != auth.secrets.newestKeyNumber else {
            return
        }
        let secret = try open(factor)
        let sealed = seal(secret, factor: factor.id, account: factor.accountID)
        let fingerprint = factor.fingerprint == nil ? nil : phoneFingerprints(secret)[0]
        if let fingerprint, fingerprint != factor.fingerprint {
            // Enrolled once by an older key and once by the newest, one phone is two factors; one of them stays.
            let twin: FactorRecord? = try first(
                where: FactorRecord.Column.accountID.equals(factor.accountID.rawValue),
                FactorRecord.Column.fingerprint.equals(fingerprint)
            )
            if let twin {
                guard factor.confirmedAt != nil || twin.confirmedAt == nil else { return try removeFactor(factor) }
                try removeFactor(twin)
            }
        }
        try update(
            FactorRecord.self,
            set: FactorRecord.Column.secret.becomes(sealed),
            FactorRecord.Column.sealedWith.becomes(auth.secrets.keyNumber(of: sealed)),
            FactorRecord.Column.fingerprint.becomes(fingerprint),
            where: FactorRecord.Column.id.equals(factor.id),
            FactorRecord.Column.secret.equals(factor.secret)
        )
    }

    /// What each key makes of a phone number, the newest first: by which a number is found that is sealed.
    func phoneFingerprints(_ number: [UInt8]) -> [[UInt8]] {
        auth.secrets.authenticationCodes(of: number, purpose: "phone number")
    }
}
