// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes
public import LoginAccounts
internal import LoginProviders
internal import LoginTokens

/// An error response of the HTTP API: `application/problem+json` (RFC 9457) with a stable code.
///
/// ``LoginService`` converts every error to one, so a route only throws. The response reveals no internals: the
/// details for the operator are in the log, under the request ID that the response contains too.
public struct Problem: Error, Sendable {
    /// The kind of problem.
    public let code: ProblemCode

    /// The explanation for this request; nil if the code is sufficient.
    ///
    /// The client sees it, so it contains no secrets.
    public let detail: String?

    /// The status of the response.
    ///
    /// Defaults to the status of the code.
    public var status: HTTPResponse.Status

    /// Further headers of the response.
    public var headers: HTTPFields

    /// Whether the log already has the entry that it needs.
    var isLogged = false

    /// Whether the cause is a token whose unknown key can be looked up later, which is no outage.
    var isPostponed = false

    /// Whether the connection is closed after the response, because the request was not read to its end.
    private var closesConnection = false

    /// The members of the response that only some problems have.
    let members: Members

    /// The details for the operator's log; nil if ``detail`` is sufficient.
    private let operatorDetail: String?

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - detail: The explanation for this request, without secrets.
    ///   - headers: Further headers of the response.
    public init(_ code: ProblemCode, _ detail: String? = nil, headers: HTTPFields = [:]) {
        self.code = code
        self.detail = detail
        self.headers = headers
        status = code.status
        members = Members()
        operatorDetail = nil
    }

    /// Creates the problem for an account error.
    ///
    /// - Parameter error: The error. Its `detail` is for the operator, and is not part of the response.
    public init(_ error: AuthError) {
        self.init(error, status: error.code.status)
    }

    /// Creates the problem for an account error, with another status.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - status: The status, which replaces the status of the code.
    init(_ error: AuthError, status: HTTPResponse.Status) {
        self.init(error.code, error.publicDetail, status, Members(error.reason), error.detail)
        if let wait = error.retryAfter { headers[.retryAfter] = String(Self.seconds(wait)) }
        if case .keyLookupPostponed = error.reason { isPostponed = true }
        // These failures are often temporary, so an early retry makes sense.
        if error.code == .storeUnavailable || error.code == .conflictRetry || error.code == .providerUnavailable {
            headers[.retryAfter] = headers[.retryAfter] ?? "1"
        }
    }

    /// Creates the response to a sign-in that requires a second factor.
    ///
    /// - Parameter resolver: The resolver.
    init(_ resolver: MultiFactorResolver) {
        self.init(.secondFactorRequired, Members(resolver: resolver), "the account has a second factor")
    }

    /// Creates the response to a sign-in whose e-mail address belongs to an existing account.
    ///
    /// It does not list the providers of that account, which would reveal to a stranger how its holder signs in.
    ///
    /// - Parameter conflict: The conflict.
    init(_ conflict: AccountConflict) {
        self.init(
            .accountExistsWithDifferentCredential,
            Members(pendingCredential: conflict.pendingCredential),
            "the e-mail address of the login is another account's"
        )
    }

    private init(_ code: AuthError.Code, _ members: Members, _ operatorDetail: String) {
        self.init(code, nil, code.status, members, operatorDetail)
    }

    private init(
        _ code: AuthError.Code,
        _ detail: String?,
        _ status: HTTPResponse.Status,
        _ members: Members,
        _ operatorDetail: String
    ) {
        self.code = ProblemCode(code)
        self.detail = detail
        self.status = status
        self.members = members
        self.operatorDetail = operatorDetail
        headers = [:]
        if status == .unauthorized { headers[.wwwAuthenticate] = Challenge(code).text }
    }

    /// The same problem, after whose response the connection is closed.
    var closing: Problem {
        var problem = self
        problem.closesConnection = true
        return problem
    }

    /// Completes the page that explains the problem: the allowed methods (RFC 9110 §15.5.6), and whether the connection is
    /// closed.
    package func complete(_ page: inout ServerResponse) {
        if let allowed = headers[.allow] { page.headers[.allow] = allowed }
        page.closesConnection = closesConnection
    }

    /// Returns a duration in whole seconds, rounded up and at least 1, for `Retry-After`.
    package static func seconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return max(seconds + (attoseconds > 0 ? 1 : 0), 1)
    }
}

extension Problem {
    /// Returns the response, which must not be cached.
    ///
    /// - Parameters:
    ///   - requestID: The ID of the request.
    ///   - base: The public URL of the service without a trailing slash, below which problem types are explained; nil
    ///     for a relative reference.
    /// - Returns: The response.
    public func response(requestID: String, base: String?) -> ServerResponse {
        let body = Body(problem: self, requestID: requestID, type: "\(base ?? "")/problems/\(code.rawValue)")
        var response = jsonResponse(body, status: status)
        if status == .unauthorized { response.headers[.xAuthError] = code.rawValue }
        response.headers[.contentType] = "application/problem+json"
        response.headers.append(contentsOf: headers)
        // RFC 9110 §15.5.2 requires a challenge; without a credential it has no error (RFC 6750 §3.1).
        if status == .unauthorized, !headers.contains(.wwwAuthenticate) {
            response.headers[.wwwAuthenticate] = Challenge(nil).text
        }
        response.closesConnection = closesConnection
        return response
    }

    /// The body of the response.
    private struct Body: Encodable {
        let problem: Problem
        let requestID: String
        let type: String

        enum Keys: CodingKey {
            case type, title, status, detail, code, requestID, retryAfter, pendingCredential, resolver, providers,
                mergedInto
        }

        func encode(to encoder: any Encoder) throws {
            var body = encoder.container(keyedBy: Keys.self)
            try body.encode(type, forKey: .type)
            try body.encode(problem.code.explanation, forKey: .title)
            try body.encode(problem.status.code, forKey: .status)
            try body.encodeIfPresent(problem.detail, forKey: .detail)
            try body.encode(problem.code.rawValue, forKey: .code)
            try body.encode(requestID, forKey: .requestID)
            try body.encodeIfPresent(problem.headers[.retryAfter].flatMap { Int($0) }, forKey: .retryAfter)
            try body.encodeIfPresent(problem.members.pendingCredential, forKey: .pendingCredential)
            try body.encodeIfPresent(problem.members.resolver, forKey: .resolver)
            try body.encodeIfPresent(problem.members.providers, forKey: .providers)
            try body.encodeIfPresent(problem.members.mergedInto, forKey: .mergedInto)
        }
    }

    /// The members of the response beyond those of every problem.
    struct Members: Sendable {
        var pendingCredential: PendingCredential?
        var resolver: MultiFactorResolver?
        var providers: [ProviderID]?
        var mergedInto: AccountID?
    }
}

extension Problem: CustomStringConvertible {
    /// The code and the details for the operator.
    public var description: String {
        (operatorDetail ?? detail).map { "\(code.rawValue): \($0)" } ?? code.rawValue
    }
}

extension Problem.Members {
    /// Creates the members for the reason of an account error.
    fileprivate init(_ reason: AuthError.Reason) {
        switch reason {
        case .credentialAlreadyInUse(let pending, _), .emailAlreadyInUse(let pending, _):
            self.init(pendingCredential: pending)
        case .mergeConflict(let providers): self.init(providers: providers)
        case .accountMerged(let target): self.init(mergedInto: target)
        default: self.init()
        }
    }
}
#endif
