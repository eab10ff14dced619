// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginTokens

/// The steps that use up single-use credentials, and return the verified credential.
struct CredentialUse {
    let attempts: AttemptTable
    let seenTokens: SeenTokenTable
    let pending: PendingCredentials
    let passwords: Passwords
    let phoneCodes: PhoneCodes
    let audit: AuditTrail
    let context: TransactionContext

    /// Uses up a credential, and returns its verified form.
    ///
    /// It is the first step of a transaction with a credential. If the transaction is rolled back, nothing was used up.
    ///
    /// - Parameter proof: The result of ``Auth/prove(_:for:from:)``.
    /// - Returns: The verified credential.
    /// - Throws: ``AuthError``: `missing-or-invalid-nonce` if the attempt has expired, was used, or has another
    ///   purpose; `invalid-credential` if a pending credential is unknown, expired, or used; `invalid-verification-id`
    ///   if a code was used; `operation-not-allowed` if the provider was switched off. ``Replay``
    func use(_ proof: Proof) throws -> VerifiedCredential {
        let proven: VerifiedCredential
        switch proof.evidence {
        case .identity(var credential, let attempt, let channel, let once):
            credential.begunAt = try use(attempt, channel, of: credential.providerID, for: proof.purpose).createdAt
            if let once { try use(once, of: credential.providerID) }
            if let issuedAt = once?.issuedAt { credential.limit(to: issuedAt) }
            proven = credential
        case .password(let email, let hash, let better):
            proven = try passwords.use(email, hash: hash, better: better)
        case .phone(let number, let hash):
            proven = try phoneCodes.use(number, hash: hash, for: proof.purpose)
        case .pending(let token, let provider):
            proven = try pending.take(token, of: provider, for: proof.purpose)
        }
        try context.auth.checkAllowed(proven)
        return proven
    }

    private func use(
        _ attempt: AttemptSecret,
        _ channel: AttemptRecord.Channel,
        of provider: ProviderID,
        for purpose: AttemptPurpose
    ) throws -> AttemptRecord {
        context.pause(at: .attemptBeforeUse)
        let used = try attempts.use(
            attempt.hash,
            purpose: purpose.noncePurpose.storageKey,
            provider: provider,
            channel: channel,
            at: context.now
        )
        if let used { return used }
        guard let found = try attempts.find(attempt.hash) else {
            throw AuthError(
                .missingOrInvalidNonce(.stateUnknown),
                "the attempt is unknown, or was deleted after its expiry"
            )
        }
        guard found.usedAt != nil else {
            guard !found.isExpired(at: context.now) else {
                throw AuthError(.missingOrInvalidNonce(.expired), "the attempt has expired")
            }
            throw AuthError(
                .missingOrInvalidNonce(.startedElsewhere),
                "the attempt began for another purpose or in another channel"
            )
        }
        throw Replay("the attempt was used before", of: provider, hash: attempt.hash, until: found.expiresAt)
    }

    private func use(_ token: OnceOnlyToken, of provider: ProviderID) throws {
        let seen = SeenTokenRecord(providerID: provider, hash: token.hash, expiresAt: token.expiresAt)
        guard try seenTokens.insert(seen) else {
            throw Replay("the token was used before", of: provider, hash: token.hash, until: token.expiresAt)
        }
    }

    /// Records a replay, unless it was recorded before.
    func record(_ replay: Replay) throws(StoreError) {
        let hash = Digest.sha256.hash(replay.hash)
        let first = SeenTokenRecord(providerID: replay.provider, hash: hash, expiresAt: replay.expiresAt)
        guard try seenTokens.insert(first) else { return }
        try audit.record(.nonceReplayed, account: nil, subject: ["provider": replay.provider.rawValue])
    }
}

/// The refusal of a replayed attempt or token: the transaction is rolled back, and then the replay is recorded.
struct Replay: Error {
    let error: AuthError
    let provider: ProviderID
    let hash: [UInt8]
    let expiresAt: StoreTime

    init(_ detail: String, of provider: ProviderID, hash: [UInt8], until expiresAt: StoreTime) {
        error = AuthError(.missingOrInvalidNonce(.replayed), detail)
        (self.provider, self.hash, self.expiresAt) = (provider, hash, expiresAt)
    }
}
