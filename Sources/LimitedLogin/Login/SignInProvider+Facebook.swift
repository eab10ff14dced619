// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension SignInProvider {
    /// Returns Facebook as a provider.
    ///
    /// Apps log in with Limited Login and send its ID token, or with tracking and send its access token, which is
    /// accepted if the app has a secret. The e-mail addresses are never trusted: Facebook does not state whether they
    /// were verified.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - permissions: The permissions that logins request: in browsers, and in apps that use the configuration of
    ///     their attempt.
    ///   - tracking: Whether Facebook may use these logins for advertising. Without tracking it responds to browsers in
    ///     the fragment, which a page must post to the server; the pages of `LoginPages` do so.
    /// - Returns: The provider.
    /// - Throws: ``LoginConfigurationError``
    public static func facebook(
        _ app: FacebookApp,
        permissions: Set<Permission> = [.email],
        tracking: LoginTracking
    ) throws(LoginConfigurationError) -> Self {
        var facebook = Self(
            .facebook,
            provider: .facebook,
            displayName: "Facebook",
            clientID: app.id,
            authentication: .none,
            request: try .facebook(permissions: permissions, tracking: tracking)
        )
        let flow = FacebookFlow(app: app)
        // The maximum age that Facebook's own SDK accepts. Tokens of apps are as young as their attempt, which lasts
        // ten minutes. For verification policies, the token's expiry applies.
        facebook.browserMaximumAge = .seconds(600)
        facebook.ownFlow = flow
        facebook.accessTokenInspector = flow
        facebook.permissionManager = flow
        facebook.permissionsByClaim = Permission.byClaim
        facebook.profile = { $0.profile }
        facebook.appConfiguration = { request, nonce in
            (request.content as? FacebookRequest)?.configuration.forAnotherLogin(nonce: nonce)
        }
        return facebook
    }

    /// Returns Facebook as a provider, like ``facebook(_:permissions:tracking:)``.
    ///
    /// - Parameters:
    ///   - appID: The app ID: 1 to 20 digits.
    ///   - appSecret: The app secret; nil for a server without it, which accepts no access tokens and cannot revoke a
    ///     single permission after a Limited Login.
    ///   - permissions: The permissions that logins request.
    ///   - tracking: Whether Facebook may use logins for advertising.
    /// - Returns: The provider.
    /// - Throws: ``FacebookAppError``, ``LoginConfigurationError``
    public static func facebook(
        appID: String,
        appSecret: String? = nil,
        permissions: Set<Permission> = [.email],
        tracking: LoginTracking
    ) throws -> Self {
        try facebook(FacebookApp(id: appID, secret: appSecret), permissions: permissions, tracking: tracking)
    }
}
