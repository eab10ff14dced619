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
            let found = try transaction.directory.current(id)
            return try transaction.reader.read(found, resolvedFrom: found == id ? nil : id)
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
            guard let identity = try transaction.identities.find(providerID, uid) else {
                throw AuthError(.userNotFound, "no account has this login")
            }
            return try transaction.reader.read(identity.accountID)
        }
    }

    /// Reads the accounts with an e-mail address, for the requests of users that reach an operator.
    ///
    /// - Parameter email: The address.
    /// - Returns: The accounts that have verified the address, show it, or have a password with it; the oldest first.
    ///   Of those that have verified it, and of those that only show it, the oldest 1,000.
    /// - Throws: ``AuthError``: `invalid-email`; `store-unavailable`, `conflict-retry`.
    public func accounts(email: String) async throws(AuthError) -> [Account] {
        let address = try Self.address(email)
        return try await read { transaction in
            try transaction.directory.accounts(with: address).map { try transaction.reader.read($0) }
        }
    }

    /// Revokes a login, for example after a callback of the provider reports that the user has withdrawn consent.
    ///
    /// The account keeps the login, so that no other account can get it. The login can sign in again after an attempt
    /// that begins later, in which the user consents again. Sessions that were opened with it are closed.
    ///
    /// - Parameters:
    ///   - providerID: The provider.
    ///   - uid: The provider's identifier of the user.
    ///   - date: The time of the revocation, if the provider reports it; nil for now. If the user has signed in with
    ///     the login since then, and so has consented again, nothing changes.
    /// - Throws: ``AuthError``: `user-not-found` if no account has the login.
    public func revokeIdentity(providerID: ProviderID, uid: String, at date: Date? = nil) async throws(AuthError) {
        try await transaction { transaction in
            transaction.context.actor = .service
            try transaction.revocations.store(
                Revocation(provider: providerID, uid: uid),
                at: date.map { StoreTime($0) }
            )
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
            try transaction.revocations.store(Revocation(provider: providerID, uid: uid, permission: permission))
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
            try transaction.reader.read(transaction.sessions.currentWithAccount(self).account)
        }
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
    /// Returns whether a permission is granted, declined or expired.
    func contains(_ name: String) -> Bool {
        (granted + declined + expired).contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// Declines a permission.
    ///
    /// - Returns: Whether this changed the permissions.
    mutating func decline(_ name: String) -> Bool {
        let isName = { (other: String) in other.utf8.elementsEqual(name.utf8) }
        let isKnown = declined.contains(where: isName) && !granted.contains(where: isName)
        granted.removeAll(where: isName)
        expired.removeAll(where: isName)
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
