// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension LoginSuccess {
    /// The ID token with the user's profile; nil for a login at another provider.
    public var authenticationToken: AuthenticationToken? {
        AuthenticationTokenClaims(token).map { AuthenticationToken(tokenString: idToken, claims: $0) }
    }

    /// The access token of a login with tracking; nil for any other login.
    ///
    /// Facebook has accepted it during the login. Its `dataAccessExpirationDate` is nil where the end is unknown: there is none, or
    /// Facebook was not asked, as where the app has no secret.
    public var accessToken: AccessToken? { details as? AccessToken }

    /// What the user shared with the app; nil for a login at another provider.
    public var profile: Profile? { authenticationToken?.profile }
}

extension LoginSuccess.PermissionSource {
    /// Facebook's Graph API, asked during the login.
    public static let graph = Self("graph")
}
