// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that store a sign-in until its second factor is verified.
struct PendingSignIns {
    let signIns: PendingSignInTable
    let audit: AuditTrail
    let context: TransactionContext

    /// Stores a sign-in until its second factor is verified, instead of opening a session.
    ///
    /// The transaction changes nothing of the account: one factor changes no account that has two. It is committed, so
    /// that an attempt or a code that the first factor has used up stays used up.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in.
    ///   - facts: The rows of the account, which has a confirmed second factor. It is locked.
    /// - Returns: The resolver.
    /// - Throws: ``StoreError``
    func add(_ signIn: PendingSignIn, to facts: AccountFacts) throws -> MultiFactorResolver {
        let policy = context.policy.factors
        let token = OneTimeToken.signIn.make()
        let record = PendingSignInRecord(
            hash: OneTimeToken.hash(token),
            accountID: facts.account.id,
            content: try WaitingContent.seal(signIn, token: token),
            attemptsLeft: Int64(policy.attemptsPerSignIn),
            createdAt: context.now,
            expiresAt: context.now + policy.signInLifetime
        )
        try signIns.add(record)
        try audit.record(.secondFactorRequired, account: facts.account.id)
        return resolver(for: record, token: token, factors: facts.factors)
    }

    /// Returns the resolver of a pending sign-in.
    ///
    /// - Parameters:
    ///   - record: The pending sign-in.
    ///   - token: Its token.
    ///   - factors: The confirmed second factors of its account.
    /// - Returns: The resolver.
    func resolver(for record: PendingSignInRecord, token: String, factors: [FactorRecord]) -> MultiFactorResolver {
        MultiFactorResolver(
            token: token,
            hints: factors.compactMap { MultiFactorInfo($0) },
            expiresAt: record.expiresAt.date,
            attemptsLeft: Int(max(record.attemptsLeft, 0)),
            auth: context.auth
        )
    }

    /// Reads a pending sign-in.
    ///
    /// - Throws: ``AuthError``: `missing-multi-factor-session` for an empty token; `invalid-multi-factor-session` for
    ///   one that is unknown, used, expired, or without attempts left. The error does not distinguish these.
    func find(_ token: String) throws -> PendingSignInRecord {
        guard !token.isEmpty else { throw AuthError(.missingMultiFactorSession, "the token is missing") }
        guard let hash = OneTimeToken.signIn.hashIfPossible(token),
            let record = try signIns.usable(hash, at: context.now)
        else { throw AuthError.noPendingSignIn }
        return record
    }
}

extension AuthError {
    static var noPendingSignIn: AuthError {
        AuthError(.invalidMultiFactorSession, "no such sign-in is waiting for a second factor")
    }
}
