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

    /// Stores a sign-in, and takes over the name and the picture of its login, as
    /// ``AccountRecord/adoptNameAndPicture(of:among:)`` permits.
    ///
    /// - Returns: The account as it is now.
    /// - Throws: ``StoreError``
    func recordSignIn(to facts: AccountFacts, with identity: IdentityRecord) throws(StoreError) -> AccountRecord {
        var changed = facts.account
        changed.lastSignInAt = context.now
        changed.adoptNameAndPicture(of: identity, among: facts.identities)
        return try accounts.save(changed, from: facts.account)
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
    /// Takes over the name and the picture of a login that has just been used.
    ///
    /// Each replaces the account's own if there is none, if it came from the same login, or if it came from a login
    /// that the account no longer has. What the user has chosen stays, and so does what another login gives.
    ///
    /// - Parameters:
    ///   - identity: The login.
    ///   - logins: The logins of the account.
    mutating func adoptNameAndPicture(of identity: IdentityRecord, among logins: [IdentityRecord]) {
        func yields(_ value: String?, from source: String?) -> Bool {
            guard value != nil else { return true }
            return source.map { id in id == identity.id || !logins.contains { $0.id == id } } ?? false
        }
        if let name = identity.displayName, yields(displayName, from: displayNameSource) {
            (displayName, displayNameSource) = (name, identity.id)
        }
        if let photo = identity.photoURL, yields(photoURL, from: photoSource) {
            (photoURL, photoSource) = (photo, identity.id)
        }
    }

    /// Removes the name and the picture that came from a login, unless the login still has them.
    ///
    /// - Parameters:
    ///   - id: The ID of the login.
    ///   - login: The login as it is now; nil if it was removed.
    mutating func clearNameAndPicture(from id: String, with login: IdentityRecord? = nil) {
        if displayNameSource == id, login?.displayName == nil { (displayName, displayNameSource) = (nil, nil) }
        if photoSource == id, login?.photoURL == nil { (photoURL, photoSource) = (nil, nil) }
    }

    /// Removes the name and the picture.
    mutating func clearNameAndPicture() {
        (displayName, displayNameSource) = (nil, nil)
        (photoURL, photoSource) = (nil, nil)
    }

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
