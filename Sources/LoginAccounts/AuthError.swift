// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

/// The error of an operation of ``Auth`` or a ``Session`` that was refused or failed.
///
/// ```swift
/// do throws(AuthError) {
///     let result = try await session.link(with: credential)
/// } catch where error.code == .requiresRecentLogin {
///     return reauthenticate()
/// } catch {
///     guard case .credentialAlreadyInUse(let pending?, _) = error.reason else { throw error }
///     let other = try await auth.signIn(with: .pending(pending))
/// }
/// ```
///
/// Nothing was written, except counted attempts, pending credentials, and closed sessions. ``publicMessage`` is for the
/// client: it contains nothing about another account. ``description`` is for the operator.
public struct AuthError: Error, Sendable {
    /// The reason, with the values that belong to it.
    public let reason: Reason

    /// The circumstances, for the operator: no token, code, password or personal claim.
    public let detail: String

    /// The provider of the credential that was refused; nil if it is unknown, or if no credential was refused.
    public internal(set) var provider: ProviderID?

    package init(_ reason: Reason, _ detail: String, provider: ProviderID? = nil) {
        self.reason = reason
        self.detail = oneLine(detail, limit: 4 * Limits.quotedCharacters)
        self.provider = provider
    }

    /// The stable code of the reason.
    public var code: Code { reason.code }

    /// The code and a sentence for the user.
    public var publicMessage: String { "\(code.rawValue): \(reason.publicExplanation ?? code.explanation)" }

    /// The detail for the client besides the code; nil if the code is sufficient.
    package var publicDetail: String? {
        if case .tokenRefused(let refusal) = reason { refusal.publicMessage } else { reason.publicExplanation }
    }

    /// The time after which another attempt makes sense; nil if it is unknown.
    package var retryAfter: Duration? {
        switch reason {
        case .tooManyRequests(let wait), .quotaExceeded(let wait), .providerBusy(let wait),
            .keyLookupPostponed(let wait):
            wait
        default: nil
        }
    }

    /// The error of a hook of the application; nil if the error is none.
    package var applicationError: (any Error)? {
        if case .application(let error) = reason { error } else { nil }
    }

    /// Runs `body`, and adds the provider of the credential to its error.
    ///
    /// `requires-recent-login` is not changed, because it concerns the session rather than the credential.
    static func naming<Value: Sendable>(
        _ provider: ProviderID?,
        _ body: () async throws(AuthError) -> Value
    ) async throws(AuthError) -> Value {
        do throws(AuthError) {
            return try await body()
        } catch {
            var error = error
            if error.code != .requiresRecentLogin { error.provider = error.provider ?? provider }
            throw error
        }
    }
}

extension AuthError {
    /// The stable code of an error: its name in the HTTP API, and a sentence for the user.
    ///
    /// A code has the name that Firebase Authentication gives the error, if there is one: clients that handle
    /// Firebase's errors can handle these.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name, for example `credential-already-in-use`.
        public let rawValue: String

        /// The number of the error in Firebase's SDKs; nil if they have none.
        public let firebaseCode: Int?

        /// A sentence for the user.
        public let explanation: String

        private init(_ rawValue: String, firebase: Int?, _ explanation: String) {
            self.rawValue = rawValue
            self.firebaseCode = firebase
            self.explanation = explanation
        }

        /// The name, as in ``rawValue``.
        public var description: String { rawValue }

        /// Whether both have the same name.
        public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
        /// Feeds the name to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

