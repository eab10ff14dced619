// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginAccounts

/// One thing that can be asked over HTTP: where, what has to be sent, what is answered, and what answers it.
///
/// The API is a table of these. Routes, checks of bodies and the OpenAPI document are made of it, so that they never differ.
struct Operation<Context: LoginRequestContext>: Sendable {
    /// What a request has to show of a session.
    enum SessionNeed: Sendable {
        /// It is not looked at.
        case none
        /// One may be shown.
        case optional
        /// Somebody has to be signed in.
        case required
    }

    /// What a request has to send.
    enum Body: Sendable {
        case none
        case json(Schema)
        /// `application/x-www-form-urlencoded`, as Facebook posts it.
        case form([Field])
    }

    /// What is answered where nothing is wrong.
    struct Answer: Sendable {
        var status: HTTPResponse.Status = .ok
        let summary: String
        /// Nil where the answer has no body.
        var schema: Schema?
        var contentType = "application/json"
        var headers: [Field] = []
    }

    let name: String
    let method: HTTPRequest.Method
    /// The path in the form of OpenAPI: `/v1/sessions/{id}`.
    let path: String
    let summary: String
    var tag: String
    var session: SessionNeed = .none
    var query: [Field] = []
    /// The headers that it reads, beside those of every request.
    var headers: [Field] = []
    var parameters: [Field] = []
    var body: Body = .none
    let answer: Answer
    /// What else may be answered, beside what ``allProblems`` adds.
    var problems: [ProblemCode] = []
    let handle: @Sendable (Call<Context>) async throws -> Response

    /// Whether only a page of this site may ask for it, where a cookie says who it is.
    var wantsOwnPage: Bool { session != .none && method != .get }

    /// Every code with which this may be refused.
    var allProblems: [ProblemCode] {
        var all = problems + [ProblemCode(.tooManyRequests), ProblemCode(.internalError)]
        switch body {
        case .none: break
        case .json: all += [.invalidRequest, .tooLarge, .unsupportedType]
        // What is wrong in a form, who handles it says: that its signature is not good.
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
