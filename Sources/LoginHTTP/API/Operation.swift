// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
package import HTTPTypes
internal import LoginAccounts

/// An operation of the HTTP API: its method and path, its request, its response, and its handler.
///
/// The API is a table of operations. The routes, the validation of bodies and the OpenAPI document are derived from it,
/// so that they never differ.
package struct Operation: Sendable {
    /// The requirement of a session.
    package enum SessionNeed: Sendable {
        /// The operation ignores a session.
        case none
        /// The request may have a session.
        case optional
        /// The request must have a session.
        case required
    }

    /// The body of a request.
    package enum Body: Sendable {
        case none
        case json(Schema)
        /// An `application/x-www-form-urlencoded` body, which the handler reads.
        case form([Field])
    }

    /// The successful response.
    package struct Answer: Sendable {
        let status: HTTPResponse.Status
        let summary: String
        /// The schema of the body; nil if the response has none.
        let schema: Schema?
        let contentType: String
        let headers: [Field]

        package init(
            status: HTTPResponse.Status = .ok,
            summary: String,
            schema: Schema? = nil,
            contentType: String = "application/json",
            headers: [Field] = []
        ) {
            self.status = status
            self.summary = summary
            self.schema = schema
            self.contentType = contentType
            self.headers = headers
        }
    }

    let name: String
    let method: HTTPRequest.Method
    /// The path with OpenAPI parameters: `/v1/sessions/{id}`.
    let path: String
    let summary: String
    let tag: String
    let session: SessionNeed
    let query: [Field]
    /// The header fields that the operation reads, beyond those of every request.
    let headers: [Field]
    let parameters: [Field]
    let body: Body
    let answer: Answer
    /// The problems of the operation, beyond those that ``allProblems`` adds.
    let problems: [ProblemCode]
    /// Whether the OpenAPI document describes the operation; false if the service refuses every request of it.
    let isListed: Bool
    let handle: @Sendable (Call) async throws -> ServerResponse

    package init(
        name: String,
        method: HTTPRequest.Method,
        path: String,
        summary: String,
        tag: String,
        session: SessionNeed = .none,
        query: [Field] = [],
        headers: [Field] = [],
        parameters: [Field] = [],
        body: Body = .none,
        answer: Answer,
        problems: [ProblemCode] = [],
        isListed: Bool = true,
        handle: @escaping @Sendable (Call) async throws -> ServerResponse
    ) {
        self.name = name
        self.method = method
        self.path = path
        self.summary = summary
        self.tag = tag
        self.session = session
        self.query = query
        self.headers = headers
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.problems = problems
        self.isListed = isListed
        self.handle = handle
    }

    /// The limit that counts requests of the operation.
    ///
    /// Servers and proxies verify tokens and forward requests for many clients, thousands of times a minute.
    var group: RequestGroup {
        switch tag {
        case "Health": .health
        case "Verification" where method == .post: .verifications
        case "Verification" where path.hasPrefix("/v1/forward-auth"): .forwarded
        default: .requests
        }
    }

    /// When responses may wait for the store.
    var storeUse: LoginRoute.StoreUse {
        switch path {
        case "/v1/verify", "/healthz": .never
        case "/v1/forward-auth/{api}": .withProof
        default: .always
        }
    }

    /// Whether the operation rejects requests of other sites that are authenticated by cookie.
    var wantsOwnPage: Bool { session != .none && method != .get }

    /// All problems of the operation.
    var allProblems: [ProblemCode] {
        var all = problems
        // Health checks have no limit.
        if group != .health { all.append(ProblemCode(.tooManyRequests)) }
        all.append(ProblemCode(.internalError))
        switch body {
        case .none: break
        case .json: all += [.invalidRequest, .tooLarge, .unsupportedType]
        // The handler of a form reports an invalid one with a code of its own.
        case .form: all += [.tooLarge, .unsupportedType]
        }
        if !query.isEmpty || !headers.isEmpty { all.append(.invalidRequest) }
        if session != .none {
            let codes: [AuthError.Code] = [
                .invalidUserToken, .userTokenExpired, .userDisabled, .storeUnavailable, .conflictRetry,
            ]
            all += codes.map { ProblemCode($0) } + [.invalidRequest]
            if wantsOwnPage { all.append(.crossSite) }
        }
        if session == .required { all.append(.missingSession) }
        var seen: Set<ProblemCode> = []
        return all.filter { seen.insert($0).inserted }
    }
}
#endif
