// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import LoginAccounts
internal import LoginProviders
internal import LoginTokens
package import Logging

/// Logs rejected credentials of the API and the pages, and rejected forms of the pages, one line each.
///
/// The logger has the request ID of the response. A line contains codes and the provider's name, and no personal data.
/// ``RequestLimits`` bound the number of lines; their own rejections are not logged.
package struct RefusalLog: Sendable {
    private let logger: Logger

    /// Creates a log.
    ///
    /// - Parameter logger: The logger of the request.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// The codes of errors that reject a credential.
    ///
    /// An expired session token is not among them, nor is a sign-in that only lacks its second factor. A conflict of a
    /// sign-in is logged by ``record(_:)-(AccountConflict)``.
    static let codes: Set<AuthError.Code> = [
        .invalidCredential, .wrongPassword, .missingOrInvalidNonce, .operationNotAllowed, .userDisabled, .userMismatch,
        .credentialAlreadyInUse, .emailAlreadyInUse, .invalidVerificationCode,
        .invalidVerificationID, .sessionExpired, .invalidMultiFactorSession, .tooManyRequests,
    ]

    /// Logs an error of an operation, if it rejects a credential.
    package func record(_ error: any Error) {
        guard let error = error as? AuthError, Self.isRefused(error) else { return }
        let reason: String? =
            switch error.reason {
            case .replayedVerificationCode: "replayed"
            case .missingOrInvalidNonce(let fault): fault.rawValue
            case .tokenRefused(let refusal): refusal.code.rawValue
            default: nil
            }
        record(error.code.rawValue, reason: reason, provider: error.provider?.rawValue)
    }

    /// Logs a sign-in with a new login whose e-mail address belongs to an existing account.
    ///
    /// If that account has another login of the same provider, the provider may have issued its subjects again, as for a
    /// new registration of the app: the line then names the remedy.
    package func record(_ conflict: AccountConflict) {
        let provider = conflict.pendingCredential.providerID
        record(
            AuthError.Code.accountExistsWithDifferentCredential.rawValue,
            provider: provider.rawValue,
            detail: conflict.providers.contains(provider) ? Self.otherSubject : nil
        )
    }

    private static let otherSubject =
        "the account with the e-mail address has another login of this provider; if the provider has changed the subjects "
        + "of its users, give the logins the new ones: verify-token accounts relink"

    /// Returns whether an error rejects a credential.
    ///
    /// `requires-recent-login` does so only with a provider: otherwise no credential was presented.
    private static func isRefused(_ error: AuthError) -> Bool {
        codes.contains(error.code) || (error.code == .requiresRecentLogin && error.provider != nil)
    }

    /// Logs a rejected credential.
    ///
    /// - Parameters:
    ///   - code: The code of the response.
    ///   - reason: A more specific code, if there is one.
    ///   - provider: The configured name of the provider, if it is known.
    ///   - detail: What was found and expected, without secrets and personal data.
    package func record(_ code: String, reason: String? = nil, provider: String?, detail: String? = nil) {
        var metadata: Logger.Metadata = ["error.code": "\(code)"]
        if let reason { metadata["error.reason"] = "\(reason)" }
        if let detail { metadata["error.detail"] = "\(detail)" }
        if let provider { metadata["provider"] = "\(provider)" }
        logger.info("credential refused", metadata: metadata)
    }

    /// Logs a form that no page of this service has shown in the same browser.
    ///
    /// - Parameters:
    ///   - code: The code of the response.
    ///   - reason: A more specific code.
    package func recordForm(_ code: String, reason: String) {
        logger.info("form refused", metadata: ["error.code": "\(code)", "error.reason": "\(reason)"])
    }
}
#endif
