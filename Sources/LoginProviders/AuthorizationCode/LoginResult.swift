// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// How a login ended.
public enum LoginResult: Sendable {
    /// The person is who the token says.
    case success(LoginSuccess)
    /// The person did not want to.
    case cancelled(LoginCancellation)
    /// It came to nothing, or is not to be believed; begin anew.
    case failed(LoginFailure)
}

/// A login that is proven.
public struct LoginSuccess: Sendable {
    /// Who says what the person granted.
    public struct PermissionSource: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `graph`.
        public let rawValue: String

        package init(_ rawValue: String) { self.rawValue = rawValue }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The provider, when it gave out the tokens.
        public static let provider = Self("provider")
        /// The browser, and the token does not contradict it.
        ///
        /// Nothing that matters may depend on it.
        public static let callback = Self("callback")
        /// The token alone, by the claims it has.
        public static let token = Self("token")
    }

    /// The token, proven; its subject is the person.
    ///
    /// The person's ID comes from nowhere else.
    public let token: VerifiedToken

    /// The token as it came, in its compact serialization: for a server that verifies it once more, as `Auth` of LoginAccounts does.
    public let idToken: String

    /// The other tokens of an OpenID provider's token endpoint.
    public let providerTokens: ProviderTokens?

    /// The permissions that the user granted, at a provider that has permissions beside scopes.
    ///
    /// Empty at any other provider: what was granted there are ``ProviderTokens/scopes``.
    public let grantedPermissions: Set<Permission>

    /// The requested permissions that the user declined; empty at a provider that has none.
    public let declinedPermissions: Set<Permission>

    /// The source of ``grantedPermissions``.
    public let permissionSource: PermissionSource

    /// The path of your site where the person goes now, as it was given to ``LoginManager/begin(_:purpose:binding:returnTo:expecting:nonce:lifetime:)``.
    public let returnTo: String?

    /// What the flow of the provider knows beyond all that.
    package let details: (any Sendable)?

    /// Creates a result.
    package init(
        token: VerifiedToken,
        idToken: String,
        providerTokens: ProviderTokens?,
        grantedPermissions: Set<Permission>,
        declinedPermissions: Set<Permission>,
        permissionSource: PermissionSource,
        returnTo: String?,
        details: (any Sendable)? = nil
    ) {
        self.token = token
        self.idToken = idToken
        self.providerTokens = providerTokens
        self.grantedPermissions = grantedPermissions
        self.declinedPermissions = declinedPermissions
        self.permissionSource = permissionSource
        self.returnTo = returnTo
        self.details = details
    }
}

/// What a provider gave out besides the ID token.
public struct ProviderTokens: Sendable {
    /// The access token, for the provider's own interfaces.
    ///
    /// Whoever holds it can act for the person: do not log it, and store it encrypted.
    public let accessToken: String
    /// The refresh token; nil where there is none.
    ///
    /// It is as secret.
    public let refreshToken: String?
    /// How long the access token is good; nil where nothing is said.
    public let lifetime: Duration?
    /// What was granted (RFC 6749 §5.1).
    public let scopes: Set<String>
}

/// A login that the person ended.
public struct LoginCancellation: Sendable, Hashable {
    /// The path of your site where the person goes now, as it was given when the login began.
    public let returnTo: String?
}

/// Why a login came to nothing.
///
/// It has two texts for two readers. ``publicMessage`` may be shown to the person; ``description`` is for you. Neither holds
/// a token, a code, a secret or anything about the person.
public struct LoginFailure: Error, Sendable {
    /// The stable name of the reason, for programs, metrics and support.
    public let code: Code

    /// Why the token was refused, where that is the reason.
    public let refusal: TokenRefusal?

    private let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
        self.refusal = nil
    }

    /// A refused token.
    init(_ refusal: TokenRefusal) {
        self.code = .token
        self.detail = refusal.description
        self.refusal = refusal
    }

    /// Whether a login that begins anew may well succeed: nothing is wrong but that somebody did not answer.
    public var isRetryable: Bool { code == .unavailable }

    /// The code and what to do, for the person.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension LoginFailure {
    /// Why a login came to nothing.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `replayed`.
        public let rawValue: String

        /// A sentence for the person.
        public let explanation: String

        private init(_ rawValue: String, _ explanation: String) {
            self.rawValue = rawValue
            self.explanation = explanation
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// What the browser brings is no answer, or not the one that was asked for.
        public static let callback = Self("callback", "This is no answer to a login. Log in again.")
        /// No login with this state is known here.
        public static let stateUnknown = Self("state-unknown", "This login is not known here. Log in again.")
        /// The login took too long.
        public static let expired = Self("expired", "The login took too long. Log in again.")
        /// The login has ended before.
        public static let replayed = Self("replayed", "This login has ended already. Log in again.")
        /// The login was begun by another browser, or for another purpose.
        public static let startedElsewhere = Self(
            "started-elsewhere",
            "This login was begun elsewhere. Allow cookies, and log in again where you want to be logged in."
        )
        /// The answer is that of another provider than was asked.
        public static let issuerMismatch = Self(
            "issuer-mismatch",
            "This is not the answer to your login. Log in again."
        )
        /// The provider says that something went wrong.
        public static let providerError = Self("provider-error", "The login service reports an error. Log in again.")
        /// The provider gave out nothing for the code.
        public static let exchangeRefused = Self("exchange-refused", "The login could not be completed. Log in again.")
        /// What the provider gave out cannot be read, or has no ID token.
        public static let exchangeAnswer = Self("exchange-answer", "The login could not be completed. Log in again.")
        /// Somebody who is needed does not answer.
        public static let unavailable = Self("unavailable", "The login service does not answer. Try again in a moment.")
        /// The ID token is not acceptable.
        public static let token = Self("token", "The login could not be verified. Log in again.")
        /// Somebody else logged in than had to, or than the browser says.
        public static let userMismatch = Self("user-mismatch", "Somebody else is logged in there. Log in as yourself.")
        /// What the browser says of permissions contradicts the token, or itself.
        public static let permissions = Self("permissions", "This login was changed on its way. Log in again.")
        /// The provider issued an access token and does not accept it.
        public static let accessToken = Self("access-token", "The login could not be completed. Log in again.")

        /// All of them.
        public static let all: [Self] = [
            .callback, .stateUnknown, .expired, .replayed, .startedElsewhere, .issuerMismatch, .providerError,
            .exchangeRefused, .exchangeAnswer, .unavailable, .token, .userMismatch, .permissions, .accessToken,
        ]

        /// Whether both have the same name.
        public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
        /// Feeds the name to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

extension LoginFailure: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The code and what was seen, for the operator.
    public var description: String { "login failed: \(code.rawValue): \(detail)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show what a refusal holds.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LoginSuccess: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whose token proves it, without anything about the person.
    public var description: String { "login proven by: \(token)" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProviderTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// That they are there, without the tokens.
    public var description: String { "tokens of a provider" }
    /// As ``description``.
    public var debugDescription: String { description }
    /// No children: a dump must not show the tokens.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
