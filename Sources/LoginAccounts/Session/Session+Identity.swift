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
    ///   session was not opened with a provider, if the login was unlinked or revoked, if the encryption key was
    ///   removed, or if the stored identity is damaged.
    /// - Throws: ``AuthError``: `store-unavailable`, `conflict-retry`.
    public func storedIdentity() async throws(AuthError) -> VerifiedIdentity? {
        guard auth.policy.storesProfiles, let identityID else { return nil }
        return try await auth.read { transaction -> VerifiedIdentity? in
            guard let login = try transaction.tables.identities.find(identityID, of: accountID) else { return nil }
            return StoredIdentity.identity(of: login, by: auth.secrets)
        }
    }

    /// Reads the account of the session, and the stored identities of its logins with the user ID of each; see
    /// ``account()`` and ``storedIdentity()``.
    package func accountWithIdentities() async throws(AuthError) -> (
        account: Account, stored: [(uid: String, identity: VerifiedIdentity)]
    ) {
        try await auth.read { transaction in
            let record = try transaction.sessions.currentWithAccount(self).account
            let facts = try transaction.reader.facts(of: record)
            let account = try transaction.reader.describe(facts, email: transaction.emails.shown(of: record))
            var stored: [(uid: String, identity: VerifiedIdentity)] = []
            for login in facts.identities where auth.policy.storesProfiles {
                guard let identity = StoredIdentity.identity(of: login, by: auth.secrets) else { continue }
                stored.append((login.subject, identity))
            }
            return (account: account, stored: stored)
        }
    }
}
