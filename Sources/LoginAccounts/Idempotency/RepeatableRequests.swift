// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The steps that answer a repeated request with the stored response.
struct RepeatableRequests {
    let answers: IdempotencyTable
    let held: HeldSessions
    let context: TransactionContext

    /// The lifetime of a stored response.
    ///
    /// Clients do not retry for longer.
    static let lifetime = Duration.seconds(86400)

    /// Whether the response to a request is stored.
    func hasAnswered(_ request: RepeatableRequest, in session: SessionRecord) throws(StoreError) -> Bool {
        try answers.find(request.key(of: session.accountID), at: context.now) != nil
    }

    /// Processes a request once.
    ///
    /// A stored response is returned without secrets: with the session's current tokens, and a refusal without a
    /// pending credential.
    ///
    /// - Parameters:
    ///   - request: The request; nil if the client gave it no key.
    ///   - session: The session of the request. Its account is locked, so that two requests with one key run one after
    ///     the other.
    ///   - answer: The operation. An error that it throws is not stored.
    /// - Returns: The new or the stored response.
    /// - Throws: ``AuthError``: `idempotency-mismatch` if the key belongs to a different request.
    func once(
        _ request: RepeatableRequest?,
        in session: SessionRecord,
        _ answer: () throws -> TransactionEnding<AuthDataResult>
    ) throws -> TransactionEnding<AuthDataResult> {
        guard let request else { return try answer() }
        let key = request.key(of: session.accountID)
        try answers.removeExpired(key, at: context.now)
        if let found = try answers.find(key, at: context.now) {
            guard request.hashes(by: context.secrets).contains(found.requestHash) else {
                throw AuthError(.idempotencyMismatch, "something else was asked before with the same key")
            }
            return try answerAgain(JSONText.decode(found.response), in: session)
        }
        let ending = try answer()
        try answers.add(
            IdempotencyRecord(
                key: key,
                accountID: session.accountID,
                requestHash: request.hashes(by: context.secrets)[0],
                response: try JSONText.encode(KeptAnswer(ending)),
                expiresAt: context.now + Self.lifetime
            )
        )
        return ending
    }

    private func answerAgain(_ kept: KeptAnswer, in session: SessionRecord) throws -> TransactionEnding<AuthDataResult>
    {
        if let reason = kept.reason { return .commitRefusal(AuthError(reason, "as it was answered before")) }
        return .commit(try held.unchanged(kept.outcome ?? .signedIn, in: session))
    }
}
