// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

/// A request for Facebook's dialog.
struct FacebookRequest: LoginRequestContent {
    let configuration: LoginConfiguration

    var description: String { "login at Facebook, tracking \(configuration.tracking.rawValue)" }
}

extension LoginRequest {
    /// Returns a request for a login at Facebook.
    ///
    /// - Parameters:
    ///   - permissions: The requested permissions, as in a ``LoginConfiguration``. `openid` is added.
    ///   - tracking: Whether Facebook may use the login for advertising. It has no default: without tracking you get an
    ///     ID token, with tracking an access token too.
    ///   - authType: The repeated request to a user who has logged in before.
    ///   - messengerPageID: The ID of the page that the user is asked to contact by Messenger; at most 256 bytes.
    /// - Returns: The request.
    /// - Throws: ``LoginConfigurationError``
    public static func facebook(
        permissions: Set<Permission> = [],
        tracking: LoginTracking,
        authType: LoginAuthType? = .rerequest,
        messengerPageID: String? = nil
    ) throws(LoginConfigurationError) -> Self {
        let configuration = try LoginConfiguration(
            validating: permissions,
            tracking: tracking,
            messengerPageID: messengerPageID,
            authType: authType
        )
        return Self(
            content: FacebookRequest(configuration: configuration),
            responseMode: tracking == .limited ? .fragment : .query
        )
    }

    /// Returns a request for a further login at Facebook, for permissions that the user declined before.
    ///
    /// Facebook's dialog skips declined permissions, unless it is told to ask again. Explain the purpose to the user
    /// first.
    ///
    /// - Parameters:
    ///   - permissions: The declined permissions, for example from `VerifiedIdentity.permissions`.
    ///   - tracking: Whether Facebook may use the login for advertising.
    /// - Returns: The request.
    /// - Throws: ``LoginConfigurationError``
    public static func rerequesting(
        _ permissions: Set<Permission>,
        tracking: LoginTracking
    ) throws(LoginConfigurationError) -> Self {
        try facebook(permissions: permissions, tracking: tracking, authType: .rerequest)
    }
}
