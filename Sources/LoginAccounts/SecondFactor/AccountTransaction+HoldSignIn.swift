// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension AccountTransaction {
    /// Keeps a sign-in until the second factor is right: what is done instead of opening a session.
    ///
    /// Nothing of the account may have been changed before, and nothing may be after: who has one factor changes no account that
    /// has two. The transaction returns `second-factor-required` with the resolver, so that what the first factor has consumed
    /// stays consumed.
    ///
    /// - Parameters:
    ///   - held: What happens then.
    ///   - account: The account, with a factor that counts. It is locked.
    /// - Returns: What asks for the second factor.
    /// - Throws: ``StoreError``
    func holdSignIn(_ held: HeldSignIn, to account: AccountRecord) throws -> MultiFactorResolver {
        let token = FactorToken.signIn.make()
        let record = PendingSignInRecord(
            hash: FactorToken.hash(token),
            accountID: account.id,
            content: try JSONText.encode(held),
            attemptsLeft: Int64(auth.policy.factors.attemptsPerSignIn),
            createdAt: now,
            expiresAt: now + auth.policy.factors.signInLifetime
        )
        try add(record)
        try self.record(.secondFactorRequired, account: account.id)
        return try resolver(for: record, token: token)
    }

    /// The resolver of a sign-in that waits.
    func resolver(for record: PendingSignInRecord, token: String) throws -> MultiFactorResolver {
        MultiFactorResolver(
            token: token,
            hints: try confirmedFactors(of: record.accountID).compactMap { MultiFactorInfo($0) },
            expiresAt: record.expiresAt.date,
            attemptsLeft: Int(max(record.attemptsLeft, 0)),
            auth: auth
        )
    }

    /// A sign-in that waits.
    ///
    /// - Throws: ``AuthError``: `missing-multi-factor-session` for no token; `invalid-multi-factor-session` for one that is
    ///   unknown, used, used up or over: which of these, nobody has to know.
    func pendingSignIn(_ token: String) throws -> PendingSignInRecord {
        guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession, "there is no token") }
        typealias Column = PendingSignInRecord.Column
        guard let hash = FactorToken.signIn.hashIfPossible(token),
            let record: PendingSignInRecord = try first(
                where: Column.hash.equals(hash),
                Column.attemptsLeft.isGreater(than: 0),
                Column.expiresAt.isAfter(now)
            )
        else { throw AuthError.noPendingSignIn }
        return record
    }
}

extension AuthError {
    static var noPendingSignIn: AuthError {
        AuthError(.invalidMultiFactorSession, "no such sign-in waits for its second factor")
    }
}
