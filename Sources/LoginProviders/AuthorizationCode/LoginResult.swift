// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The result of a login by browser.
public enum LoginResult: Sendable {
    /// The token was verified.
    case success(LoginSuccess)
    /// The user cancelled.
    case cancelled(LoginCancellation)
    /// The login failed, or its response was refused.
    ///
    /// The user begins again.
    case failed(LoginFailure)
}

/// A login whose ID token was verified.
public struct LoginSuccess: Sendable {
    /// The identity that the ID token proves, with the verified token, permissions and the provider's other tokens.
    ///
    /// Its subject is the user's ID. Accounts accept it as a credential: `AuthCredential.identity(_:)` of
    /// LoginAccounts.
    public let identity: VerifiedIdentity

    /// The ID token as it was received, in its compact serialization.
    public let idToken: String

    /// The path of your site for the browser, as passed to
    /// ``LoginManager/begin(_:purpose:returnTo:expecting:lifetime:)``.
    public let returnTo: String?
}

/// A login that the user cancelled.
public struct LoginCancellation: Sendable, Hashable {
    /// The path of your site for the browser, as passed when the login began.
    public let returnTo: String?
}

/// The reason why a login failed.
///
/// ``publicMessage`` may be shown to the user; ``description`` is for the operator. Neither contains a token, a code, a
/// secret or personal data.
public struct LoginFailure: Error, Sendable {
    /// The stable name of the reason, for programs, metrics and support.
    public let code: Code

    /// The reason why the token was refused; nil for any other failure.
    public let refusal: TokenRefusal?

    /// Whether the callback has claimed the attempt, which no other callback can complete then.
    ///
    /// A callback that anyone can make up claims none: a login of the same browser that is pending can still be
    /// completed.
    public internal(set) var endsAttempt = false

    /// Whether the provider rejects the client registration of the service: its ID, its secret, or what it may request.
    ///
    /// The user is not at fault, and each login fails until the configuration is corrected.
    package let isMisconfigured: Bool

    private let detail: String

    package init(_ code: Code, _ detail: String, isMisconfigured: Bool = false) {
        self.code = code
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
        self.refusal = nil
        self.isMisconfigured = isMisconfigured
    }

    /// Creates the failure of a refused token.
    init(_ refusal: TokenRefusal) {
        self.code = .token
        self.detail = refusal.description
        self.refusal = refusal
        self.isMisconfigured = false
    }

    /// Whether a new login may succeed without any change: a service did not respond.
    public var isRetryable: Bool { code == .unavailable }

    /// The code and an instruction, for the user.
    public var publicMessage: String { "\(code.rawValue): \(code.explanation)" }
}

extension LoginFailure {
    /// The reason why a login failed.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `replayed`.
        public let rawValue: String

        /// A sentence for the user.
        public let explanation: String

        private init(_ rawValue: String, _ explanation: String) {
            self.rawValue = rawValue
            self.explanation = explanation
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// The callback is malformed, or its response type is not the requested one.
        public static let callback = Self("callback", "This is not a valid login response. Log in again.")
        /// No attempt with this state is stored.
        public static let stateUnknown = Self("state-unknown", "This login is unknown. Log in again.")
        /// The login took too long.
        public static let expired = Self("expired", "The login took too long. Log in again.")
        /// The attempt was claimed before.
        public static let replayed = Self("replayed", "This login was completed already. Log in again.")
        /// The login was begun in another browser, or for another purpose.
        public static let startedElsewhere = Self(
            "started-elsewhere",
            "This login was started elsewhere. Allow cookies, and log in again in the browser that you want to use."
        )
        /// The issuer, the client registration or the redirect URI is not that of the attempt.
        ///
        /// It includes a response without an issuer, if the provider always sends one (RFC 9207 §2.4).
        public static let issuerMismatch = Self(
            "issuer-mismatch",
            "This response belongs to another login. Log in again."
        )
        /// The provider responded with an error.
        public static let providerError = Self("provider-error", "The login service reported an error. Log in again.")
        /// The token endpoint refused the code.
        public static let exchangeRefused = Self("exchange-refused", "The login could not be completed. Log in again.")
        /// The token response is malformed, or has no ID token.
        public static let exchangeResponse = Self(
            "exchange-response",
            "The login could not be completed. Log in again."
        )
        /// A service that is needed does not respond.
        public static let unavailable = Self(
            "unavailable",
            "The login service does not respond. Try again in a moment."
        )
        /// The ID token was refused.
        public static let token = Self("token", "The login could not be verified. Log in again.")
        /// The ID token has another subject than the expected one, or than the one in the callback.
        public static let userMismatch = Self(
            "user-mismatch",
            "A different account is signed in at the provider. Log in with your own account."
        )
        /// The permissions in the callback contradict the token, or each other.
        public static let permissions = Self(
            "permissions",
            "The response of the login was changed in transit. Log in again."
        )
        /// The provider issued an access token but does not accept it.
        public static let accessToken = Self("access-token", "The login could not be completed. Log in again.")

        /// All codes.
        public static let all: [Self] = [
            .callback, .stateUnknown, .expired, .replayed, .startedElsewhere, .issuerMismatch, .providerError,
            .exchangeRefused, .exchangeResponse, .unavailable, .token, .userMismatch, .permissions, .accessToken,
        ]

        /// Returns whether both have the same name.
        public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
        /// Feeds the name to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
    }
}

extension LoginFailure: Redacted {
    /// The code and the finding, for the operator.
    public var description: String { "login failed: \(code.rawValue): \(detail)" }
}

extension LoginSuccess: Redacted {
    /// The provider, without anything about the user.
    public var description: String { "login: \(identity)" }
}
