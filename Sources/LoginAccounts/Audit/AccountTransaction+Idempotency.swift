// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// A request that may come again, and is then answered as before.
struct RepeatableRequest: Sendable {
    /// What the client calls it.
    let key: String

    /// What is asked, in words that say all of it: a part that were left out could be another the next time.
    let parts: [String]

    /// What each key makes of what is asked, the newest first: it may have a password in it, which a plain hash would leave to guess.
    ///
    /// Each part is hashed on its own, so that none can look like two.
    func hashes(by secrets: AccountSecrets) -> [[UInt8]] {
        secrets.authenticationCodes(of: parts.flatMap { Digest.sha256.hash($0.utf8) }, purpose: "idempotency")
    }

    /// By which the store knows it: the same key of another account is another.
    func key(of account: AccountID) -> [UInt8] {
        Digest.sha256.hash(Digest.sha256.hash(account.rawValue.utf8) + Digest.sha256.hash(key.utf8))
    }
}

/// What was answered, without secrets.
struct KeptAnswer: Sendable, Codable {
    var outcome: AuthDataResult.Outcome?
    var refusal: String?
    var ownerID: AccountID?

    init(_ result: Result<AuthDataResult, AuthError>) {
        switch result {
        case .success(let result): outcome = result.outcome
        case .failure(let error):
            refusal = error.code.rawValue
            switch error.reason {
            case .credentialAlreadyInUse(_, let owner), .emailAlreadyInUse(_, let owner): ownerID = owner
            default: ownerID = nil
            }
        }
    }

    /// The reason of the refusal, without a pending credential; nil if the request was not refused.
    ///
    /// Only conflicts are kept; all other refusals are thrown, and the request is answered anew.
    var reason: AuthError.Reason? {
        switch refusal {
        case nil: nil
        case AuthError.Code.credentialAlreadyInUse.rawValue: .credentialAlreadyInUse(nil, owner: ownerID)
        case AuthError.Code.emailAlreadyInUse.rawValue: .emailAlreadyInUse(owner: ownerID)
        default: .internalError
        }
    }
}

extension AccountTransaction {
    /// How long an answer is kept: as long as a client tries again.
    static let answerLifetime = Duration.seconds(86400)

    /// Answers a request, once.
    ///
    /// An answer that was kept comes without secrets: with the tokens that the session has now, and a refusal without a pending
    /// credential.
    ///
    /// - Parameters:
    ///   - request: The request; nil where the client gave it no key.
    ///   - session: The session that asks. Its account is locked, so that two with one key come here one after the other.
    ///   - answer: What answers it. What it throws is not kept.
    /// - Returns: The answer, or what was answered before.
    /// - Throws: ``AuthError``: `idempotency-mismatch` where something else was asked before with the same key.
    func once(
        _ request: RepeatableRequest?,
        in session: SessionRecord,
        _ answer: () throws -> Result<AuthDataResult, AuthError>
    ) throws -> Result<AuthDataResult, AuthError> {
        guard let request else { return try answer() }
        let key = request.key(of: session.accountID)
        try delete(
            IdempotencyRecord.self,
            where: IdempotencyRecord.Column.key.equals(key),
            IdempotencyRecord.Column.expiresAt.isAtMost(now.milliseconds)
        )
        let found: IdempotencyRecord? = try first(where: IdempotencyRecord.Column.key.equals(key))
        if let found {
            guard request.hashes(by: auth.secrets).contains(found.requestHash) else {
                throw AuthError(.idempotencyMismatch, "something else was asked before with the same key")
            }
            return try answerAgain(JSONText.decode(found.response), in: session)
        }
        let result = try answer()
        let kept = IdempotencyRecord(
            key: key,
            accountID: session.accountID,
            requestHash: request.hashes(by: auth.secrets)[0],
            response: try JSONText.encode(KeptAnswer(result)),
            expiresAt: now + Self.answerLifetime
        )
        try add(kept)
        return result
    }

    private func answerAgain(_ kept: KeptAnswer, in session: SessionRecord) throws -> Result<AuthDataResult, AuthError>
    {
        if let reason = kept.reason { return .failure(AuthError(reason, "as it was answered before")) }
        return .success(try unchanged(kept.outcome ?? .signedIn, in: session))
    }
}
