// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Session {
    /// Returns the identity that the provider reported at the latest sign-in with the login that opened the session.
    ///
    /// It has the claims and the permissions of that sign-in, without the provider's tokens. For a login at Facebook,
    /// `LimitedLogin` adds the `profile`.
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
}
