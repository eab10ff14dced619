// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What the end of a login must know of its beginning.
struct AttemptContent: Codable {
    /// Who was asked, as whom: the callback of another client's login answers nothing of ours.
    let client: String
    /// Where the browser was to come back, which the exchange names again (RFC 6749 §4.1.3).
    let redirectURL: String
    /// What the token's nonce must be.
    let nonce: String
    /// What the code is tied to; nil where none was asked for.
    let codeVerifier: CodeVerifier?
    /// What was asked for: permissions or scopes.
    let scopes: Set<String>
    /// With Facebook, which of its two logins.
    let tracking: LoginTracking?
    /// How long ago the person may have been authenticated, in seconds; nil where that does not matter.
    let maximumAuthenticationAge: Double?
    /// Where the person goes when it is over.
    let returnTo: String?
    /// Who must log in; nil for anybody.
    let expectedUser: String?
}
