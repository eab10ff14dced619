// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

extension Provider {
    /// How a provider authenticates a user again on request, and whether its tokens prove it.
    ///
    /// | provider | parameters of the authorization request | `auth_time` |
    /// | --- | --- | --- |
    /// | ``openID`` | `prompt=login`, `max_age` | optional |
    /// | ``microsoft`` | `prompt=login`, `max_age` | optional |
    /// | ``google`` | `prompt=select_account` | ignored |
    /// | ``facebook`` | `auth_type=reauthenticate` | ignored |
    /// | ``apple`` | none | ignored |
    ///
    /// A login without a usable `auth_time` is weaker evidence: it shows that the provider answered, not that it asked for the
    /// password. Such a login counts for five minutes from the beginning of its attempt.
    public struct Reauthentication: Sendable, Hashable {
        /// How the claim `auth_time` of an ID token is used.
        public enum AuthenticationTime: String, Sendable, Hashable, CaseIterable {
            /// The token of a reauthentication must have the claim, and the time must be recent.
            ///
            /// For providers that follow OpenID Connect Core §3.1.2.1 in full. Nobody can avoid the password prompt by removing
            /// parameters from the authorization request.
            case required
            /// The claim counts where the token has it. Where it does not, the age of the login attempt counts.
            case optional
            /// The claim does not count: the provider documents none, or cannot renew it on request. The age of the login attempt
            /// counts.
            case ignored
        }

        /// The parameters that are added to the authorization request, by name.
        public var parameters: [String: String]

        /// Whether `max_age` is sent.
        public var sendsMaximumAge: Bool

        /// How the claim `auth_time` is used.
        public var authenticationTime: AuthenticationTime

        /// Creates a description of a provider.
        ///
        /// - Parameters:
        ///   - parameters: The parameters that are added to the authorization request, by name.
        ///   - sendsMaximumAge: Whether `max_age` is sent.
        ///   - authenticationTime: How the claim `auth_time` is used.
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
        /// With `max_age` the provider must authenticate the user where the last authentication is older, and must return
        /// `auth_time`; with `prompt=login` it should authenticate the user in any case. Not every provider does, so the claim is
        /// optional. Set ``authenticationTime`` to ``AuthenticationTime/required`` for one that does, and to
        /// ``AuthenticationTime/ignored`` for one that always reports the beginning of its own session.
        ///
        /// Source: OpenID Connect Core 1.0 §3.1.2.1 and §2 (openid.net/specs/openid-connect-core-1_0.html).
        public static let openID = Self(
            parameters: ["prompt": "login"],
            sendsMaximumAge: true,
            authenticationTime: .optional
        )

        /// Microsoft's identity platform.
        ///
        /// `prompt=login` has the user enter the credentials. `auth_time` is an optional claim, which is added to the ID token in the
        /// app registration; once it is, ``AuthenticationTime/required`` is the better choice.
        ///
        /// Sources: "OpenID Connect on the Microsoft identity platform"
        /// (learn.microsoft.com/entra/identity-platform/v2-protocols-oidc), "Optional claims reference"
        /// (learn.microsoft.com/entra/identity-platform/optional-claims-reference), and for `max_age` MSAL for Python 1.15
        /// (learn.microsoft.com/python/api/msal).
        public static let microsoft = openID

        /// Google.
        ///
        /// Google does not authenticate users again on request: it documents the prompts `none`, `consent` and `select_account`, and
        /// no `max_age`. The user at least has to choose the account. `auth_time`, which verified apps can enable, is the beginning of
        /// the user's session at Google. It may be months old, and the app cannot renew it, so it does not count.
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
        /// The authorization endpoint has no parameter for it, and `auth_time` is not among the documented claims.
        ///
        /// Sources: "Request an authorization to the Sign in with Apple server"
        /// (developer.apple.com/documentation/signinwithapplerestapi/request-an-authorization-to-the-sign-in-with-apple-server.) and
        /// "Authenticating users with Sign in with Apple"
        /// (developer.apple.com/documentation/signinwithapple/authenticating-users-with-sign-in-with-apple).
        public static let apple = Self(parameters: [:], sendsMaximumAge: false, authenticationTime: .ignored)

        /// Facebook, in browsers.
        ///
        /// `auth_type=reauthenticate` asks for the password. The SDKs for iOS and Android do not support it, and `auth_time` is not
        /// among the documented claims.
        ///
        /// Sources: "Re-authentication" (developers.facebook.com/docs/facebook-login/guides/advanced/re-authentication) and
        /// "Validating the OIDC Token" (developers.facebook.com/docs/facebook-login/limited-login/token/validating).
        public static let facebook = Self(
            parameters: ["auth_type": "reauthenticate"],
            sendsMaximumAge: false,
            authenticationTime: .ignored
        )
    }
}
