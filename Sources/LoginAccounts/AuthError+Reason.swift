// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginProviders
public import LoginTokens

extension AuthError {
    /// The reason of an error, with the values that belong to it.
    ///
    /// Several reasons may have one ``Code``. The code is what clients distinguish.
    public enum Reason: Sendable {
        /// The login belongs to another account: `owner`, for the application's own code and never for a client.
        ///
        /// The pending credential signs in to that account, or links once the login is free. It is nil in the stored
        /// response to a repeated request, and when an identity was to get another subject.
        case credentialAlreadyInUse(PendingCredential?, owner: AccountID?)
        /// The e-mail address of the login belongs to another account: `owner`, for the application's own code and
        /// never for a client.
        ///
        /// The pending credential is nil when no login was linked: for passwords, and in the stored response to a
        /// repeated request.
        case emailAlreadyInUse(PendingCredential? = nil, owner: AccountID? = nil)
        /// The e-mail address of a new login belongs to another account; ``SignInOutcome/get()`` throws it.
        case accountExistsWithDifferentCredential
        /// The account has an identity of the provider.
        case providerAlreadyLinked
        /// The account has no identity of the provider.
        case noSuchProvider
        /// The account has several identities of the provider.
        case ambiguousProvider
        /// No other login signs in to the account.
        case lastProvider
        /// The user was authenticated too long ago.
        case requiresRecentLogin
        /// The login belongs to another user than that of the session.
        case userMismatch
        /// The account is disabled.
        case userDisabled
        /// No such account exists.
        case userNotFound
        /// The operation is not configured.
        case operationNotAllowed
        /// The credential is invalid.
        case invalidCredential
        /// The token was refused: `missing-or-invalid-nonce` if its nonce is wrong, otherwise `invalid-credential`.
        case tokenRefused(TokenRefusal)
        /// The e-mail address or the password is wrong.
        case wrongPassword
        /// The password is too easy to guess.
        case weakPassword
        /// The e-mail address is malformed.
        case invalidEmail
        /// The name or the picture cannot be displayed.
        case invalidProfile
        /// The phone number is malformed.
        case invalidPhoneNumber
        /// The attempt is unknown, expired, used, or of another purpose, provider or browser.
        ///
        /// The value tells which, for the operator: `state-unknown`, `expired`, `replayed`, `started-elsewhere` or
        /// `issuer-mismatch`; of a callback that names no attempt, `callback` or `provider-error`.
        case missingOrInvalidNonce(LoginFailure.Code)
        /// The session needs the second factor; ``SignInOutcome/get()`` throws it for a sign-in that does.
        case secondFactorRequired
        /// The token of the pending sign-in is missing.
        case missingMultiFactorSession
        /// The pending sign-in is unknown, used, or expired.
        case invalidMultiFactorSession
        /// The request names no factor.
        case missingMultiFactorInfo
        /// The account has no such factor.
        case multiFactorInfoNotFound
        /// The code is wrong.
        case invalidVerificationCode
        /// The code of an authenticator app is right, but was used before: `invalid-verification-code`.
        case replayedVerificationCode
        /// No such code was sent.
        case invalidVerificationID
        /// The code has expired.
        case sessionExpired
        /// No more messages are sent for now.
        case quotaExceeded(retryAfter: Duration)
        /// The operation was attempted too often.
        case tooManyRequests(retryAfter: Duration)
        /// The account has this factor already.
        case secondFactorAlreadyEnrolled
        /// The account has the maximum number of factors.
        case maximumSecondFactorCountExceeded
        /// The first factor of the account cannot be combined with this second factor.
        case unsupportedFirstFactor
        /// The account has no verified e-mail address.
        case unverifiedEmail
        /// The session is unknown or closed.
        case invalidUserToken
        /// The session has expired.
        case userTokenExpired
        /// The account was merged into another.
        case accountMerged(into: AccountID)
        /// Both accounts have an identity of these providers.
        case mergeConflict([ProviderID])
        /// The idempotency key belongs to a different request.
        case idempotencyMismatch
        /// The transaction conflicted with others, several times.
        case conflictRetry
        /// The store is unavailable.
        case storeUnavailable
        /// The provider is unavailable.
        case providerUnavailable
        /// The provider refuses requests until `retryAfter` has passed: `provider-unavailable`.
        case providerBusy(retryAfter: Duration)
        /// The key of the token is unknown, and can be looked up after `retryAfter`: `provider-unavailable`.
        case keyLookupPostponed(retryAfter: Duration)
        /// A hook of the application threw an error, and the transaction was rolled back: `internal-error`.
        ///
        /// The HTTP API and the pages respond as if a handler had thrown this error. See ``AuthHooks``.
        case application(any Error)
        /// The store or this server is in a state that it must not be in.
        case internalError

        /// The stable code.
        public var code: Code {
            switch self {
            case .credentialAlreadyInUse: .credentialAlreadyInUse
            case .emailAlreadyInUse: .emailAlreadyInUse
            case .accountExistsWithDifferentCredential: .accountExistsWithDifferentCredential
            case .providerAlreadyLinked: .providerAlreadyLinked
            case .noSuchProvider: .noSuchProvider
            case .ambiguousProvider: .ambiguousProvider
            case .lastProvider: .lastProvider
            case .requiresRecentLogin: .requiresRecentLogin
            case .userMismatch: .userMismatch
            case .userDisabled: .userDisabled
            case .userNotFound: .userNotFound
            case .operationNotAllowed: .operationNotAllowed
            case .invalidCredential: .invalidCredential
            case .tokenRefused(let refusal): refusal.code == .nonce ? .missingOrInvalidNonce : .invalidCredential
            case .wrongPassword: .wrongPassword
            case .weakPassword: .weakPassword
            case .invalidEmail: .invalidEmail
            case .invalidProfile: .invalidProfile
            case .invalidPhoneNumber: .invalidPhoneNumber
            case .missingOrInvalidNonce: .missingOrInvalidNonce
            case .secondFactorRequired: .secondFactorRequired
            case .missingMultiFactorSession: .missingMultiFactorSession
            case .invalidMultiFactorSession: .invalidMultiFactorSession
            case .missingMultiFactorInfo: .missingMultiFactorInfo
            case .multiFactorInfoNotFound: .multiFactorInfoNotFound
            case .invalidVerificationCode, .replayedVerificationCode: .invalidVerificationCode
            case .invalidVerificationID: .invalidVerificationID
            case .sessionExpired: .sessionExpired
            case .quotaExceeded: .quotaExceeded
            case .tooManyRequests: .tooManyRequests
            case .secondFactorAlreadyEnrolled: .secondFactorAlreadyEnrolled
            case .maximumSecondFactorCountExceeded: .maximumSecondFactorCountExceeded
            case .unsupportedFirstFactor: .unsupportedFirstFactor
            case .unverifiedEmail: .unverifiedEmail
            case .invalidUserToken: .invalidUserToken
            case .userTokenExpired: .userTokenExpired
            case .accountMerged: .accountMerged
            case .mergeConflict: .mergeConflict
            case .idempotencyMismatch: .idempotencyMismatch
            case .conflictRetry: .conflictRetry
            case .storeUnavailable: .storeUnavailable
            case .providerUnavailable, .providerBusy, .keyLookupPostponed: .providerUnavailable
            case .application, .internalError: .internalError
            }
        }

        /// A sentence for the user that is more precise than that of the code; nil if there is none.
        var publicExplanation: String? {
            if case .replayedVerificationCode = self {
                "This code was already used. Wait for the next one."
            } else {
                nil
            }
        }
    }
}