        /// This login belongs to another account.
        public static let credentialAlreadyInUse = Self(
            "credential-already-in-use",
            firebase: 17025,
            "This login belongs to another account. Sign in with it, then merge the two accounts."
        )
        /// Another account has verified the e-mail address of the login.
        public static let accountExistsWithDifferentCredential = Self(
            "account-exists-with-different-credential",
            firebase: 17012,
            "An account with this e-mail address exists. Sign in to it, then link this login."
        )
        /// The e-mail address belongs to another account.
        public static let emailAlreadyInUse = Self(
            "email-already-in-use",
            firebase: 17007,
            "This e-mail address belongs to another account."
        )
        /// The account has an identity of this provider.
        public static let providerAlreadyLinked = Self(
            "provider-already-linked",
            firebase: 17015,
            "This account has a login of this kind already. Unlink that one first."
        )
        /// The account has no identity of this provider.
        public static let noSuchProvider = Self(
            "no-such-provider",
            firebase: 17016,
            "This account has no login of this kind."
        )
        /// The account has several identities of this provider.
        public static let ambiguousProvider = Self(
            "ambiguous-provider",
            firebase: nil,
            "This account has several logins of this kind. Choose one."
        )
        /// The login is the only one of the account.
        public static let lastProvider = Self(
            "last-provider",
            firebase: nil,
            "This is the last way to sign in. Link another one first."
        )
        /// The user was authenticated too long ago.
        public static let requiresRecentLogin = Self(
            "requires-recent-login",
            firebase: 17014,
            "Sign in again to do this."
        )
        /// The credential belongs to another user.
        public static let userMismatch = Self(
            "user-mismatch",
            firebase: 17024,
            "This login belongs to another user. Use your own."
        )
        /// The account is disabled.
        public static let userDisabled = Self(
            "user-disabled",
            firebase: 17005,
            "This account is disabled."
        )
        /// No such account exists.
        public static let userNotFound = Self(
            "user-not-found",
            firebase: 17011,
            "There is no such account."
        )
        /// The operation is not configured.
        public static let operationNotAllowed = Self(
            "operation-not-allowed",
            firebase: 17006,
            "This is not available here."
        )
        /// The credential is invalid.
        public static let invalidCredential = Self(
            "invalid-credential",
            firebase: 17004,
            "That did not work. Sign in again."
        )
        /// The e-mail address or the password is wrong.
        public static let wrongPassword = Self(
            "wrong-password",
            firebase: 17009,
            "The e-mail address or the password is wrong."
        )
        /// The password is too easy to guess.
        public static let weakPassword = Self(
            "weak-password",
            firebase: 17026,
            "This password is too easy to guess. Use a longer one."
        )
        /// The e-mail address is malformed.
        public static let invalidEmail = Self(
            "invalid-email",
            firebase: 17008,
            "This is not a valid e-mail address."
        )
        /// The name or the picture cannot be displayed.
        public static let invalidProfile = Self(
            "invalid-profile",
            firebase: nil,
            "This is not a valid name or picture."
        )
        /// The phone number is malformed.
        public static let invalidPhoneNumber = Self(
            "invalid-phone-number",
            firebase: 17042,
            "This is not a valid phone number. Begin with + and the country code."
        )
        /// The token has no attempt, another one, or one that was used.
        public static let missingOrInvalidNonce = Self(
            "missing-or-invalid-nonce",
            firebase: 17094,
            "This login is unknown, or took too long. Start again."
        )
        /// A sign-in or a session requires the second factor.
        public static let secondFactorRequired = Self(
            "second-factor-required",
            firebase: 17078,
            "Confirm that it is you."
        )
        /// The token of the pending sign-in is missing.
        public static let missingMultiFactorSession = Self(
            "missing-multi-factor-session",
            firebase: 17081,
            "Start again."
        )
        /// The pending sign-in is unknown, used, or expired.
        public static let invalidMultiFactorSession = Self(
            "invalid-multi-factor-session",
            firebase: 17083,
            "This took too long. Sign in again."
        )
        /// The request names no factor.
        public static let missingMultiFactorInfo = Self(
            "missing-multi-factor-info",
            firebase: 17082,
            "Choose a second factor."
        )
        /// The account has no such factor.
        public static let multiFactorInfoNotFound = Self(
            "multi-factor-info-not-found",
            firebase: 17084,
            "This account does not have this second factor."
        )
        /// The code is wrong.
        public static let invalidVerificationCode = Self(
            "invalid-verification-code",
            firebase: 17044,
            "The code is wrong."
        )
        /// No such code was sent.
        public static let invalidVerificationID = Self(
            "invalid-verification-id",
            firebase: 17046,
            "This code is unknown. Request a new one."
        )
        /// The code has expired.
        public static let sessionExpired = Self(
            "session-expired",
            firebase: 17051,
            "This code has expired. Request a new one."
        )
        /// No more messages are sent for now.
        public static let quotaExceeded = Self(
            "quota-exceeded",
            firebase: 17052,
            "No more messages can be sent at the moment. Try again later."
        )
        /// The operation was attempted too often.
        public static let tooManyRequests = Self(
            "too-many-requests",
            firebase: 17010,
            "You have tried too often. Try again later."
        )
        /// The account has this factor already.
        public static let secondFactorAlreadyEnrolled = Self(
            "second-factor-already-enrolled",
            firebase: 17087,
            "This account already has this second factor."
        )
        /// The account has the maximum number of factors.
        public static let maximumSecondFactorCountExceeded = Self(
            "maximum-second-factor-count-exceeded",
            firebase: 17088,
            "This account has the maximum number of second factors. Remove one first."
        )
        /// The first factor cannot be combined with this second factor.
        public static let unsupportedFirstFactor = Self(
            "unsupported-first-factor",
            firebase: 17089,
            "This login cannot be combined with this second factor."
        )
        /// The account has no verified e-mail address.
        public static let unverifiedEmail = Self(
            "unverified-email",
            firebase: 17086,
            "Confirm your e-mail address first."
        )
        /// The session is unknown, or closed.
        public static let invalidUserToken = Self(
            "invalid-user-token",
            firebase: 17017,
            "You are signed out. Sign in again."
        )
        /// The session has expired.
        public static let userTokenExpired = Self(
            "user-token-expired",
            firebase: 17021,
            "Your session has expired. Sign in again."
        )
        /// The account was merged into another.
        public static let accountMerged = Self(
            "account-merged",
            firebase: nil,
            "This account was merged into another one. Sign in again."
        )
        /// Both accounts have an identity of the same provider.
        public static let mergeConflict = Self(
            "merge-conflict",
            firebase: nil,
            "Both accounts have a login of the same kind. Unlink one first."
        )
        /// The idempotency key belongs to a different request.
        public static let idempotencyMismatch = Self(
            "idempotency-mismatch",
            firebase: nil,
            "This request key was already used for a different request."
        )
        /// The transaction conflicted with others, several times.
        public static let conflictRetry = Self(
            "conflict-retry",
            firebase: nil,
            "Try again."
        )
        /// The store is unavailable.
        public static let storeUnavailable = Self(
            "store-unavailable",
            firebase: nil,
            "The service is temporarily unavailable. Try again in a moment."
        )
        /// The provider is unavailable.
        public static let providerUnavailable = Self(
            "provider-unavailable",
            firebase: nil,
            "The login service does not respond. Try again in a moment."
        )
        /// The store or this server is in an inconsistent state.
        public static let internalError = Self(
            "internal-error",
            firebase: 17999,
            "An internal error occurred."
        )

