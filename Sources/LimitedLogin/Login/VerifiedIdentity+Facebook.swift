// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension VerifiedIdentity {
    /// What the user shared with the app; nil for an identity at another provider.
    ///
    /// It comes from the claims of the ID token, or from the Graph API where an access token proved the identity. A
    /// profile from the Graph API is nil after a second factor or a conflict.
    public var profile: Profile? {
        guard providerID == .facebook else { return nil }
        if let token { return token.profile }
        return claims.map { Profile(AuthenticationTokenClaims($0)) } ?? grant?.profile
    }

    /// The access token of a login with tracking; nil for any other login, or once the identity has waited.
    ///
    /// Facebook has accepted it during the login. Its `dataAccessExpirationDate` is nil where the end is unknown: there
    /// is none, or Facebook was not asked, as where the app has no secret.
    public var accessToken: AccessToken? { grant?.accessToken }

    private var grant: FacebookGrant? { details as? FacebookGrant }
}

/// What Facebook's Graph API said during a login.
struct FacebookGrant: Sendable {
    /// The access token, with its permissions.
    let accessToken: AccessToken
    /// The profile; nil where the ID token has it.
    let profile: Profile?
}

extension LoginSuccess {
    /// The ID token with the user's profile; nil for a login at another provider.
    public var authenticationToken: AuthenticationToken? {
        identity.token.flatMap { AuthenticationToken(tokenString: idToken, $0) }
    }

    /// What the user shared with the app; nil for a login at another provider.
    public var profile: Profile? { identity.profile }
}
