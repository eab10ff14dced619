// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension VerifiedIdentity {
    /// The user's profile; nil for an identity at another provider.
    ///
    /// It comes from the claims of the ID token, or from the Graph API if an access token proved the identity. A
    /// profile from the Graph API is not stored, so it is nil for a stored identity.
    public var profile: Profile? {
        guard providerID == .facebook else { return nil }
        let read =
            if let token { AuthenticationTokenClaims(token) } else { claims.map { AuthenticationTokenClaims($0) } }
        guard let read else { return grant?.profile }
        // Facebook is asked for permissions after a login with tracking only.
        let isLimited = permissionSource != .provider
        return Profile(read, permissions: permissions?.granted, isLimited: isLimited)
    }

    /// The access token of a login with tracking; nil for any other login, and for a stored identity.
    ///
    /// Facebook accepted it during the login. Its `dataAccessExpirationDate` is nil if there is none, or if Facebook
    /// was not asked, for example because the app has no secret.
    public var accessToken: AccessToken? { grant?.accessToken }

    private var grant: FacebookGrant? { details as? FacebookGrant }
}

/// The Graph API's data about the user of a login.
struct FacebookGrant: Sendable {
    /// The access token, with its permissions.
    let accessToken: AccessToken
    /// The profile; nil if the ID token has it.
    let profile: Profile?
}

extension LoginSuccess {
    /// The ID token with the user's profile; nil for a login at another provider.
    public var authenticationToken: AuthenticationToken? {
        identity.token.flatMap { AuthenticationToken(tokenString: idToken, $0) }
    }

    /// The user's profile; nil for a login at another provider.
    public var profile: Profile? { identity.profile }
}
