// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// Google: accounts of one's own, and those of organizations (Workspace).
    ///
    /// - Its tokens carry the issuer with or without the scheme; Google documents both.
    /// - Whether an account belongs to an organization is said by the claim `hd` alone, see ``TokenPolicy/hostedDomain``. The end of
    ///   the e-mail address does not say it.
    /// - `email_verified` does not make the address the person's for ever, unless the address is Google's or `hd` is there.
    /// - On Android `azp` is the app's client ID and `aud` that of the server: list the first in
    ///   ``TokenPolicy/authorizedParties``.
    /// - Every token names its key.
    ///
    /// Sources: "Verify the Google ID token on your server side" (developers.google.com/identity/gsi/web/guides/verify-google-id-token)
    /// and "OpenID Connect" (developers.google.com/identity/openid-connect/openid-connect).
    public static let google = Provider(
        name: "google",
        issuers: ["https://accounts.google.com", "accounts.google.com"],
        keySetURL: "https://www.googleapis.com/oauth2/v3/certs",
        requiresKeyID: true,
        reauthentication: .google
    )
}
