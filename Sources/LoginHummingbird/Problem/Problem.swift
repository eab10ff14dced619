// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
public import HTTPTypes
public import Hummingbird
public import LoginAccounts
internal import LoginProviders
internal import LoginTokens
internal import NIOCore

/// A refusal as an HTTP API tells it: `application/problem+json` (RFC 9457), with a code that stays.
///
/// ``ProblemMiddleware`` makes one of every error, so a handler only throws. It says nothing of what is inside: the reason for
/// the operator is in the log, under the ID of the request, which the answer names too.
public struct Problem: Error, Sendable {
    /// What kind of refusal it is.
    public let code: ProblemCode

    /// What is wrong with this request; nil where the code says it all.
    ///
    /// It is for the one who asked, and repeats nothing secret.
    public let detail: String?

    /// The status of the answer: that of the code, unless said otherwise.
    public var status: HTTPResponse.Status

    /// Further headers of the answer.
    public var headers: HTTPFields

    /// Members of the answer that only this problem has.
    let members: Members

    /// The circumstances, for the operator's log; nil if ``detail`` says all of it.
    private let operatorDetail: String?

    /// A refusal.
    ///
    /// - Parameters:
    ///   - code: What kind it is.
    ///   - detail: What is wrong with this request, for the one who asked; without anything secret.
    ///   - headers: Further headers of the answer.
    public init(_ code: ProblemCode, _ detail: String? = nil, headers: HTTPFields = [:]) {
        self.code = code
        self.detail = detail
        self.headers = headers
        status = code.status
        members = Members()
        operatorDetail = nil
    }

    /// The refusal that an error of accounts is.
    ///
    /// - Parameter error: The error. Its `detail` is for the operator, and is not told.
    public init(_ error: AuthError) {
        self.init(error, status: HTTPResponse.Status(code: error.code.httpStatus))
    }

    /// The refusal that an error of accounts is, with a status of its own.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - status: The status, where the one of the code does not fit.
    init(_ error: AuthError, status: HTTPResponse.Status) {
        self.init(error.code, error.publicDetail, status, Members(error.reason), error.detail)
        if let wait = error.retryAfter { headers[.retryAfter] = String(Self.seconds(wait)) }
        // Where the store does not answer, it may do so soon.
        if error.code == .storeUnavailable || error.code == .conflictRetry || error.code == .providerUnavailable {
            headers[.retryAfter] = headers[.retryAfter] ?? "1"
        }
    }

    /// The answer to a sign-in that waits for its second factor.
    ///
    /// - Parameter resolver: The resolver.
    init(_ resolver: MultiFactorResolver) {
        self.init(.secondFactorRequired, Members(resolver: resolver), "the account has a second factor")
    }

    /// The answer to a sign-in whose e-mail address belongs to an existing account.
    ///
    /// It does not name the providers of that account, which would tell a stranger how its holder signs in.
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
        self.init(code, nil, HTTPResponse.Status(code: code.httpStatus), members, operatorDetail)
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
        if status == .unauthorized { headers[.wwwAuthenticate] = BearerChallenge(code).text }
    }

    /// Whole seconds, of which a client waits at least one.
    package static func seconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return max(seconds + (attoseconds > 0 ? 1 : 0), 1)
    }
}

extension Problem {
    /// The answer.
    ///
    /// - Parameters:
    ///   - requestID: What the request is known by.
    ///   - base: Where the pages that explain codes are: the URL of this service, without a slash at its end; nil for a path.
    /// - Returns: The answer, which nobody keeps.
    func response(requestID: String, base: String?) -> Response {
        let body = Body(problem: self, requestID: requestID, type: "\(base ?? "")/problems/\(code.rawValue)")
        var response = jsonResponse(body, status: status)
        if status == .unauthorized { response.headers[.xAuthError] = code.rawValue }
        response.headers[.contentType] = "application/problem+json"
        for field in headers { response.headers.append(field) }
        return response
    }

    /// What the answer says.
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

    /// The members of an answer beside those of every problem.
    struct Members: Sendable {
        var pendingCredential: PendingCredential?
        var resolver: MultiFactorResolver?
        var providers: [ProviderID]?
        var mergedInto: AccountID?
    }
}

extension Problem: HTTPResponseError {
    /// The answer where no ``ProblemMiddleware`` stands before the handler: the same, under the request ID of Hummingbird.
    public func response(from request: Request, context: some RequestContext) -> Response {
        response(requestID: context.id, base: nil).answering(request)
    }
}

extension Problem: CustomStringConvertible {
    /// The code and the detail, for the operator.
    public var description: String {
        (operatorDetail ?? detail).map { "\(code.rawValue): \($0)" } ?? code.rawValue
    }
}

extension Problem.Members {
    /// The members for the reason of an error of accounts.
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
