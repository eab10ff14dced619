// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that encrypt second factors with the newest key.
struct FactorReseal {
    let factors: FactorTable
    let enrolled: SecondFactors
    let context: TransactionContext

    private var secrets: FactorSecrets { enrolled.secrets }

    /// Encrypts some factors again, after those that could not be decrypted before.
    func reseal(skipping skipped: Int) throws -> ResealRound {
        let outdated = try factors.encrypted(
            withOtherThan: context.secrets.newestKeyNumber,
            limit: skipped + ResealRound.atOnce
        )
        var round = ResealRound()
        for factor in outdated.dropFirst(skipped) {
            if (try? secrets.open(factor)) == nil {
                round.unopened += 1
            } else {
                try resealIfOutdated(factor)
                round.resealed += 1
            }
        }
        return round
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
