// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// The result of a login by browser.
public enum LoginResult: Sendable {
    /// The token was verified.
    case success(LoginSuccess)
    /// The user cancelled.
    case cancelled(LoginCancellation)
    /// The login failed, or its answer was refused; the user begins again.
    case failed(LoginFailure)
}

/// A login whose ID token was verified.
public struct LoginSuccess: Sendable {
    /// The identity that the ID token proves, with the verified token, permissions and the provider's other tokens.
    ///
    /// Its subject is the user's ID. Accounts accept it as a credential: `AuthCredential.identity(_:)` of LoginAccounts.
    public let identity: VerifiedIdentity

    /// The ID token as it was received, in its compact serialization.
    public let idToken: String

    /// The path of your site for the browser, as it was given to ``LoginManager/begin(_:purpose:returnTo:expecting:lifetime:)``.
    public let returnTo: String?
}

/// A login that the user cancelled.
public struct LoginCancellation: Sendable, Hashable {
    /// The path of your site for the browser, as it was given when the login began.
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

extension LoginFailure: Redacted {
    /// The code and the finding, for the operator.
    public var description: String { "login failed: \(code.rawValue): \(detail)" }
}

extension LoginSuccess: Redacted {
    /// The provider, without anything about the user.
    public var description: String { "login: \(identity)" }
}
