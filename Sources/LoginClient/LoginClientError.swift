// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A request that failed, or that the service refused.
///
/// Decide by ``code``. The codes of the service are those of its error responses (RFC 9457); the others, listed first,
/// are the client's own.
public struct LoginClientError: Error, Sendable, Hashable {
    /// A stable name for the reason.
    public struct Code: RawRepresentable, Sendable, Hashable, Decodable {
        /// The name, for example `invalid-credential`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: The name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The request got no response.
        ///
        /// Whether the service executed it is unknown. ``LoginClientError/underlying`` is the error of the transport.
        public static let serviceUnreachable = Self(rawValue: "service-unreachable")
        /// The response is malformed, too long, or a redirect.
        public static let invalidResponse = Self(rawValue: "invalid-response")
        /// The URL is invalid: it is neither `https` nor the `http` URL of a loopback address, or the path does not
        /// begin with a slash.
        public static let invalidURL = Self(rawValue: "invalid-url")
        /// The session is not in a state for the operation.
        ///
        /// For example, a request needs an open session: call ``ClientSession/open()`` after ``ClientSession/load()``
        /// has returned `createdTokenLoaded`, or sign in.
        public static let invalidState = Self(rawValue: "invalid-state")
        /// Another process that shares the token cache has signed out.
        public static let signedOut = Self(rawValue: "signed-out")
        /// The cached tokens belong to another service.
        public static let otherService = Self(rawValue: "other-service")
        /// The token of a provider cannot be kept: it is malformed or too long, or there are too many.
        public static let invalidProviderToken = Self(rawValue: "invalid-provider-token")

        /// The session was closed, or its tokens are unknown.
        public static let invalidUserToken = Self(rawValue: "invalid-user-token")
        /// The token or the session has expired.
        public static let userTokenExpired = Self(rawValue: "user-token-expired")
        /// The sign-in needs a second factor.
        public static let secondFactorRequired = Self(rawValue: "second-factor-required")
        /// Another account has the same verified e-mail address.
        public static let accountExists = Self(rawValue: "account-exists-with-different-credential")
        /// The code of the second factor is wrong.
        public static let invalidVerificationCode = Self(rawValue: "invalid-verification-code")
        /// The challenge of the second factor is unknown.
        public static let invalidVerificationID = Self(rawValue: "invalid-verification-id")
        /// The code of the second factor has expired.
        public static let verificationCodeExpired = Self(rawValue: "session-expired")
        /// The account has no such second factor.
        public static let secondFactorNotFound = Self(rawValue: "multi-factor-info-not-found")
        /// The sign-in can no longer be completed with a second factor.
        public static let invalidMultiFactorSession = Self(rawValue: "invalid-multi-factor-session")
        /// The credential is invalid.
        public static let invalidCredential = Self(rawValue: "invalid-credential")
        /// The password or the e-mail address is wrong.
        public static let wrongPassword = Self(rawValue: "wrong-password")
        /// The password is too weak.
        public static let weakPassword = Self(rawValue: "weak-password")
        /// The e-mail address is malformed.
        public static let invalidEmail = Self(rawValue: "invalid-email")
        /// The e-mail address belongs to another account.
        public static let emailAlreadyInUse = Self(rawValue: "email-already-in-use")
        /// The login belongs to another account.
        public static let credentialAlreadyInUse = Self(rawValue: "credential-already-in-use")
        /// The account has a login of this provider already.
        public static let providerAlreadyLinked = Self(rawValue: "provider-already-linked")
        /// The account has no login of this provider.
        public static let noSuchProvider = Self(rawValue: "no-such-provider")
        /// The login is the last one, and cannot be unlinked.
        public static let lastProvider = Self(rawValue: "last-provider")
        /// Both accounts of a merge have a login of the same provider.
        public static let mergeConflict = Self(rawValue: "merge-conflict")
        /// The account was merged into another.
        public static let accountMerged = Self(rawValue: "account-merged")
        /// The login belongs to another user.
        public static let userMismatch = Self(rawValue: "user-mismatch")
        /// The user must authenticate again first.
        public static let requiresRecentLogin = Self(rawValue: "requires-recent-login")
        /// The service does not allow the operation.
        public static let operationNotAllowed = Self(rawValue: "operation-not-allowed")
        /// The account is disabled.
        public static let userDisabled = Self(rawValue: "user-disabled")
    }

    /// The reason.
    public let code: Code

    /// The status of the response; nil if there was none.
    public let status: Int?

    /// The number of seconds to wait before a repetition; nil if the service names none.
    public let retryAfter: Int?

    /// The meaning of the code, for the user, as the service names it; nil if there was no response.
    ///
    /// It is one line of at most 200 characters, without control and format characters.
    public let title: String?

    /// The ID with which the log of the service names the request; nil if there was no response.
    public let requestID: String?

    /// The credential that was verified and not used, because it belongs to another account; nil otherwise.
    ///
    /// `credential-already-in-use`, `email-already-in-use` and `account-exists-with-different-credential` have it.
    public internal(set) var pendingCredential: ClientPendingCredential?

    /// The providers of which both accounts have a login, with `merge-conflict`; otherwise empty.
    public internal(set) var providers: [String] = []

    /// The ID of the account to continue with, with `account-merged`; nil otherwise.
    public internal(set) var mergedInto: String?

    /// The error of the transport; nil if there was a response.
    ///
    /// It plays no part in comparisons. `URLSessionTransport` throws a `URLError`, whose description may contain the
    /// URL of the request. The description of this error omits it.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - status: The status of the response; nil if there was none.
    ///   - retryAfter: The number of seconds to wait before a repetition; nil for none.
    ///   - title: The meaning of the code, on one line; nil if it is unknown.
    ///   - requestID: The ID of the request; nil if it is unknown.
    ///   - underlying: The error of the transport; nil for none.
    public init(
        _ code: Code,
        status: Int? = nil,
        retryAfter: Int? = nil,
        title: String? = nil,
        requestID: String? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.status = status
        self.retryAfter = retryAfter
        self.title = title
        self.requestID = requestID
        self.underlying = underlying
    }

    /// Whether the tokens are permanently invalid: the user must sign in again, with another ``ClientSession``.
    public var endsSession: Bool { [.invalidUserToken, .userTokenExpired, .signedOut].contains(code) }

    /// Whether the service has refused the request, and would refuse a repetition too.
    ///
    /// It is false for lost responses, limits (429), conflicts that a repetition resolves, failures of the service, and
    /// responses of a proxy.
    package var isFinal: Bool {
        guard let status, code != .invalidResponse else { return false }
        return (400..<500).contains(status) && status != 429 && code.rawValue != "conflict-retry"
    }
}

extension LoginClientError {
    /// Returns whether two errors are equal, apart from ``underlying``.
    public static func == (left: Self, right: Self) -> Bool {
        left.code == right.code && left.status == right.status && left.retryAfter == right.retryAfter
            && left.title == right.title && left.requestID == right.requestID
            && left.pendingCredential == right.pendingCredential && left.providers == right.providers
            && left.mergedInto == right.mergedInto
    }

    /// Hashes the code and the status.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
    }
}

extension LoginClientError: RedactedValue {
    /// The code, and the status if there is one.
    public var description: String { status.map { "\(code.rawValue) (status \($0))" } ?? code.rawValue }
}
