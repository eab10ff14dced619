// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

/// The challenge in `WWW-Authenticate` for a request with a missing or invalid session token (RFC 6750 §3).
struct BearerChallenge: Sendable, Hashable {
    /// The error codes of RFC 6750 §3.1 and RFC 9470 §3.
    enum Fault: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidToken = "invalid_token"
        /// The session is valid, but the user must authenticate more strongly or more recently.
        case insufficientAuthentication = "insufficient_user_authentication"
    }

    let fault: Fault?
    let description: String?

    /// The value of the header field.
    ///
    /// It has no error code for a request without a credential, as RFC 6750 §3.1 recommends.
    var text: String {
        guard let fault else { return "Bearer" }
        let told = description.map { #", error_description="\#($0)""# } ?? ""
        return #"Bearer error="\#(fault.rawValue)""# + told
    }

    init(_ fault: Fault?, _ description: String? = nil) {
        self.fault = fault
        self.description = description
    }

    /// Creates the challenge for an account error.
    init(_ code: AuthError.Code) {
        switch code {
        case .secondFactorRequired, .requiresRecentLogin: self.init(.insufficientAuthentication, code.rawValue)
        case .invalidUserToken, .userTokenExpired, .userDisabled, .sessionExpired, .accountMerged:
            self.init(.invalidToken, code.rawValue)
        default: self.init(nil)
        }
    }
}
#endif
