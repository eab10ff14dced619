// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import LoginAccounts
internal import LoginProviders
internal import LoginTokens
package import Logging

/// Logs refused credentials: one line each, for the API and for the pages.
///
/// Its logger has the request ID of the answer. A line holds codes and the provider's name, and nothing about a person. How many lines
/// there are is bounded by ``RateLimitMiddleware``, whose own refusals are not logged.
package struct RefusalLog: Sendable {
    private let logger: Logger

    /// Creates a log.
    ///
    /// - Parameter logger: The logger of the request.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// The codes that say of a credential that it was refused.
    ///
    /// An expired session token is not among them, nor is a sign-in that only lacks its second factor. A conflict of a sign-in is logged
    /// by ``record(_:)-(AccountConflict)``.
    static let codes: Set<AuthError.Code> = [
        .invalidCredential, .wrongPassword, .missingOrInvalidNonce, .operationNotAllowed, .userDisabled, .userMismatch,
        .credentialAlreadyInUse, .emailAlreadyInUse, .invalidVerificationCode,
        .invalidVerificationID, .sessionExpired, .invalidMultiFactorSession, .tooManyRequests,
    ]

    /// Logs an error of an operation, if it refuses a credential.
    package func record(_ error: any Error) {
        guard let error = error as? AuthError, Self.isRefused(error) else { return }
        let reason: String? =
            switch error.reason {
            case .replayedVerificationCode: "replayed"
            case .tokenRefused(let refusal): refusal.code.rawValue
            default: nil
            }
        record(error.code.rawValue, reason: reason, provider: error.provider?.rawValue)
    }

    /// Logs a sign-in with a new login whose e-mail address belongs to an existing account.
    package func record(_ conflict: AccountConflict) {
        record(
            AuthError.Code.accountExistsWithDifferentCredential.rawValue,
            provider: conflict.pendingCredential.providerID.rawValue
        )
    }

    /// Whether an error refuses a credential: a recent login is also asked of those who have shown none.
    private static func isRefused(_ error: AuthError) -> Bool {
        codes.contains(error.code) || (error.code == .requiresRecentLogin && error.provider != nil)
    }

    /// Logs a refusal.
    ///
    /// - Parameters:
    ///   - code: The code of the answer.
    ///   - reason: The code that says more, where there is one.
    ///   - provider: The configured name of the provider, where it is known.
    package func record(_ code: String, reason: String? = nil, provider: String?) {
        var metadata: Logger.Metadata = ["error.code": "\(code)"]
        if let reason { metadata["error.reason"] = "\(reason)" }
        if let provider { metadata["provider"] = "\(provider)" }
        logger.info("credential refused", metadata: metadata)
    }
}
#endif
