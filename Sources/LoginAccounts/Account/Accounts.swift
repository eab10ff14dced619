// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The steps that create and lock accounts.
///
/// A transaction that reads rows of an account in order to write locks the account first. From then on no other
/// transaction changes those rows. Two accounts are locked in the order of their IDs to avoid deadlocks.
struct Accounts {
    let accounts: AccountTable
    let audit: AuditTrail
    let context: TransactionContext

    /// Creates an account.
    ///
    /// No other transaction sees it before this one is committed, so it counts as locked.
    ///
    /// - Parameters:
    ///   - isAnonymous: Whether it has no login yet.
    ///   - provider: The provider of its first login.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func create(isAnonymous: Bool, by provider: ProviderID? = nil) throws(StoreError) -> AccountRecord {
        let account = AccountRecord(
            id: AccountID(rawValue: context.makeID()),
            isAnonymous: isAnonymous,
            createdAt: context.now,
            updatedAt: context.now
        )
        try accounts.add(account)
        let subject = provider.map { ["provider": $0.rawValue] } ?? [:]
        try audit.record(.accountCreated, account: account.id, subject: subject)
        return account
    }

    /// Stores a sign-in, and takes over the login's name and picture if the account has none.
    ///
    /// The user may have chosen a name and a picture, so those of the login never replace them.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``
    func recordSignIn(to account: AccountRecord, _ credential: VerifiedCredential) throws(StoreError) -> AccountRecord {
        var changed = account
        changed.lastSignInAt = context.now
        changed.displayName = account.displayName ?? credential.displayName
        changed.photoURL = account.photoURL ?? credential.photoURL
        return try accounts.save(changed, from: account)
    }

    /// Resets the count of wrong second factors, after the factors were removed.
    func forgetFactorFailures(of account: AccountRecord) throws(StoreError) {
        try accounts.save(account.withoutFactorFailures, from: account)
    }

    /// Locks an account.
    ///
    /// - Throws: ``AuthError``: `account-merged`; `user-not-found` if the account does not exist or is not in use.
    func lock(_ id: AccountID) throws -> AccountRecord { try accounts.lockIfInUse(id) ?? inUse(id) }

    /// Locks the account of an identity or an address that was found.
    ///
    /// If the account is no longer in use, the transaction runs again.
    func lockFound(_ id: AccountID) throws(StoreError) -> AccountRecord {
        guard let account = try accounts.lockIfInUse(id) else {
            throw StoreError(.busy, "the account was merged or deleted meanwhile")
        }
        return account
    }

    /// Locks another account before the own one if its ID comes first, so that both are always locked in one order.
    func lockFound(_ other: AccountID, ifBefore account: AccountID) throws(StoreError) {
        guard other.rawValue.utf8.lexicographicallyPrecedes(account.rawValue.utf8) else { return }
        _ = try lockFound(other)
    }

    /// Reads an account that is in use, without locking it.
    ///
    /// - Throws: ``AuthError``: `account-merged`; `user-not-found` if the account does not exist or is not in use.
    func inUse(_ id: AccountID) throws -> AccountRecord {
        let found = try accounts.find(id)
        if let found, found.isInUse { return found }
        if let target = found?.mergedInto {
            throw AuthError(.accountMerged(into: target), "the account was merged into another")
        }
        throw AuthError.noSuchAccount
    }
}

extension AccountRecord {
    /// Checks that users may sign in to the account.
    ///
    /// - Throws: ``AuthError``: `user-disabled`.
    func checkUsable() throws(AuthError) {
        guard disabledAt == nil else { throw AuthError(.userDisabled, "the account is disabled") }
    }
}

extension AuthError {
    static var noSuchAccount: AuthError { AuthError(.userNotFound, "the account does not exist") }
}
