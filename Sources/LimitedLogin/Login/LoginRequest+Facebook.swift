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
    /// With the default `authType`, it also requests permissions that the user declined before, which Facebook's dialog
    /// otherwise skips.
    ///
    /// - Parameters:
    ///   - permissions: The requested permissions, as in a ``LoginConfiguration``. `openid` is added.
    ///   - tracking: Whether Facebook may use the login for advertising. It has no default: without tracking you get an
    ///     ID token, with tracking an access token too.
    ///   - authType: The repeated request to a user who has logged in before.
    ///   - messengerPageID: The ID of the page that the user is asked to contact by Messenger; at most 256 bytes. The
    ///     authorization request has it as `messenger_page_id`.
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
}
