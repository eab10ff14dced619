// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
internal import LoginText
internal import LoginTokens

extension Auth {
    /// The attempts of browser logins, stored beside the accounts: a login that begins on one server may end on
    /// another.
    ///
    /// ```swift
    /// let logins = try await providers.loginManager(for: .google, redirectURL: callback, attempts: auth.attempts)
    /// ```
    ///
    /// Each attempt is claimed once, however many servers receive its callback, and deleted by
    /// ``sweep(limit:auditOlderThan:)``. Its store throws ``AuthError``.
    public var attempts: some AttemptStore { AccountAttemptStore(auth: self, session: nil) }

    /// The attempts of a purpose: one that belongs to a session begins only while the session is open.
    package func attempts(for purpose: AttemptPurpose) -> some AttemptStore {
        AccountAttemptStore(auth: self, session: purpose.session)
    }

    /// Returns why a callback without the secret of its attempt is refused, for the operator's log.
    ///
    /// The sender must not learn it, because nothing shows that the attempt is the sender's.
    ///
    /// - Parameter callback: The callback.
    /// - Returns: `callback`, `provider-error` or `state-unknown` if the callback names no attempt; `expired`; `replayed`
    ///   for a claimed attempt; `started-elsewhere` for an attempt that only the browser with its secret can claim.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    package func fault(of callback: LoginCallback) async throws(AuthError) -> LoginFailure.Code {
        let id: SignInAttempt.ID
        do throws(LoginFailure) {
            id = try callback.attemptID()
        } catch {
            return error.code
        }
        return try await read { transaction in try transaction.browserAttempts.fault(of: id.bytes) }
    }
}

/// The attempts of browser logins in the store of accounts.
struct AccountAttemptStore: AttemptStore {
    let auth: Auth
    let session: Session?

    /// The time for which an expired attempt is distinguished from an unknown one.
    static let retention = Limits.nonceLifetime.upperBound

    func insert(_ attempt: SignInAttempt) async throws {
        guard Limits.nonceLifetime.contains(attempt.lifetime) else { throw AttemptStoreError.lifetime }
        let isNew = try await auth.transaction { transaction in
            if let session { _ = try transaction.sessions.current(session) }
            return try transaction.tables.attempts.insert(
                AttemptRecord(
                    hash: attempt.binding.bytes,
                    stateHash: attempt.id.bytes,
                    providerID: attempt.provider,
                    channel: .browser,
                    purpose: attempt.purpose.storageKey,
                    sealed: attempt.sealed,
                    createdAt: transaction.now,
                    expiresAt: transaction.now + attempt.lifetime
                )
            )
        }
        guard isNew else { throw AttemptStoreError.known }
    }

    func claim(_ id: SignInAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptClaim {
        try await auth.transaction { transaction in
            try transaction.browserAttempts.claim(binding.bytes, state: id.bytes, purpose: purpose.storageKey)
        }
    }
}

/// The steps that claim the attempts of browsers.
struct BrowserAttempts {
    let attempts: AttemptTable
    let context: TransactionContext

    /// Claims the attempt of a browser in one conditional update: of concurrent callbacks, one gets the row.
    ///
    /// - Parameters:
    ///   - hash: The hash of the secret, from the browser's cookie.
    ///   - state: The hash of the parameter `state`, from the callback.
    ///   - purpose: The purpose of the callback.
    /// - Returns: The encrypted content for the callback, or the reason why there is nothing to claim.
    /// - Throws: ``StoreError``
    func claim(_ hash: [UInt8], state: [UInt8], purpose: String) throws(StoreError) -> AttemptClaim {
        context.pause(at: .attemptBeforeClaim)
        let claimed = try attempts.claim(hash, state: state, purpose: purpose, at: context.now)
        if let sealed = claimed?.sealed { return .claimed(sealed: sealed) }
        guard let found = try find(state) else { return .unknown }
        // The owner is checked first, so that a stranger does not learn whether the attempt was claimed.
        guard isEqual(found.purpose, purpose), constantTimeEquals(found.hash, hash) else { return .startedElsewhere }
        return found.isExpired(at: context.now) ? .expired : .replayed
    }

    /// Returns why an attempt cannot be claimed without its secret.
    ///
    /// - Parameter state: The hash of the parameter `state`, from the callback.
    /// - Returns: The reason, for the operator.
    /// - Throws: ``StoreError``
    func fault(of state: [UInt8]) throws(StoreError) -> LoginFailure.Code {
        guard let found = try find(state) else { return .stateUnknown }
        guard !found.isExpired(at: context.now) else { return .expired }
        return found.claimedAt == nil ? .startedElsewhere : .replayed
    }

    /// Reads an attempt; nil if it is unknown, or expired too long ago.
    private func find(_ state: [UInt8]) throws(StoreError) -> AttemptRecord? {
        guard let found = try attempts.find(state: state),
            found.expiresAt + AccountAttemptStore.retention > context.now
        else { return nil }
        return found
    }
}
