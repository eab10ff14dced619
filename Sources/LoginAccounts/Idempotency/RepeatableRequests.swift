// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto

/// The steps that answer a repeated request with the stored response.
struct RepeatableRequests {
    let responses: IdempotencyTable
    let held: HeldSessions
    let context: TransactionContext

    /// The lifetime of a stored response.
    ///
    /// Clients do not retry for longer.
    static let lifetime = Duration.seconds(86400)

    /// The maximum number of stored responses of an account.
    ///
    /// With a further one, the first that would expire is deleted: no client has as many requests without a response.
    static let maximum = 100

    /// Whether the response to a request is stored.
    func hasResponse(to request: RepeatableRequest, in session: SessionRecord) throws(StoreError) -> Bool {
        try responses.find(request.key(of: session.accountID), at: context.now) != nil
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
    ///   - operation: The operation. An error that it throws is not stored.
    /// - Returns: The new or the stored response.
    /// - Throws: ``AuthError``: `idempotency-mismatch` if the key belongs to a different request.
    func once(
        _ request: RepeatableRequest?,
        in session: SessionRecord,
        _ operation: () throws -> TransactionEnding<AuthDataResult>
    ) throws -> TransactionEnding<AuthDataResult> {
        if let stored = try storedResponse(to: request, in: session) { return stored }
        let ending = try operation()
        guard let request else { return ending }
        try responses.makeRoom(of: session.accountID, maximum: Self.maximum)
        try responses.add(
            IdempotencyRecord(
                key: request.key(of: session.accountID),
                accountID: session.accountID,
                requestHash: request.hashes(by: context.secrets)[0],
                response: try JSONText.encode(StoredResponse(ending)),
                expiresAt: context.now + Self.lifetime
            )
        )
        return ending
    }

    /// Returns the stored response to a request; nil if there is none, or the client gave the request no key.
    ///
    /// - Throws: ``AuthError``: `idempotency-mismatch` if the key belongs to a different request.
    func storedResponse(to request: RepeatableRequest?, in session: SessionRecord) throws -> TransactionEnding<
        AuthDataResult
    >? {
        guard let request else { return nil }
        let key = request.key(of: session.accountID)
        try responses.removeExpired(key, at: context.now)
        guard let found = try responses.find(key, at: context.now) else { return nil }
        guard request.hashes(by: context.secrets).contains(found.requestHash) else {
            throw AuthError(.idempotencyMismatch, "the idempotency key was already used for a different request")
        }
        return try repeatResponse(JSONText.decode(found.response), in: session)
    }

    private func repeatResponse(_ stored: StoredResponse, in session: SessionRecord) throws -> TransactionEnding<
        AuthDataResult
    > {
        if let reason = stored.reason {
            return .commitRefusal(AuthError(reason, "repeats the stored response of the first request"))
        }
        return .commit(try held.unchanged(stored.outcome ?? .signedIn, in: session))
    }
}

/// A request that a client may repeat with an idempotency key.
struct RepeatableRequest: Sendable {
    /// The client's idempotency key.
    let key: String

    /// All parts of the request.
    ///
    /// Requests that differ only in an omitted part would count as the same.
    let parts: [String]

    /// Returns the HMACs of the request, the one under the newest key first.
    ///
    /// The request may contain a password, which a plain hash would expose to guessing.
    ///
    /// Each part is hashed separately, so that the boundaries of the parts are unambiguous.
    func hashes(by secrets: AccountSecrets) -> [[UInt8]] {
        secrets.authenticationCodes(of: parts.flatMap { Digest.sha256.hash($0.utf8) }, purpose: "idempotency")
    }

    /// Returns the key of the stored response.
    ///
    /// The same client key in another account is another request.
    func key(of account: AccountID) -> [UInt8] {
        Digest.sha256.hash(Digest.sha256.hash(account.rawValue.utf8) + Digest.sha256.hash(key.utf8))
    }
}

/// A stored response, without secrets.
struct StoredResponse: Sendable, Codable {
    var outcome: AuthDataResult.Outcome?
    var refusal: String?
    var ownerID: AccountID?

    init(_ ending: TransactionEnding<AuthDataResult>) {
        switch ending {
        case .commit(let result): outcome = result.outcome
        case .commitRefusal(let error):
            refusal = error.code.rawValue
            switch error.reason {
            case .credentialAlreadyInUse(_, let owner), .emailAlreadyInUse(_, let owner): ownerID = owner
            default: ownerID = nil
            }
        }
    }

    /// The reason of the refusal, without a pending credential; nil if the request was not refused.
    ///
    /// Only conflicts are stored. All other refusals are thrown, and the request is processed again.
    var reason: AuthError.Reason? {
        switch refusal {
        case nil: nil
        case AuthError.Code.credentialAlreadyInUse.rawValue: .credentialAlreadyInUse(nil, owner: ownerID)
        case AuthError.Code.emailAlreadyInUse.rawValue: .emailAlreadyInUse(owner: ownerID)
        default: .internalError
        }
    }
}
