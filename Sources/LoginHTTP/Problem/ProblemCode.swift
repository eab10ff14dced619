// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
public import LoginAccounts
internal import LoginTokens

/// The kind of a problem, identified by a stable name.
///
/// Account errors have the codes of `AuthError.Code`, and refused access tokens those of `VerificationCode`. The other
/// codes are errors of the HTTP request.
public struct ProblemCode: Sendable, Hashable, CustomStringConvertible {
    /// The name, for example `invalid-request`.
    public let rawValue: String

    /// The status of the response.
    public let status: HTTPResponse.Status

    /// A sentence that explains the code to the reader of the response.
    public let explanation: String

    private init(_ rawValue: String, _ status: HTTPResponse.Status, _ explanation: String) {
        self.rawValue = rawValue
        self.status = status
        self.explanation = explanation
    }

    /// Creates the code for an account error.
    ///
    /// - Parameter code: The code, which determines the status and the explanation.
    public init(_ code: AuthError.Code) {
        self.init(code.rawValue, code.status, code.explanation)
    }

    /// Creates the code for an access token or a proof of possession that a ``ProtectedResource`` does not accept.
    ///
    /// - Parameters:
    ///   - code: The code, which determines the explanation.
    ///   - status: The status of the response.
    init(_ code: VerificationCode, status: HTTPResponse.Status) {
        self.init(code.rawValue, status, code.explanationForAccessTokens)
    }

    /// The name, as in ``rawValue``.
    public var description: String { rawValue }

    /// Returns whether two codes have the same name.
    public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The request is malformed or lacks required values.
    public static let invalidRequest = Self(
        "invalid-request",
        .badRequest,
        "The request is malformed, or lacks a required value."
    )
    /// The request has no session token.
    public static let missingSession = Self(
        "missing-session",
        .unauthorized,
        "Sign in first: send the session token as a bearer token, or the session cookie."
    )
    /// The request has no access token, although the route of a ``ProtectedResource`` needs one.
    public static let missingToken = Self(
        "missing-token",
        .unauthorized,
        "Send an access token that was issued for this API in the header Authorization."
    )
    /// Another site made the request, with a cookie of this site.
    public static let crossSite = Self(
        "cross-site-request",
        .forbidden,
        "The request comes from another site, or from a page that is out of date. Load the page again."
    )
    /// The path does not exist.
    public static let notFound = Self("not-found", .notFound, "There is no resource at this path.")
    /// The path does not support the method.
    public static let methodNotAllowed = Self(
        "method-not-allowed",
        .methodNotAllowed,
        "This path does not support the method. The header Allow lists the supported methods."
    )
    /// A browser requests the page before the user has opened it, and the page can be opened only once.
    public static let speculative = Self(
        "speculative-request",
        .serviceUnavailable,
        "This page is not preloaded. The browser must request it when the user opens it."
    )
    /// The body exceeds the maximum size.
    public static let tooLarge = Self(
        "request-too-large",
        .contentTooLarge,
        "The body exceeds the maximum size."
    )
    /// The operation does not support the media type of the body.
    public static let unsupportedType = Self(
        "unsupported-media-type",
        .unsupportedMediaType,
        "This operation does not support the media type of the body."
    )
    /// No verification policy of this name is configured.
    public static let unknownPolicy = Self(
        "unknown-policy",
        .badRequest,
        "No policy with this name is configured."
    )
    /// The token cannot be verified, because the provider's keys are unavailable, or it names an unknown key.
    public static let keysUnavailable = Self(
        "keys-unavailable",
        .serviceUnavailable,
        "The provider's keys are unavailable, so the token cannot be verified. Try again later."
    )
    /// A readiness check of the service fails.
    public static let notReady = Self(
        "not-ready",
        .serviceUnavailable,
        "The service is not ready for requests."
    )

    /// The codes that are not account errors.
    static let ofHTTP: [Self] = [
        invalidRequest, missingSession, missingToken, crossSite, notFound, methodNotAllowed, speculative, tooLarge,
        unsupportedType, unknownPolicy, keysUnavailable, notReady,
    ]

    /// The codes of access tokens and proofs of possession that a ``ProtectedResource`` does not accept.
    static let ofAccessTokens: [Self] =
        (VerificationCode.refusals + VerificationCode.possession + VerificationCode.introspection).map { code in
            switch code {
            case .insufficientScope: Self(code, status: .forbidden)
            case .proofUndecided: .proofUndecided
            case .introspectionUnavailable: .introspectionUnavailable
            default: Self(code, status: .unauthorized)
            }
        }

    /// All codes that a response may have, except those of refused access tokens.
    public static let all: [Self] = ofHTTP + AuthError.Code.all.map { Self($0) }
}
#endif
