// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// The way a provider reauthenticates a user on request, and whether its tokens prove it.
    ///
    /// | provider | parameters of the authorization request | `auth_time` |
    /// | --- | --- | --- |
    /// | ``openID`` | `prompt=login`, `max_age` | optional |
    /// | ``microsoft`` | `prompt=login`, `max_age` | optional |
    /// | ``google`` | `prompt=select_account` | ignored |
    /// | ``facebook`` | `auth_type=reauthenticate` | ignored |
    /// | ``apple`` | none | ignored |
    ///
    /// A login without a usable `auth_time` is weaker evidence: it shows that the provider returned a token, not that
    /// it asked for the password. Such a login counts for five minutes from the start of its attempt.
    public struct Reauthentication: Sendable, Hashable {
        /// The use of an ID token's `auth_time` claim.
        public enum AuthenticationTime: String, Sendable, Hashable, CaseIterable {
            /// The token of a reauthentication must have the claim, and the time must be recent.
            ///
            /// For providers that follow OpenID Connect Core §3.1.2.1 in full. An attacker cannot avoid the password
            /// prompt by removing parameters from the authorization request.
            case required
            /// The claim is used if the token has it; otherwise the age of the login attempt is used.
            case optional
            /// The claim is ignored: the provider does not document it, or cannot renew it on request.
            ///
            /// The age of the login attempt is used instead.
            case ignored
        }

        /// The parameters to add to the authorization request, by name.
        public var parameters: [String: String]

        /// Whether `max_age` is sent.
        public var sendsMaximumAge: Bool

        /// The use of the claim `auth_time`.
        public var authenticationTime: AuthenticationTime

        /// Creates the description of a provider's reauthentication.
        ///
        /// - Parameters:
        ///   - parameters: The parameters to add to the authorization request, by name.
        ///   - sendsMaximumAge: Whether `max_age` is sent.
        ///   - authenticationTime: The use of the claim `auth_time`.
        public init(
            parameters: [String: String],
            sendsMaximumAge: Bool,
            authenticationTime: AuthenticationTime
        ) {
            self.parameters = parameters
            self.sendsMaximumAge = sendsMaximumAge
            self.authenticationTime = authenticationTime
        }

        /// Any OpenID provider.
        ///
        /// With `max_age`, the provider must reauthenticate the user if the last authentication is older, and must
        /// return `auth_time`. With `prompt=login`, it should reauthenticate the user in any case. Not every provider
        /// does, so the claim is optional. Set ``authenticationTime`` to ``AuthenticationTime/required`` for a provider
        /// that does, and to ``AuthenticationTime/ignored`` for one that always reports the start of its own session.
        ///
        /// Source: OpenID Connect Core 1.0 §3.1.2.1 and §2 (openid.net/specs/openid-connect-core-1_0.html).
        public static let openID = Self(
            parameters: ["prompt": "login"],
            sendsMaximumAge: true,
            authenticationTime: .optional
        )

        /// Microsoft's identity platform.
        ///
        /// `prompt=login` makes the user enter the credentials. `auth_time` is an optional claim, which must be added
        /// to the ID token in the app registration; if it is, prefer ``AuthenticationTime/required``.
        ///
        /// Sources: "OpenID Connect on the Microsoft identity platform"
        /// (learn.microsoft.com/entra/identity-platform/v2-protocols-oidc), "Optional claims reference"
        /// (learn.microsoft.com/entra/identity-platform/optional-claims-reference), and for `max_age` MSAL for Python
        /// 1.15 (learn.microsoft.com/python/api/msal).
        public static let microsoft = openID

        /// Google.
        ///
        /// Google does not reauthenticate users on request: it documents the prompts `none`, `consent` and
        /// `select_account`, and no `max_age`. The user must at least choose the account. `auth_time`, which verified
        /// apps can enable, is the start of the user's session at Google. It may be months old, and the app cannot
        /// renew it, so it is ignored.
        ///
        /// Sources: "Security bundle" (developers.google.com/identity/siwg/security-bundle) and "OpenID Connect"
        /// (developers.google.com/identity/openid-connect/openid-connect#authenticationuriparameters).
        public static let google = Self(
            parameters: ["prompt": "select_account"],
            sendsMaximumAge: false,
            authenticationTime: .ignored
        )

        /// Apple.
        ///
        /// The authorization endpoint has no parameter for reauthentication, and `auth_time` is not among the
        /// documented claims.
        ///
        /// Sources: "Request an authorization to the Sign in with Apple server"
        /// (developer.apple.com/documentation/signinwithapplerestapi/request-an-authorization-to-the-sign-in-with-apple-server.)
        /// and "Authenticating users with Sign in with Apple"
        /// (developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple).
        public static let apple = Self(parameters: [:], sendsMaximumAge: false, authenticationTime: .ignored)

        /// Facebook, in browsers.
        ///
        /// `auth_type=reauthenticate` asks for the password. The SDKs for iOS and Android do not support it, and
        /// `auth_time` is not among the documented claims.
        ///
        /// Sources: "Re-authentication" (developers.facebook.com/docs/facebook-login/guides/advanced/re-authentication)
        /// and "Validating the OIDC Token"
        /// (developers.facebook.com/docs/facebook-login/limited-login/token/validating).
        public static let facebook = Self(
            parameters: ["auth_type": "reauthenticate"],
            sendsMaximumAge: false,
            authenticationTime: .ignored
        )
    }
}
