// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Google: personal accounts, and accounts of organizations (Workspace).
    ///
    /// - Tokens carry the issuer with or without the scheme; Google documents both.
    /// - Only the claim `hd` shows that an account belongs to an organization, see ``TokenPolicy/hostedDomain``. The
    ///   domain of the e-mail address does not.
    /// - `email_verified` does not make the address permanently the user's, unless it is a Google address or `hd` is
    ///   present.
    /// - On Android, `azp` is the client ID of the app and `aud` that of the server: add the former to
    ///   ``TokenPolicy/authorizedParties``.
    /// - Every token has a key ID.
    ///
    /// Sources: "Verify the Google ID token on your server side"
    /// (developers.google.com/identity/gsi/web/guides/verify-google-id-token) and "OpenID Connect"
    /// (developers.google.com/identity/openid-connect/openid-connect).
    public static let google = Provider(
        name: "google",
        issuers: ["https://accounts.google.com", "accounts.google.com"],
        keySetURL: "https://www.googleapis.com/oauth2/v3/certs",
        requiresKeyID: true,
        reauthentication: .google
    )
}
