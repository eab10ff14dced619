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
