// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
internal import LoginTokens

extension SignInProvider {
    /// Returns Facebook.
    ///
    /// Apps log in with Limited Login and send its ID token, or with tracking and send its access token, which is
    /// accepted where the app has a secret. Its e-mail addresses are never trusted: Facebook does not say whether they
    /// were verified.
    ///
    /// - Parameters:
    ///   - app: The app.
    ///   - permissions: The permissions that browser logins ask for.
    ///   - tracking: Whether Facebook may use browser logins for advertising. Without tracking it answers in the
    ///     fragment, which a page has to post to the server.
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
        // The maximum age that Facebook's own SDK accepts. A token of an app is as young as its attempt, which lasts
        // ten minutes; for policies of verification the token's expiry counts.
        facebook.browserMaximumAge = .seconds(600)
        facebook.ownFlow = flow
        // Without tracking Facebook answers in the fragment, which no page without a script can read.
        facebook.offersBrowserLogin = tracking == .enabled
        facebook.accessTokenInspector = flow
        facebook.impliedPermissions = { AuthenticationTokenClaims($0)?.impliedPermissions }
        return facebook
    }

    /// Returns Facebook, as ``facebook(_:permissions:tracking:)``.
    ///
    /// - Parameters:
    ///   - appID: The app ID: 1 to 20 digits.
    ///   - appSecret: The app secret; nil for a server that was not given it.
    ///   - permissions: The permissions that browser logins ask for.
    ///   - tracking: Whether Facebook may use browser logins for advertising.
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
