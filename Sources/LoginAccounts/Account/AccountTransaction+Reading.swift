// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

/// The rows that describe an account.
///
/// A transaction reads them once, after it has locked the account where it writes, and passes them on.
struct AccountFacts {
    /// The row of the account.
    var account: AccountRecord

    /// The identities, in the order in which they were linked.
    var identities: [IdentityRecord]

    /// The confirmed second factors, in the order in which they were enrolled.
    let factors: [FactorRecord]
}

extension AccountTransaction {
    /// Reads the identities and the second factors of an account.
    ///
    /// - Parameter account: The row of the account, as it is now.
    /// - Returns: The row, and what was read.
    /// - Throws: ``StoreError``
    func facts(of account: AccountRecord) throws -> AccountFacts {
        AccountFacts(
            account: account,
            identities: try identities(of: account.id),
            factors: try confirmedFactors(of: account.id)
        )
    }

    /// Reads an account as callers see it.
    ///
    /// - Parameters:
    ///   - id: The ID of the account.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``AuthError``: `user-not-found`.
    func readAccount(_ id: AccountID, resolvedFrom earlier: AccountID? = nil) throws -> Account {
        let found: AccountRecord? = try first(where: AccountRecord.Column.id.equals(id.rawValue))
        guard let account = found, account.isInUse else {
            throw AuthError(.userNotFound, "there is no such account")
        }
        return try readAccount(account, resolvedFrom: earlier)
    }

    /// Reads what belongs to an account, and describes it as callers see it.
    ///
    /// - Parameters:
    ///   - account: The row of the account, which is in use.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func readAccount(_ account: AccountRecord, resolvedFrom earlier: AccountID? = nil) throws -> Account {
        try describe(facts(of: account), email: shownEmail(of: account), resolvedFrom: earlier)
    }

    /// Describes an account as callers see it.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account.
    ///   - email: The address that the account shows; see ``shownEmail(of:)``.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func describe(_ facts: AccountFacts, email: String?, resolvedFrom earlier: AccountID? = nil) throws -> Account {
        let account = facts.account
        let methods = try signInMethods(of: facts.identities)
        return Account(
            id: account.id,
            // An address without a password is not a login.
            providerData: try zip(facts.identities, methods).filter { $1.obstacle != .withoutPassword }.map {
                try UserInfo($0.0)
            },
            isAnonymous: account.isAnonymous,
            isDisabled: account.disabledAt != nil,
            email: email,
            isEmailVerified: account.emailVerified,
            displayName: account.displayName,
            photoURL: account.photoURL,
            signInMethods: methods,
            enrolledFactors: facts.factors.compactMap(MultiFactorInfo.init),
            createdAt: account.createdAt.date,
            lastSignInAt: account.lastSignInAt?.date,
            resolvedFrom: earlier
        )
    }

    /// Creates an account.
    ///
    /// No other transaction sees it before this one ends, so it counts as locked.
    ///
    /// - Parameters:
    ///   - isAnonymous: Whether it has no login yet.
    ///   - provider: The provider of its first login.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func makeAccount(isAnonymous: Bool, by provider: ProviderID? = nil) throws -> AccountRecord {
        let account = AccountRecord(
            id: AccountID(rawValue: makeID()),
            isAnonymous: isAnonymous,
            createdAt: now,
            updatedAt: now
        )
        try add(account)
        try record(
            .accountCreated,
            account: account.id,
            subject: provider.map { ["provider": $0.rawValue] } ?? [:]
        )
        return account
    }
}

extension UserInfo {
    init(_ identity: IdentityRecord) throws(StoreError) {
        providerID = identity.providerID
        uid = identity.subject
        email = identity.email
        isEmailVerified = identity.emailVerified
        displayName = identity.displayName
        photoURL = identity.photoURL
        phoneNumber = identity.phoneNumber
        permissions = try identity.granted()?.statuses
        linkedAt = identity.linkedAt.date
        lastSignInAt = identity.lastSignInAt.date
    }
}
