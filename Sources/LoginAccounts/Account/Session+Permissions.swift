// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension Session {
    /// Revokes a permission of one of the account's logins, or the whole login, at its provider.
    ///
    /// The provider is called with the user's access token, which is never stored. Afterwards the permission is stored
    /// as declined, if logins request it or the provider has reported it. A login that was revoked as a whole stays
    /// with the account, and signs in again after the user has consented anew; the other sessions that it opened are
    /// closed.
    ///
    /// ```swift
    /// try await session.revoke(.userFriends, at: .facebook, accessToken: token)
    /// ```
    ///
    /// - Parameters:
    ///   - permission: The permission; nil for the whole login.
    ///   - providerID: The provider.
    ///   - accessToken: An access token of the user's login at the provider. It may have been used to sign in.
    /// - Throws: ``AuthError``: `invalid-credential` for a token that is invalid, expired, or another app's;
    ///   `user-mismatch` if it belongs to a login that is not the account's; `operation-not-allowed` if the provider
    ///   has no permissions, or the permission cannot be revoked on its own; `second-factor-required` if the account
    ///   has a second factor that this session has not seen; `provider-unavailable` if the provider does not confirm
    ///   the revocation, and then the stored login is unchanged; others if the session is not open.
    public func revoke(_ permission: Permission?, at providerID: ProviderID, accessToken: String)
        async throws(AuthError)
    {
        let token = try await auth.inspect(accessToken, at: auth.configured(providerID).provider)
        try await revoke(permission, of: VerifiedIdentity(providerID: providerID, token), idToken: nil)
    }

    /// Revokes a permission of one of the account's logins, or the whole login, at its provider.
    ///
    /// - Parameters:
    ///   - permission: The permission; nil for the whole login.
    ///   - identity: The identity that the user has just proven.
    ///   - idToken: The ID token that proved it; nil if an access token did.
    /// - Throws: The errors of ``revoke(_:at:accessToken:)``.
    package func revoke(_ permission: Permission?, of identity: VerifiedIdentity, idToken: String?)
        async throws(AuthError)
    {
        let provider = try auth.configured(identity.providerID).provider
        guard let manager = provider.permissionManager else {
            throw AuthError(.operationNotAllowed, "the provider has no permissions", provider: provider.id)
        }
        if let permission, manager.basicPermissions.contains(permission) {
            let detail = "the permission is part of every login, and cannot be revoked on its own"
            throw AuthError(.operationNotAllowed, detail, provider: provider.id)
        }
        let requested = manager.permissions(of: provider.request)
        let revocation = Revocation(provider: provider.id, uid: identity.subject, permission: permission)
        try await auth.transaction { transaction in
            let held = try transaction.held.hold(self)
            try transaction.held.requireAllFactors(held)
            try transaction.revocations.begin(revocation, in: held)
        }
        do throws(AccessTokenFailure) {
            try await manager.revoke(
                permission,
                of: identity,
                idToken: idToken,
                transport: auth.providers.transport,
                clock: auth.clock,
                within: Auth.accessTokenTime
            )
        } catch {
            // A provider that did not respond may have revoked the login, and may still report it.
            if error.kind != .unavailable { await cancel(revocation) }
            throw AuthError(error, from: provider.id)
        }
        try await auth.transaction { transaction in
            let held = try transaction.held.hold(self)
            try transaction.revocations.complete(revocation, requested: requested, in: held)
        }
    }

    /// Ends a revocation that the provider has refused.
    ///
    /// If the store fails, the session counts as revoking its login until the time that was set at the beginning.
    private func cancel(_ revocation: Revocation) async {
        try? await auth.transaction { transaction in
            let held = try transaction.held.hold(self)
            try transaction.revocations.cancel(revocation, in: held)
        }
    }
}
