// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginProviders
internal import LoginText
internal import LoginTokens

extension Auth {
    /// Logins that are under way in browsers, kept in the store of accounts: what begins on one server may end on another.
    ///
    /// ```swift
    /// let logins = LoginManager(client: client, attempts: auth.loginAttempts, …)
    /// ```
    ///
    /// Each is finished once, however many servers are asked at once, and goes with ``sweep(limit:auditOlderThan:)``. Where the store
    /// cannot be asked, ``AuthError`` says so.
    public var loginAttempts: some AttemptStore { AccountAttemptStore(auth: self) }
}

/// Attempts in the store of accounts.
struct AccountAttemptStore: AttemptStore {
    let auth: Auth

    /// How long an attempt that is over is told from one that never was.
    static let remembrance = Limits.nonceLifetime.upperBound

    func insert(_ attempt: LoginAttempt) async throws {
        guard Limits.nonceLifetime.contains(attempt.lifetime) else { throw AttemptStoreError.lifetime }
        let isNew = try await auth.transaction { transaction in
            try transaction.insert(
                BrowserAttemptRecord(
                    hash: attempt.id.bytes,
                    sealed: attempt.sealed,
                    purpose: attempt.purpose.storageKey,
                    binding: attempt.binding.bytes,
                    createdAt: transaction.now,
                    expiresAt: transaction.now + attempt.lifetime
                )
            )
        }
        guard isNew else { throw AttemptStoreError.known }
    }

    func take(_ id: LoginAttempt.ID, purpose: NoncePurpose, binding: NonceBinding) async throws -> AttemptUse {
        try await auth.transaction { transaction in
            try transaction.takeBrowserAttempt(id.bytes, purpose: purpose.storageKey, binding: binding.bytes)
        }
    }
}

extension AccountTransaction {
    /// Marks an attempt, if nobody has: that is one change that asks for the state before it, and of many one finds the row.
    fileprivate func takeBrowserAttempt(_ hash: [UInt8], purpose: String, binding: [UInt8]) throws -> AttemptUse {
        typealias Column = BrowserAttemptRecord.Column
        pause(at: .browserAttemptBeforeUse)
        let taken: [BrowserAttemptRecord] = try update(
            set: Column.usedAt.becomes(now),
            where: Column.hash.equals(hash),
            Column.purpose.equals(purpose),
            Column.binding.equals(binding),
            Column.usedAt.isNull,
            Column.expiresAt.isAfter(now)
        )
        if let attempt = taken.first {
            // What was sealed is of no use to anybody now.
            try update(
                BrowserAttemptRecord.self,
                set: Column.sealed.becomes([UInt8]()),
                where: Column.hash.equals(hash)
            )
            return .taken(sealed: attempt.sealed)
        }
        let found: BrowserAttemptRecord? = try first(where: Column.hash.equals(hash))
        guard let found, found.expiresAt + AccountAttemptStore.remembrance > now else { return .unknown }
        // Whose it is comes first: a stranger does not even learn whether it was used.
        guard isEqual(found.purpose, purpose), constantTimeEquals(found.binding, binding) else {
            return .startedElsewhere
        }
        return found.expiresAt > now ? .replayed : .expired
    }
}
