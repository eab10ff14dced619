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

/// The steps that read an account as callers see it.
struct AccountReader {
    let accounts: AccountTable
    let identities: IdentityTable
    let passwords: PasswordTable
    let factors: FactorTable
    let emails: EmailOwnership
    let context: TransactionContext

    /// Reads the identities and the second factors of an account.
    ///
    /// - Parameter account: The row of the account, as it is now.
    /// - Returns: The row, and what was read.
    /// - Throws: ``StoreError``
    func facts(of account: AccountRecord) throws(StoreError) -> AccountFacts {
        AccountFacts(
            account: account,
            identities: try identities.of(account.id),
            factors: try factors.confirmed(of: account.id)
        )
    }

    /// Reads an account as callers see it.
    ///
    /// - Parameters:
    ///   - id: The ID of the account.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``AuthError``: `user-not-found`.
    func read(_ id: AccountID, resolvedFrom earlier: AccountID? = nil) throws -> Account {
        guard let account = try accounts.find(id), account.isInUse else { throw AuthError.noSuchAccount }
        return try read(account, resolvedFrom: earlier)
    }

    /// Reads what belongs to an account, and describes it as callers see it.
    ///
    /// - Parameters:
    ///   - account: The row of the account, which is in use.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func read(_ account: AccountRecord, resolvedFrom earlier: AccountID? = nil) throws(StoreError) -> Account {
        try describe(facts(of: account), email: emails.shown(of: account), resolvedFrom: earlier)
    }

    /// Returns an account as callers see it, from its rows.
    ///
    /// - Parameters:
    ///   - facts: The rows of the account.
    ///   - email: The address that the account shows; see ``EmailOwnership/shown(of:)``.
    ///   - earlier: The ID that the caller gave, if that account was merged into this one.
    /// - Returns: The account.
    /// - Throws: ``StoreError``
    func describe(_ facts: AccountFacts, email: String?, resolvedFrom earlier: AccountID? = nil) throws(StoreError)
        -> Account
    {
        let account = facts.account
        let methods = try signInMethods(of: facts.identities)
        var logins: [UserInfo] = []
        // An address without a password is not a login.
        for (identity, method) in zip(facts.identities, methods) where method.obstacle != .withoutPassword {
            logins.append(try UserInfo(identity))
        }
        return Account(
            id: account.id,
            providerData: logins,
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

    /// Returns the sign-in methods of an account, usable or not, in the order of its identities.
    ///
    /// They are computed for each call; their number is not stored.
    func signInMethods(of identities: [IdentityRecord]) throws(StoreError) -> [SignInMethod] {
        var methods: [SignInMethod] = []
        for identity in identities {
            let obstacle = try obstacle(of: identity)
            methods.append(
                SignInMethod(providerID: identity.providerID, uid: identity.subject, obstacle: obstacle)
            )
        }
        return methods
    }

    /// Returns the reason why an identity cannot sign in; nil if it can.
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - isConfigured: Whether its provider is offered; nil to look it up.
    /// - Returns: The reason.
    /// - Throws: ``StoreError``
    func obstacle(of identity: IdentityRecord, isConfigured: Bool? = nil) throws(StoreError) -> SignInMethod.Obstacle? {
        guard isConfigured ?? context.auth.allows(identity.providerID) else { return .notConfigured }
        guard identity.status == IdentityStatus.active.rawValue else { return .revoked }
        guard identity.providerID == .password else { return nil }
        return try passwords.find(identity) == nil ? .withoutPassword : nil
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
