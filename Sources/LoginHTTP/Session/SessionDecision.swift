// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
public import LoginAccounts
public import LoginTokens

/// Whether a request has a session that is sufficient for a route.
public enum SessionDecision: Sendable, Redacted {
    /// The user is signed in, and the session has the required level.
    ///
    /// Run the route in `withIdentity(session)`, and complete its response with ``Visit/finish(_:)``.
    case signedIn(Session, Visit)
    /// Nobody is signed in, and the route does not require it.
    ///
    /// Complete the response with ``Visit/finish(_:)``.
    case signedOut(Visit)
    /// The route must not run. This is the response: status 401, 403, 429 or 503, or a redirect to the pages.
    case answer(ServerResponse)

    /// The decision, without the session.
    public var description: String {
        switch self {
        case .signedIn(_, let visit): "signed in: \(visit)"
        case .signedOut(let visit): "signed out: \(visit)"
        case .answer(let response): "answer: \(response)"
        }
    }
}

extension LoginService {
    /// Decides whether a request may use a route of the application that needs a signed-in user.
    ///
    /// ```swift
    /// switch try await login.session(of: request) {
    /// case .signedIn(let session, let visit):
    ///     var headers: HTTPFields = [.contentType: "text/plain"]
    ///     visit.finish(&headers)
    ///     return Reply(headers, "the notes of \(session.accountID)")
    /// case .signedOut(let visit): …  // only if it is optional
    /// case .answer(let response): return Reply(response)
    /// }
    /// ```
    ///
    /// Requests without a session get status 401 (RFC 6750 §3.1). If the service has pages (`LoginPages`), a browser that
    /// navigates to the route is redirected (303) instead: without a session to the sign-in page, and for the errors
    /// `second-factor-required` and `requires-recent-login` to the page that confirms the user. The user returns to the
    /// path and query of the request.
    ///
    /// A request is a navigation if it is a GET or HEAD request, its `Accept` names `text/html` and prefers it to JSON,
    /// its `Sec-Fetch-Mode`, if present, is `navigate`, and it has no bearer token.
    ///
    /// A request with an unsafe method that a browser authenticates by cookie is accepted only if a page of the service
    /// made it. A network that exceeds ``limits`` gets status 429. No further check is needed for these.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - level: The required level of the session: 1, or 2 for a second factor; another one is a programming error.
    ///   - isOptional: Whether the route also serves visitors who are not signed in. The cookie of a session that has
    ///     ended is then deleted, and the visitor is one of them.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func session(
        of request: ServerRequest,
        level: Int = 1,
        isOptional: Bool = false
    ) async throws(CancellationError) -> SessionDecision {
        try await session(of: visit(request), level: level, isOptional: isOptional)
    }

    /// Decides the same about a request that was checked before: the request is counted, and its session looked up, once.
    ///
    /// - Parameters:
    ///   - visit: What the earlier check has returned, also one of a ``ProtectedResource``.
    ///   - level: The required level of the session: 1, or 2 for a second factor.
    ///   - isOptional: Whether the route also serves visitors who are not signed in.
    /// - Returns: The decision.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func session(
        of visit: Visit,
        level: Int = 1,
        isOptional: Bool = false
    ) async throws(CancellationError) -> SessionDecision {
        // No page could satisfy a higher level.
        precondition((1...2).contains(level), "the level of a session is 1 or 2")
        var visit = taken(visit)
        do {
            try count(&visit, in: .requests)
            let forgets = isOptional || (addedPages.functions != nil && visit.request.isNavigation)
            try await authenticator.authenticate(&visit, staleCookie: forgets ? .forget : .refuse)
            try sameOrigin.check(visit)
            guard let session = visit.session else {
                guard isOptional else { throw Problem(.missingSession) }
                return .signedOut(visit)
            }
            try session.requireLevel(level)
            return .signedIn(session, visit)
        } catch {
            return .answer(try await answer(to: error, of: visit))
        }
    }

    /// Responds with a route of the application that needs a signed-in user.
    ///
    /// ```swift
    /// try await login.respond(to: request) { session, _ in
    ///     ServerResponse(status: .ok, body: ServerResponse.Body("the notes of \(session.accountID)".utf8))
    /// }
    /// ```
    ///
    /// It decides as ``session(of:level:isOptional:)-(ServerRequest,_,_)``, runs the route with the session as `Session.current`,
    /// completes its response, and answers its errors.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - level: The required level of the session: 1, or 2 for a second factor.
    ///   - route: The route.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(
        to request: ServerRequest,
        level: Int = 1,
        with route: (_ session: Session, _ visit: Visit) async throws -> ServerResponse
    ) async throws(CancellationError) -> ServerResponse {
        switch try await session(of: request, level: level) {
        case .answer(let response): return response
        case .signedOut: preconditionFailure("the session is required")
        case .signedIn(let session, let visit):
            do {
                var response = try await withIdentity(session) { try await route(session, visit) }
                visit.finish(&response.headers)
                return response.answering(request)
            } catch {
                return try await answer(to: error, of: visit)
            }
        }
    }

    /// Returns the response to an error that a route of the application has thrown.
    ///
    /// `AuthError` and ``Problem`` have responses of their own, such as the redirect to a reauthentication for
    /// `try await session.requireRecentLogin()`. Every other error becomes status 500 without details. The log has the
    /// type of the error.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - visit: The request.
    /// - Returns: The complete response.
    /// - Throws: `CancellationError` if the error is one.
    public func answer(to error: any Error, of visit: Visit) async throws(CancellationError) -> ServerResponse {
        guard visit.request.isNavigation, let pages = addedPages.functions, let step = Self.step(after: error, visit)
        else { return try await answer(to: error, of: visit, isPage: false) }
        var response = pages.redirect(step, visit.request.target)
        response.headers[.vary] = "Accept, Cookie, Sec-Fetch-Mode"
        visit.finish(&response.headers)
        return response.answering(visit.request)
    }

    /// Returns the step of the user after which a request succeeds; nil if there is none.
    ///
    /// A signed-in user is never sent to the sign-in page, whatever the route throws: that page would redirect back at
    /// once. The pages of the other steps wait for the user.
    static func step(after error: any Error, _ visit: Visit) -> LoginStep? {
        if let problem = error as? Problem {
            return problem.code == .missingSession && visit.session == nil ? .signIn : nil
        }
        // The pages know only the session of the cookie.
        guard visit.transport == .cookie, let error = error as? AuthError else { return nil }
        switch error.code {
        case .requiresRecentLogin: return .reauthenticate
        case .secondFactorRequired: return .stepUp
        default: return nil
        }
    }
}
#endif
