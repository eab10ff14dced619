// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Auth {
    /// Disables an account: no user can sign in to it until it is enabled again.
    ///
    /// All its sessions are closed.
    ///
    /// - Parameter account: The account. Disabling it again has no effect.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func disable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.context.actor = .service
            _ = try transaction.removal.disable(account)
        }
    }

    /// Enables a disabled account.
    ///
    /// Closed sessions stay closed.
    ///
    /// - Parameter account: The account. Enabling it has no effect if it is not disabled.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func enable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            try transaction.removal.enable(account)
        }
    }

    /// Unlinks a login from an account, for example one that an attacker has linked, and closes the sessions that were
    /// opened with it.
    ///
    /// It is for operators: it requires no session, and the audit names the service. The login can then be linked to
    /// another account, or create one. For a password, `provider` is `ProviderID.password`: it can no longer sign in,
    /// and cannot be reset. Sessions that stayed open when their login was unlinked earlier are closed too.
    ///
    /// - Parameters:
    ///   - provider: The provider of the login.
    ///   - uid: The provider's identifier of the user, if the account has several logins of this provider.
    ///   - account: The account. It may be disabled.
    ///   - evenIfLast: Whether the last login that can sign in is unlinked too. The account is then disabled. A login
    ///     counts as usable even if its provider is switched off.
    /// - Returns: The number of sessions that were closed.
    /// - Throws: ``AuthError``: `no-such-provider`, `ambiguous-provider`, `last-provider`; `user-not-found`,
    ///   `account-merged`.
    @discardableResult
    public func unlink(
        _ provider: ProviderID,
        uid: String? = nil,
        from account: AccountID,
        evenIfLast: Bool = false
    ) async throws(AuthError) -> Int {
        try await unlinkAndReport(provider, uid: uid, from: account, evenIfLast: evenIfLast).closedSessions
    }

    /// Unlinks a login as ``unlink(_:uid:from:evenIfLast:)`` does, and reports the account as it is at the commit.
    ///
    /// - Returns: The number of sessions that were closed, and whether the account is disabled.
    package func unlinkAndReport(
        _ provider: ProviderID,
        uid: String?,
        from account: AccountID,
        evenIfLast: Bool
    ) async throws(AuthError) -> (closedSessions: Int, isDisabled: Bool) {
        try await transaction { transaction in
            transaction.context.actor = .service
            let record = try transaction.accounts.lock(account)
            let unlinked = try transaction.links.unlink(provider, uid: uid, of: record, evenIfLast: evenIfLast)
            guard !unlinked.isUsable else { return (unlinked.closed, record.disabledAt != nil) }
            return (unlinked.closed + (try transaction.removal.disable(account)), true)
        }
    }

    /// Deletes an account: closes its sessions, releases its logins, and removes personal data.
    ///
    /// It is for operators: it requires no session, and the audit names the service. ``Session/deleteAccount()`` is for
    /// the user of the account.
    ///
    /// Its ID stays as a tombstone, and is never used again. The audit stays too, because it contains no personal data.
    ///
    /// An account with more than a thousand rows of sessions, stored responses and merged accounts is deleted in parts,
    /// each with a transaction of its own. If the deletion ends before the last one, it can be repeated.
    ///
    /// - Parameter account: The account. Accounts that were merged into it are deleted with it.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`; `too-many-requests` while this process deletes the
    ///   account; `conflict-retry` if the task was cancelled between two parts.
    public func delete(_ account: AccountID) async throws(AuthError) {
        try await delete(account) { transaction, _ in
            transaction.context.actor = .service
            return try transaction.removal.removePart(of: transaction.accounts.lock(account))
        }
    }

    /// Deletes an account in parts, unless this process is deleting it.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - remove: Locks the account, removes a part of it, the first one or another, and returns whether that was the
    ///     last one.
    /// - Throws: ``AuthError``: `too-many-requests`, `conflict-retry`, and the errors of `remove`.
    fileprivate func delete(
        _ account: AccountID,
        _ remove: @escaping @Sendable (TransactionSteps, _ isFirst: Bool) throws -> Bool
    ) async throws(AuthError) {
        try await deletions.take(of: account.rawValue) { () async throws(AuthError) in
            var isFirst = true
            while true {
                let isDone = try await transaction { [isFirst] transaction in try remove(transaction, isFirst) }
                if isDone { return }
                isFirst = false
                // Nobody waits for the result any more.
                guard !Task.isCancelled else {
                    throw AuthError(.conflictRetry, "the task was cancelled between two parts of the deletion")
                }
            }
        }
    }
}

extension Session {
    /// Deletes the account of this session: closes its sessions, releases its logins, and removes personal data.
    ///
    /// The recent login and the deletion are one transaction. The audit names the user and this session. An account
    /// with more than a thousand rows of sessions, stored responses and merged accounts is deleted in parts: the recent
    /// login is checked with the first one, and the session must stay open until the last one.
    ///
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`, and others if the session is not
    ///   open; `too-many-requests` while this process deletes the account; `conflict-retry` if the task was cancelled
    ///   between two parts.
    public func deleteAccount() async throws(AuthError) {
        try await auth.delete(accountID) { transaction, isFirst in
            let held = try isFirst ? transaction.held.holdRecent(self) : transaction.held.hold(self)
            return try transaction.removal.removePart(of: held.account, in: held.session.id)
        }
    }
}
