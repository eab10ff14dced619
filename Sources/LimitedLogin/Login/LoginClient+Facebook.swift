// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders

extension LoginClient {
    /// Returns a client of Facebook, for both of its logins: with tracking and without.
    ///
    /// - Parameter app: The app. Without its secret, a code is protected by PKCE alone.
    /// - Returns: The client.
    public static func facebook(_ app: FacebookApp) -> Self { Self(flow: FacebookFlow(app: app)) }
}
