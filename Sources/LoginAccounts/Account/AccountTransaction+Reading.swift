// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginProviders

extension AccountTransaction {
    /// The account, as it may be shown.
    ///
    /// - Parameters:
    ///   - id: Which one.
    ///   - earlier: The ID that was asked for, where that account has become part of this one.
    /// - Returns: The account.
    /// - Throws: ``AuthError``: `user-not-found`.
    func readAccount(_ id: AccountID, resolvedFrom earlier: AccountID? = nil) throws -> Account {
        let found: AccountRecord? = try first(where: AccountRecord.Column.id.equals(id.rawValue))
        guard let account = found, account.state == AccountState.active.rawValue else {
            throw AuthError(.userNotFound, "there is no such account")
        }
        let methods = try signInMethods(of: id)
        return Account(
            id: account.id,
            // An address without a password, and nothing else, is no login of the person's.
            providerData: try zip(identities(of: id), methods).filter { $1.obstacle != .withoutPassword }.map {
                try UserInfo($0.0)
            },
            isAnonymous: account.isAnonymous,
            isDisabled: account.disabledAt != nil,
            email: try shownEmail(of: account),
            isEmailVerified: account.emailVerified,
            displayName: account.displayName,
            photoURL: account.photoURL,
            signInMethods: methods,
            enrolledFactors: try confirmedFactors(of: id).compactMap(MultiFactorInfo.init),
            createdAt: account.createdAt.date,
            lastSignInAt: account.lastSignInAt?.date,
            resolvedFrom: earlier
        )
    }

    /// Makes an account, which is locked from its beginning: nobody else sees it yet.
    ///
    /// - Parameters:
    ///   - isAnonymous: Whether nobody has said yet whose it is.
    ///   - provider: Of which provider its first login is.
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
