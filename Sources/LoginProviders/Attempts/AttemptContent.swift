// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// The parameters of an authorization request that the callback needs.
///
/// They are stored in the attempt, encrypted with a key that is derived from its secret.
package struct AttemptContent: Codable, Sendable {
    /// The client registration.
    ///
    /// The callback of another client's login does not match the attempt.
    let client: String
    /// The redirect URI, which the token request repeats (RFC 6749 §4.1.3).
    package let redirectURL: String
    /// The requested scopes or permissions.
    package let scopes: Set<String>
    /// The variant of the provider's flow; nil for a flow with one variant.
    package let variant: String?
    /// The maximum age of the user's authentication, in seconds; nil for any.
    let maximumAuthenticationAge: Double?
    /// The path for the browser after the login.
    package let returnTo: String?
    /// The subject that must log in; nil for any.
    let expectedUser: String?
}
