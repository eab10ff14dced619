// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Auth {
    /// Lets nobody sign in to an account until it is enabled again.
    ///
    /// All its sessions close.
    ///
    /// - Parameter account: Which one. Disabling it once more does nothing.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func disable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.context.actor = .service
            try transaction.removal.disable(account)
        }
    }

    /// Lets people sign in to an account again.
    ///
    /// Sessions that were closed stay closed.
    ///
    /// - Parameter account: Which one. Enabling one that is not disabled does nothing.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func enable(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            try transaction.removal.enable(account)
        }
    }

    /// Deletes an account: its sessions close, its logins are free for others, and what is personal is removed.
    ///
    /// Its ID stays, and is never another's. The audit stays too: it holds nothing personal.
    ///
    /// - Parameter account: Which one, with those that have become part of it.
    /// - Throws: ``AuthError``: `user-not-found`, `account-merged`.
    public func delete(_ account: AccountID) async throws(AuthError) {
        try await transaction { transaction in
            transaction.context.actor = .service
            try transaction.removal.remove(transaction.accounts.lock(account))
        }
    }
}