        /// All codes.
        public static let all: [Self] = [
            .credentialAlreadyInUse, .accountExistsWithDifferentCredential, .emailAlreadyInUse, .providerAlreadyLinked,
            .noSuchProvider, .ambiguousProvider, .lastProvider, .requiresRecentLogin, .userMismatch, .userDisabled,
            .userNotFound, .operationNotAllowed, .invalidCredential, .wrongPassword, .weakPassword, .invalidEmail,
            .invalidProfile, .invalidPhoneNumber, .missingOrInvalidNonce, .secondFactorRequired,
            .missingMultiFactorSession,
            .invalidMultiFactorSession, .missingMultiFactorInfo, .multiFactorInfoNotFound, .invalidVerificationCode,
            .invalidVerificationID, .sessionExpired, .quotaExceeded, .tooManyRequests, .secondFactorAlreadyEnrolled,
            .maximumSecondFactorCountExceeded, .unsupportedFirstFactor, .unverifiedEmail, .invalidUserToken,
            .userTokenExpired, .accountMerged, .mergeConflict, .idempotencyMismatch, .conflictRetry, .storeUnavailable,
            .providerUnavailable, .internalError,
        ]
    }
}

extension AuthError: Redacted {
    /// The code and the finding, for the operator.
    public var description: String { "\(code.rawValue): \(detail)" }
}
