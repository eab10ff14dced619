// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

/// What a client is told that showed no session, or none that does (RFC 6750 §3).
struct BearerChallenge: Sendable, Hashable {
    /// The errors of RFC 6750 §3.1, and the one of RFC 9470 §3.
    enum Fault: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidToken = "invalid_token"
        /// The session is good, and its person has to show more.
        case insufficientAuthentication = "insufficient_user_authentication"
    }

    let fault: Fault?
    let description: String?

    /// The header's value.
    ///
    /// A request that showed nothing learns no more than that a bearer is wanted: RFC 6750 §3.1 wants no error there.
    var text: String {
        guard let fault else { return "Bearer" }
        let told = description.map { #", error_description="\#($0)""# } ?? ""
        return #"Bearer error="\#(fault.rawValue)""# + told
    }

    init(_ fault: Fault?, _ description: String? = nil) {
        self.fault = fault
        self.description = description
    }

    /// What an error of accounts is to a client that showed a bearer.
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
