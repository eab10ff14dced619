// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginTokens

/// A challenge in `WWW-Authenticate`: the scheme to authenticate with, and the fault of the credentials that were sent
/// (RFC 6750 §3, RFC 9449 §7.1).
struct Challenge: Sendable {
    /// The error codes of RFC 6750 §3.1, RFC 9449 §12.2 and RFC 9470 §3.
    enum Fault: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidToken = "invalid_token"
        case insufficientScope = "insufficient_scope"
        /// The credential is valid, but the user must authenticate more strongly or more recently.
        case insufficientAuthentication = "insufficient_user_authentication"
        case invalidProof = "invalid_dpop_proof"
        case useNonce = "use_dpop_nonce"
    }

    let scheme: AuthorizationField.Scheme
    let fault: Fault?
    let description: String?

    /// The parameters after those of the fault.
    let parameters: [(name: String, value: String)]

    /// The value of the header field.
    ///
    /// It has no error code for a request without a credential, as RFC 6750 §3.1 recommends.
    var text: String {
        var all: [(name: String, value: String)] = []
        if let fault {
            all.append((name: "error", value: fault.rawValue))
            if let description { all.append((name: "error_description", value: description)) }
        }
        all += parameters
        let shown = all.map { #"\#($0.name)="\#(Self.escaped($0.value))""# }.joined(separator: ", ")
        return shown.isEmpty ? scheme.rawValue : "\(scheme.rawValue) \(shown)"
    }

    init(
        _ fault: Fault?,
        _ description: String? = nil,
        scheme: AuthorizationField.Scheme = .bearer,
        parameters: [(name: String, value: String)] = []
    ) {
        self.scheme = scheme
        self.fault = fault
        self.description = description
        self.parameters = parameters
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

    /// Returns the content of a quoted string (RFC 9110 §5.6.4).
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

extension Challenge.Fault {
    /// Creates the fault of an access token or of its proof of possession.
    init(_ refusal: TokenRefusal) {
        switch refusal.code {
        case .insufficientScope: self = .insufficientScope
        case .claimValue where refusal.member == "acr": self = .insufficientAuthentication
        case .acr, .authTime: self = .insufficientAuthentication
        case .proofNonce: self = .useNonce
        case .proofMalformed, .proofType, .proofAlgorithm, .proofClaim, .proofMethod, .proofURL, .proofInFuture,
            .proofTooOld, .proofTokenHash, .proofKey, .proofSignature, .proofReplayed:
            self = .invalidProof
        default: self = .invalidToken
        }
    }
}
#endif
