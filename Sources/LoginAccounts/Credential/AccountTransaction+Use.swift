// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginProviders
internal import LoginTokens

extension AccountTransaction {
    /// Consumes what may be used once, and returns what was proven.
    ///
    /// It is the first thing that a transaction does with a proof. Where the transaction ends otherwise than by being kept, nothing was
    /// consumed.
    ///
    /// - Parameter proof: What ``Auth/prove(_:for:)`` returned.
    /// - Returns: What was proven.
    /// - Throws: ``AuthError``: `missing-or-invalid-nonce` where the attempt is over, was used, or began for something else;
    ///   `invalid-credential` where a pending credential is unknown, over, or used; `invalid-verification-id` where a code was;
    ///   `operation-not-allowed` where the provider was switched off.
    func use(_ proof: Proof) throws -> VerifiedCredential {
        let proven: VerifiedCredential
        switch proof.evidence {
        case .identity(var credential, let attempt, let channel, let once):
            credential.begunAt = try use(attempt, channel, of: credential.providerID, for: proof.purpose).createdAt
            if let once { try use(once, of: credential.providerID) }
            proven = credential
        case .password(let email, let hash, let better):
            proven = try usePassword(of: email, hash: hash, better: better)
        case .phone(let number, let hash):
            proven = try usePhone(number, hash: hash, for: proof.purpose)
        case .pending(let token, let provider):
            proven = try usePending(token, of: provider, for: proof.purpose)
        }
        try auth.checkAllowed(proven)
        return proven
    }

    private func use(
        _ attempt: AttemptSecret,
        _ channel: AttemptRecord.Channel,
        of provider: ProviderID,
        for purpose: AttemptPurpose
    ) throws -> AttemptRecord {
        pause(at: .attemptBeforeUse)
        typealias Column = AttemptRecord.Column
        let hash = attempt.hash
        let used: [AttemptRecord] = try update(
            set: Column.usedAt.becomes(now),
            where: Column.hash.equals(hash),
            Column.purpose.equals(purpose.noncePurpose.storageKey),
            Column.providerID.equals(provider.rawValue),
            Column.channel.equals(channel.rawValue),
            channel == .browser ? Column.claimedAt.isNotNull : Column.claimedAt.isNull,
            Column.usedAt.isNull,
            Column.expiresAt.isAfter(now)
        )
        if let attempt = used.first { return attempt }
        let found: AttemptRecord? = try first(where: Column.hash.equals(hash))
        guard let found else { throw AuthError(.missingOrInvalidNonce, "the attempt is unknown, or was long ago") }
        guard found.usedAt != nil else {
            let reason = found.expiresAt > now ? "began for another purpose or in another channel" : "has expired"
            throw AuthError(.missingOrInvalidNonce, "the attempt \(reason)")
        }
        throw Self.replayed(provider, "the attempt was used before", hash: hash, until: found.expiresAt)
    }

    private func use(_ token: OnceOnlyToken, of provider: ProviderID) throws {
        let seen = SeenTokenRecord(providerID: provider, hash: token.hash, expiresAt: token.expiresAt)
        guard try insert(seen) else {
            throw Self.replayed(provider, "the token was used before", hash: token.hash, until: token.expiresAt)
        }
    }

    /// Somebody shows for the second time what counts once: that is written down, though nothing else is.
    ///
    /// It is written once, however often it is shown again, since whoever has a token that was used could fill the audit.
    private static func replayed(_ provider: ProviderID, _ detail: String, hash: [UInt8], until end: StoreTime)
        -> AuthError
    {
        var error = AuthError(.missingOrInvalidNonce, detail)
        error.afterwards = { transaction in
            let first = SeenTokenRecord(providerID: provider, hash: Digest.sha256.hash(hash), expiresAt: end)
            guard try transaction.insert(first) else { return }
            try transaction.record(.nonceReplayed, account: nil, subject: ["provider": provider.rawValue])
        }
        return error
    }
}
