// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

extension AuthError.Code {
    /// The status of the response to an error.
    var status: HTTPResponse.Status {
        switch self {
        case .missingMultiFactorSession, .missingMultiFactorInfo: .badRequest
        case .invalidCredential, .wrongPassword, .missingOrInvalidNonce, .secondFactorRequired,
            .invalidMultiFactorSession, .invalidVerificationCode, .invalidVerificationID, .sessionExpired,
            .invalidUserToken, .userTokenExpired:
            .unauthorized
        case .requiresRecentLogin, .userMismatch, .userDisabled, .operationNotAllowed, .unsupportedFirstFactor,
            .unverifiedEmail:
            .forbidden
        case .noSuchProvider, .userNotFound, .multiFactorInfoNotFound: .notFound
        case .weakPassword, .invalidEmail, .invalidProfile, .invalidPhoneNumber, .idempotencyMismatch:
            .unprocessableContent
        case .quotaExceeded, .tooManyRequests: .tooManyRequests
        case .conflictRetry, .storeUnavailable, .providerUnavailable: .serviceUnavailable
        case .credentialAlreadyInUse, .accountExistsWithDifferentCredential, .emailAlreadyInUse, .providerAlreadyLinked,
            .ambiguousProvider, .lastProvider, .secondFactorAlreadyEnrolled, .maximumSecondFactorCountExceeded,
            .accountMerged, .mergeConflict:
            .conflict
        default: .internalServerError
        }
    }
}
#endif
