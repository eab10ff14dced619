// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

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
            try transaction.removal.disable(account)
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

    /// Deletes an account: closes its sessions, releases its logins, and removes personal data.
    ///
    /// It is for operators: it requires no session, and the audit names the service. ``Session/deleteAccount()`` is for
    /// the user of the account.
    ///
    /// Its ID stays as a tombstone, and is never used again. The audit stays too, because it contains no personal data.
    ///
    /// - Parameter account: The account. Accounts that were merged into it are deleted with it.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func delete(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.context.actor = .service
            try transaction.removal.remove(transaction.accounts.lock(account))
        }
    }
}

extension Session {
    /// Deletes the account of this session: closes its sessions, releases its logins, and removes personal data.
    ///
    /// The recent login and the deletion are one transaction. The audit names the user and this session.
    ///
    /// - Throws: ``AuthError``: `requires-recent-login`, `second-factor-required`, and others if the session is not
    ///   open.
    public func deleteAccount() async throws(AuthError) {
        try await auth.transaction { transaction in
            let held = try transaction.held.holdRecent(self)
            transaction.context.pause(at: .deleteBeforeRemoval)
            try transaction.removal.remove(held.account, in: held.session.id)
        }
    }
}
