// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Encrypts second factors again with the newest key if they are encrypted with an older one.
    ///
    /// A factor is encrypted again when it is used; this is for the others. The operation can be interrupted and
    /// repeated. The old key must stay for ``SessionPolicy/absolute`` after the new one was added to the last server,
    /// because session tokens were made with it. Removing it earlier signs users out.
    ///
    /// - Returns: The number of factors that were encrypted again.
    /// - Throws: ``AuthError``: `internal-error` if no key decrypts some of them, after all others are done.
    @discardableResult
    public func resealFactors() async throws(AuthError) -> Int {
        var done = 0
        var unopened = 0
        while true {
            let skipped = unopened
            let round = try await transaction { transaction in try transaction.reseal.reseal(skipping: skipped) }
            done += round.resealed
            unopened += round.unopened
            guard round.resealed + round.unopened > 0 else { break }
        }
        guard unopened == 0 else {
            throw AuthError(.internalError, "no key decrypts \(unopened) factors: an older key may be missing")
        }
        return done
    }
}

/// The steps that encrypt second factors with the newest key.
struct FactorReseal {
    let factors: FactorTable
    let enrolled: SecondFactors
    let context: TransactionContext

    private var secrets: FactorSecrets { enrolled.secrets }

    /// The maximum number of factors that are encrypted again in one transaction.
    private static let atOnce = 100

    /// Encrypts some factors again, after those that could not be decrypted before.
    func reseal(skipping skipped: Int) throws -> (resealed: Int, unopened: Int) {
        let outdated = try factors.encrypted(
            withOtherThan: context.secrets.newestKeyNumber,
            limit: skipped + Self.atOnce
        )
        var (resealed, unopened) = (0, 0)
        for factor in outdated.dropFirst(skipped) {
            if (try? secrets.open(factor)) == nil {
                unopened += 1
            } else {
                try resealIfOutdated(factor)
                resealed += 1
            }
        }
        return (resealed, unopened)
    }

    /// Encrypts a factor again with the newest key, if it is encrypted with another and no other transaction has just
    /// done so.
    func resealIfOutdated(_ factor: FactorRecord) throws {
        let newest = context.secrets.newestKeyNumber
        // A damaged row may name another key than the one that encrypted it.
        guard context.secrets.isOutdated(factor.secret) || factor.sealedWith != newest else { return }
        let secret = try secrets.open(factor)
        let sealed = secrets.seal(secret, factor: factor.id, account: factor.accountID)
        let fingerprint = factor.fingerprint == nil ? nil : secrets.phoneFingerprints(secret)[0]
        if let fingerprint, fingerprint != factor.fingerprint,
            let twin = try factors.find(fingerprint: fingerprint, of: factor.accountID)
        {
            // If a phone was enrolled under an older key and again under the newest, it is two factors; one of them is
            // removed.
            guard factor.confirmedAt != nil || twin.confirmedAt == nil else { return try enrolled.remove(factor) }
            try enrolled.remove(twin)
        }
        let key = secrets.keyNumber(of: sealed)
        try factors.reseal(factor, secret: sealed, key: key, fingerprint: fingerprint)
    }
}
