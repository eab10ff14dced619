// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Encrypts second factors and stored profiles again with the newest key if they are encrypted with an older one.
    ///
    /// A factor is encrypted again when it is used, and a profile (``AuthPolicy/storesProfiles``) at each sign-in with
    /// its login; this is for the others. The operation can be interrupted and repeated. The old key must stay for
    /// ``SessionPolicy/absolute`` after the new one was added to the last server, because session tokens were made with
    /// it. Removing it earlier signs users out.
    ///
    /// - Returns: The numbers of factors and of profiles that were encrypted again.
    /// - Throws: ``AuthError``: `internal-error` if no key decrypts some of them, after all others are done; then no old
    ///   key must be removed.
    @discardableResult
    public func reseal() async throws(AuthError) -> (factors: Int, profiles: Int) {
        let factors = try await resealAll { transaction, skipped in try transaction.reseal.reseal(skipping: skipped) }
        let profiles = try await resealAll { transaction, skipped in
            try transaction.profileReseal.reseal(skipping: skipped)
        }
        guard factors.unopened + profiles.unopened == 0 else {
            throw AuthError(
                .internalError,
                "no key decrypts \(factors.unopened) factors and \(profiles.unopened) stored profiles: an older key may be "
                    + "missing"
            )
        }
        return (factors.resealed, profiles.resealed)
    }

    /// Repeats a step until it finds nothing more.
    private func resealAll(_ step: @escaping @Sendable (TransactionSteps, Int) throws -> ResealRound)
        async throws(AuthError) -> ResealRound
    {
        var total = ResealRound()
        while true {
            let skipped = total.unopened
            let round = try await transaction { transaction in try step(transaction, skipped) }
            total.resealed += round.resealed
            total.unopened += round.unopened
            guard round.resealed + round.unopened > 0 else { return total }
        }
    }
}

/// The numbers of rows that were encrypted again, and of those that no key decrypts.
struct ResealRound: Sendable {
    var resealed = 0
    var unopened = 0

    /// The maximum number of rows that are encrypted again in one transaction.
    static let atOnce = 100
}

/// The steps that encrypt stored profiles with the newest key.
struct ProfileReseal {
    let identities: IdentityTable
    let secrets: AccountSecrets

    /// Encrypts some profiles again, after those that could not be decrypted before.
    func reseal(skipping skipped: Int) throws(StoreError) -> ResealRound {
        let outdated = try identities.sealed(
            withOtherThan: secrets.newestKeyNumber,
            limit: skipped + ResealRound.atOnce
        )
        var round = ResealRound()
        for login in outdated.dropFirst(skipped) {
            if let sealed = login.profile, let profile = secrets.open(sealed, login: login.id) {
                try identities.reseal(login, profile: secrets.seal(profile, login: login.id))
                round.resealed += 1
            } else {
                round.unopened += 1
            }
        }
        return round
    }
}
