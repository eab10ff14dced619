// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Session {
    /// Returns the stored identity of the login that opened the session.
    ///
    /// It has the claims and the permissions of the latest sign-in, without the provider's tokens, and those of earlier
    /// sign-ins that the latest did not request. For a login at Facebook, `LimitedLogin` adds the `profile`.
    ///
    /// It reads one row, and the session is not read again.
    ///
    /// - Returns: The identity; nil if ``AuthPolicy/storesProfiles`` is false or was false at that sign-in, if the
    ///   session was not opened with a provider, if the login was unlinked or revoked, or if the encryption key was
    ///   removed.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func storedIdentity() async throws(AuthError) -> VerifiedIdentity? {
        guard auth.policy.storesProfiles, let identityID else { return nil }
        return try await auth.read { transaction -> VerifiedIdentity? in
            guard let login = try transaction.tables.identities.find(identityID, of: accountID) else { return nil }
            return try StoredIdentity.identity(of: login, by: auth.secrets)
        }
    }

    /// Returns the stored identities of all logins of the account, with the user ID of each; see ``storedIdentity()``.
    package func storedIdentities() async throws(AuthError) -> [(uid: String, identity: VerifiedIdentity)] {
        guard auth.policy.storesProfiles else { return [] }
        return try await auth.read { transaction in
            let logins = try transaction.tables.identities.of(accountID)
            return try logins.compactMap { login in
                try StoredIdentity.identity(of: login, by: auth.secrets).map { (login.subject, $0) }
            }
        }
    }
}
