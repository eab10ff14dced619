// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Auth {
    /// Reads the account with an ID, or the account that it was merged into.
    ///
    /// - Parameter id: The ID, however old.
    /// - Returns: The account; ``Account/resolvedFrom`` is the given ID if that account was merged into this one.
    /// - Throws: ``AuthError``: `user-not-found`.
    public func account(_ id: AccountID) async throws(AuthError) -> Account {
        try await read { transaction in
            let found = try transaction.currentAccountID(of: id)
            return try transaction.readAccount(found, resolvedFrom: found == id ? nil : id)
        }
    }

    /// Reads the account of a login.
    ///
    /// - Parameters:
    ///   - providerID: The provider.
    ///   - uid: The provider's identifier of the user: the `sub` of a token, a phone number, an e-mail address.
    /// - Returns: The account.
    /// - Throws: ``AuthError``: `user-not-found`.
    public func account(providerID: ProviderID, uid: String) async throws(AuthError) -> Account {
        try await read { transaction in
            guard let identity = try transaction.findIdentity(providerID, uid) else {
                throw AuthError(.userNotFound, "nobody has this login")
            }
            return try transaction.readAccount(identity.accountID)
        }
    }

    /// Reads the accounts with an e-mail address, for the requests of users that reach an operator.
    ///
    /// - Parameter email: The address.
    /// - Returns: The accounts that have proven the address, show it, or have a password with it; the oldest first.
    /// - Throws: ``AuthError``: `invalid-email`; `store-unavailable`, `conflict-retry`.
    public func accounts(email: String) async throws(AuthError) -> [Account] {
        let address = try Self.address(email)
        return try await read { transaction in
            try transaction.accounts(with: address).map { try transaction.readAccount($0) }
        }
    }

    /// Revokes a login, for example when a callback of the provider says that the user has withdrawn consent.
    ///
    /// The account keeps the login, so that no other account can have it. The login signs in again after an attempt that begins later, in
    /// which the user consents anew. Sessions that were opened with it are closed.
    ///
    /// - Parameters:
    ///   - providerID: The provider.
    ///   - uid: The provider's identifier of the user.
    ///   - date: The time of the revocation, if the provider names it; nil for now. If the user has signed in with the login since, and so
    ///     consented anew, nothing changes.
    /// - Throws: ``AuthError``: `user-not-found` if no account has the login.
    public func revokeIdentity(providerID: ProviderID, uid: String, at date: Date? = nil) async throws(AuthError) {
        try await transaction { transaction in
            transaction.actor = .service
            let identity = try transaction.lockIdentity(providerID, uid)
            try transaction.revoke(identity, at: date.map { min(StoreTime($0), transaction.now) } ?? transaction.now)
        }
    }

    /// Revokes one permission of a login, which stays active.
    ///
    /// - Parameters:
    ///   - permission: The permission.
    ///   - providerID: The provider.
    ///   - uid: The provider's identifier of the user.
    /// - Throws: ``AuthError``: `user-not-found` if no account has the login.
    public func revoke(_ permission: Permission, providerID: ProviderID, uid: String) async throws(AuthError) {
        try await transaction { transaction in
            let identity = try transaction.lockIdentity(providerID, uid)
            var permissions = try identity.granted() ?? GrantedPermissions(granted: [], declined: [])
            guard permissions.decline(permission.rawValue) else { return }
            try transaction.update(
                IdentityRecord.self,
                set: IdentityRecord.Column.permissions.becomes(try JSONText.encode(permissions)),
                where: IdentityRecord.Column.id.equals(identity.id)
            )
            try transaction.record(
                .permissionRevoked,
                account: identity.accountID,
                subject: ["provider": providerID.rawValue, "permission": permission.rawValue]
            )
        }
    }
}

extension Session {
    /// Reads the account of the session, as it is now.
    ///
    /// - Returns: The account.
    /// - Throws: ``AuthError``: `invalid-user-token`, `user-token-expired`, `user-disabled`, `second-factor-required`.
    public func account() async throws(AuthError) -> Account {
        try await auth.read { transaction in
            try transaction.readAccount(transaction.currentSessionAndAccount(self).account)
        }
    }
}

extension AccountTransaction {
    /// The maximum number of merges that an old ID is followed through.
    ///
    /// A merge redirects all earlier IDs at once.
    private static let longestChain = 8

    /// Follows an ID to the account that it has been merged into.
    func currentAccountID(of id: AccountID) throws -> AccountID {
        var current = id
        for _ in 0..<Self.longestChain {
            let found: AccountRecord? = try first(where: AccountRecord.Column.id.equals(current.rawValue))
            guard let next = found?.mergedInto else { return current }
            current = next
        }
        throw StoreError(.damaged, "accounts have become part of each other")
    }

    /// The accounts in use with an address, in the order of their IDs, which begin with the time.
    fileprivate func accounts(with address: EmailAddress) throws -> [AccountID] {
        let written: [AccountRecord] = try all(
            where: AccountRecord.Column.email.equals(address.text),
            AccountRecord.Column.state.equals(AccountState.active.rawValue)
        )
        let claims: [EmailRecord] = try all(where: EmailRecord.Column.email.equals(address.text))
        let named = try findIdentity(.password, address.text).map { [$0.accountID] } ?? []
        let found = Set(written.map(\.id) + claims.map(\.accountID) + named)
        return found.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }

    /// Locks the account of a login, and reads the identity.
    fileprivate func lockIdentity(_ providerID: ProviderID, _ uid: String) throws -> IdentityRecord {
        guard let seen = try findIdentity(providerID, uid) else {
            throw AuthError(.userNotFound, "nobody has this login")
        }
        let account = try lockAccount(seen.accountID)
        guard let identity = try findIdentity(providerID, uid), identity.accountID == account.id else {
            throw StoreError(.busy, "the identity has just left the account")
        }
        return identity
    }

    fileprivate func revoke(_ identity: IdentityRecord, at time: StoreTime) throws {
        guard identity.lastSignInAt <= time, identity.revokedAt.map({ $0 < time }) ?? true else { return }
        try update(
            IdentityRecord.self,
            set: IdentityRecord.Column.status.becomes(IdentityStatus.revoked.rawValue),
            IdentityRecord.Column.revokedAt.becomes(time),
            IdentityRecord.Column.permissions.becomes(nil as String?),
            where: IdentityRecord.Column.id.equals(identity.id)
        )
        try closeSessions(openedWith: identity.id, reason: .unlinked)
        try record(
            .identityRevoked,
            account: identity.accountID,
            subject: ["provider": identity.providerID.rawValue]
        )
    }
}

extension IdentityRecord {
    /// The granted and declined permissions; nil if they were never asked for.
    func granted() throws(StoreError) -> GrantedPermissions? {
        guard let permissions else { return nil }
        return try JSONText.decode(permissions)
    }
}

extension GrantedPermissions {
    /// Declines a permission.
    ///
    /// - Returns: Whether it was not declined before.
    fileprivate mutating func decline(_ name: String) -> Bool {
        let isName = { (other: String) in other.utf8.elementsEqual(name.utf8) }
        let isKnown = declined.contains(where: isName) && !granted.contains(where: isName)
        granted.removeAll(where: isName)
        if !declined.contains(where: isName) { declined.append(name) }
        return !isKnown
    }

    var statuses: PermissionStatuses {
        PermissionStatuses(
            granted: Set(granted.map(Permission.init(rawValue:))),
            declined: Set(declined.map(Permission.init(rawValue:))),
            expired: Set(expired.map(Permission.init(rawValue:)))
        )
    }
}
