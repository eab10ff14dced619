// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginProviders

/// Browser logins that change permissions.
extension BrowserLogin {
    /// Returns the authorization request for a permission; nil for any other change.
    ///
    /// - Throws: `LoginManagerError` if the provider has no permissions.
    func request(for change: PermissionChange?, to provider: SignInProvider) throws(LoginManagerError) -> LoginRequest?
    {
        guard case .request(let permission)? = change else { return nil }
        guard let manager = provider.permissionManager else { throw LoginManagerError.otherProvider }
        return try manager.requesting(permission, like: provider.request)
    }

    /// Makes a change with the tokens of a login, which are not stored.
    ///
    /// A revocation requires that the provider has authenticated the user again.
    func make(
        _ change: PermissionChange,
        with login: LoginSuccess,
        in session: Session,
        from origin: RequestOrigin
    ) async throws(AuthError) -> Outcome {
        let credential = AuthCredential.identity(login.identity)
        let result: AuthDataResult
        switch change {
        case .request(let permission):
            result = try await session.reauthenticate(with: credential, requesting: [permission], from: origin)
        case .revoke(let permission):
            result = try await session.reauthenticate(with: credential, from: origin)
            try await result.session.revoke(permission, of: login.identity, idToken: login.idToken)
        case .revokeAll:
            result = try await session.reauthenticate(with: credential, from: origin)
            try await result.session.revoke(nil, of: login.identity, idToken: login.idToken)
        }
        return .permissionsChanged(change, result, returnTo: login.returnTo)
    }
}
#endif
