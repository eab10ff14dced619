// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import HTTPTypes
public import LoginAccounts

/// What kind of refusal an answer is, by a name that stays.
///
/// Where the refusal comes of an account, it is the code of that error: see `AuthError.Code`. The others belong to HTTP.
public struct ProblemCode: Sendable, Hashable, CustomStringConvertible {
    /// The name, for example `invalid-request`.
    public let rawValue: String

    /// The status of the answer.
    public let status: HTTPResponse.Status

    /// A sentence for whoever reads the answer.
    public let explanation: String

    private init(_ rawValue: String, _ status: HTTPResponse.Status, _ explanation: String) {
        self.rawValue = rawValue
        self.status = status
        self.explanation = explanation
    }

    /// The code of an error of accounts.
    ///
    /// - Parameter code: The code, which brings its status and its sentence.
    public init(_ code: AuthError.Code) {
        self.init(code.rawValue, HTTPResponse.Status(code: code.httpStatus), code.explanation)
    }

    /// The name, as in ``rawValue``.
    public var description: String { rawValue }

    /// Whether both have the same name.
    public static func == (first: Self, second: Self) -> Bool { first.rawValue == second.rawValue }
    /// Feeds the name to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The request does not say what this operation needs.
    public static let invalidRequest = Self(
        "invalid-request",
        .badRequest,
        "The request does not say what this operation needs."
    )
    /// The request shows no session.
    public static let missingSession = Self(
        "missing-session",
        .unauthorized,
        "Nobody is signed in: send a session token as a bearer, or the session cookie."
    )
    /// The request comes from another site, and carries a cookie of this one.
    public static let crossSite = Self(
        "cross-site-request",
        .forbidden,
        "The request comes from another site, or from a page that is out of date. Load the page again."
    )
    /// There is nothing at this address.
    public static let notFound = Self("not-found", .notFound, "There is nothing at this address.")
    /// What is at this address does not know the method.
    public static let methodNotAllowed = Self(
        "method-not-allowed",
        .methodNotAllowed,
        "What is at this address does not take this method; the header Allow says which it takes."
    )
    /// The body is larger than any that would be read.
    public static let tooLarge = Self(
        "request-too-large",
        .contentTooLarge,
        "The body is larger than any that this operation reads."
    )
    /// The body is of a type that the operation does not read.
    public static let unsupportedType = Self(
        "unsupported-media-type",
        .unsupportedMediaType,
        "The body has a type that this operation does not read."
    )
    /// No policy of this name is configured.
    public static let unknownPolicy = Self(
        "unknown-policy",
        .badRequest,
        "No policy of this name is configured here."
    )
    /// Whether the token is good is not known.
    public static let keysUnavailable = Self(
        "keys-unavailable",
        .serviceUnavailable,
        "The provider's keys are not there, so nothing is known of the token. Try again later."
    )
    /// The service lacks something that it needs.
    public static let notReady = Self(
        "not-ready",
        .serviceUnavailable,
        "The service cannot answer requests now."
    )

    /// What only HTTP refuses.
    static let ofHTTP: [Self] = [
        invalidRequest, missingSession, crossSite, notFound, methodNotAllowed, tooLarge, unsupportedType, unknownPolicy,
        keysUnavailable, notReady,
    ]

    /// Every code that an answer may have.
    public static let all: [Self] = ofHTTP + AuthError.Code.all.map { Self($0) }
}
#endif
